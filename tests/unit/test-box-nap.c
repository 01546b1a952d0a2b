/* When a sandbox that is not there is looked for again. */
#include "box/backend.h"
#include "tap.h"

int main(void)
{
	static const int want[] = {3000,  6000,  12000, 24000,
				   48000, 60000, 60000};
	int nap = 0;
	bool good = true;

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		nap = lb_box_nap(nap, false, i == 0);
		good = good && nap == want[i];
	}
	tap_ok(good, "after 3 s, then twice as long, up to a minute");
	nap = lb_box_nap(nap, true, true);
	tap_ok(nap == 60000, "one that works is looked at once a minute");
	tap_ok(lb_box_nap(nap, false, true) == 3000,
	       "one that is gone now is looked for in 3 s again");
	return tap_end();
}
