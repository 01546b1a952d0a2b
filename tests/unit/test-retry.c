/* test-retry - Retry-After (llm-15), one table row per case. Prints TAP. */
#include <stdio.h>

#include "net/http.h"

/* Sun, 06 Nov 1994 08:49:37 GMT, the date of the RFCs. */
#define NOW 784111777000

struct row {
	const char *value;
	long long expected;
};

static const struct row rows[] = {
	{"0", 0},
	{"7", 7000},
	{" 20\t", 20000},
	{"86400", 86400000},
	{"86401", -1},
	{"99999999", -1},
	{"99999999999999999999999999", -1},
	{"-5", -1},
	{"+5", -1},
	{"1.5", -1},
	{"5s", -1},
	{"5 6", -1},
	{"\xc2\xb2", -1},
	{"", -1},
	{" ", -1},
	{"soon", -1},
	{"Sun", -1},
	{"Sun, 06 Nov 1994 08:49:37 GMT", 0},
	{"Sun, 06 Nov 1994 08:50:37 GMT", 60000},
	{"Sunday, 06-Nov-94 08:50:37 GMT", 60000},
	{"Sun Nov  6 08:50:37 1994", 60000},
	{"Sun, 06 Nov 1994 08:49:36 GMT", -1},
	{"Mon, 07 Nov 1994 08:49:37 GMT", 86400000},
	{"Mon, 07 Nov 1994 08:49:38 GMT", -1},
	{"Sun, 06 Nov 9999 08:49:37 GMT", -1},
};

int main(void)
{
	size_t n = sizeof(rows) / sizeof(rows[0]);
	int bad = 0;

	printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		long long got = lb_retry_after(rows[i].value, NOW);
		int ok = got == rows[i].expected;

		bad |= !ok;
		printf("%sok %zu - '%s'\n", ok ? "" : "not ", i + 1,
		       rows[i].value);
		if (!ok)
			printf("# expected %lld, got %lld\n", rows[i].expected,
			       got);
	}
	return bad;
}
