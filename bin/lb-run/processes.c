/* lb-run - processes that go on in sandboxes, and are ours. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "box/kept.h"
#include "box/owner.h"
#include "super.h"

/* However long others took: so that a process hears of its end before it comes. */
enum { LEAST_MS = 200 };

int processes_own(struct lb_error *err)
{
	char text[LB_OWNER_TEXT];
	struct lb_owner us;

	if (lb_owner_of(&us, getpid(), err) < 0)
		return -1;
	lb_owner_text(&us, text);
	return setenv("LB_OWNER", text, 1) < 0
		       ? lb_fail_sys(err, LB_OS, "cannot set LB_OWNER")
		       : 0;
}

void processes_end(struct lb_config *config, const char *state, int64_t until)
{
	lb_autofree char *processes = lb_kept_all(config, state);
	int64_t least = lb_clock_mono() + LEAST_MS;
	struct lb_error ignored;
	struct lb_owner us;

	if (lb_owner_of(&us, getpid(), &ignored) == 0)
		lb_kept_end_owned(processes, &us,
				  until > least ? until : least);
}
