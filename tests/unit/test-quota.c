/* test-quota - what is reserved, settled, and left by who is gone. TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/quota.h"
#include "tap.h"

#define DAY 86400000LL
#define NOON (20000 * DAY + DAY / 2)

static struct lb_error err;

/* Does it get so much of that quota? -1: refused. */
static int64_t ask(struct lb_quotas *q, const struct lb_quota *quota,
		   int64_t cpu_ms, int64_t now, struct lb_quota_answer *a)
{
	const struct lb_quota_wish wish = {quota, 1, cpu_ms, cpu_ms};
	int r = lb_quota_take(q, &wish, now, a, &err);

	if (r < 0)
		printf("# %s\n", err.text);
	return r > 0 ? a->cpu_ms : -1;
}

static void test_time(const char *state)
{
	const struct lb_quota quota = {"exec a\x1f"
				       "b\x1f"
				       "c",
				       -1, 1000, -1};
	struct lb_quotas *q = lb_quotas_open(state, 1000);
	struct lb_quota_answer a, b;

	tap_ok(ask(q, &quota, 600, NOON, &a) == 600, "as much as it may use");
	tap_ok(ask(q, &quota, 600, NOON, &b) == 400 && b.limited_by == 0,
	       "then what is left");
	tap_ok(ask(q, &quota, 600, NOON, &b) == -1 && b.held &&
		       b.what == LB_QUOTA_CPU,
	       "and then it is held by others");
	lb_quota_settle(q, a.id, 100, true, &err);
	tap_ok(ask(q, &quota, 600, NOON, &b) == 500,
	       "what was not used is back");
	lb_quotas_close(q);

	/* Two are gone that had 400 and 500, to use in 600 ms. */
	q = lb_quotas_open(state, 1000);
	tap_ok(ask(q, &quota, 9999, NOON + 300, &a) == 1000 - 100 - 200 - 250,
	       "who is gone has used what he could until now");
	lb_quota_settle(q, a.id, 9999, true, &err);
	tap_ok(ask(q, &quota, 1, NOON + 300, &a) == -1 && !a.held &&
		       a.again_ms == 20001 * DAY,
	       "one that used more than it had leaves nothing");
	tap_ok(ask(q, &quota, 600, 20001 * DAY - 1, &a) == -1 &&
		       ask(q, &quota, 600, 20001 * DAY, &a) == 600,
	       "until the day is over");
	lb_quotas_close(q);
}

static void test_runs(const char *state)
{
	const struct lb_quota quota = {"exec d\x1f\x1f", 2, -1, -1};
	struct lb_quotas *q = lb_quotas_open(state, 1000);
	struct lb_quota_answer a;

	ask(q, &quota, 5, NOON, &a);
	lb_quota_settle(q, a.id, 0, false, &err);
	tap_ok(ask(q, &quota, 5, NOON, &a) == 5 &&
		       ask(q, &quota, 5, NOON, &a) == 5,
	       "one that did not begin does not count");
	tap_ok(ask(q, &quota, 5, NOON, &a) == -1 && a.what == LB_QUOTA_RUNS,
	       "two did");
	lb_quotas_close(q);
	q = lb_quotas_open(state, 1000);
	tap_ok(ask(q, &quota, 5, NOON, &a) == -1,
	       "and count when nobody is there any more");
	lb_quotas_close(q);
}

static void test_at_once(const char *state)
{
	const struct lb_quota quota = {"exec e\x1f\x1f", -1, -1, 1};
	struct lb_quotas *q = lb_quotas_open(state, 1000),
			 *other = lb_quotas_open(state, 1000);
	struct lb_quota_answer a, b;

	tap_ok(ask(q, &quota, 5, NOON, &a) == 5, "one");
	tap_ok(ask(other, &quota, 5, NOON, &b) == -1 &&
		       b.what == LB_QUOTA_AT_ONCE,
	       "and no other, of another process either");
	lb_quota_settle(q, a.id, 0, true, &err);
	tap_ok(ask(other, &quota, 5, NOON, &b) == 5, "until it has ended");
	lb_quotas_close(other);
	tap_ok(ask(q, &quota, 5, NOON, &a) == 5, "or whoever had it");
	lb_quotas_close(q);
}

int main(void)
{
	char state[] = "/tmp/test-quota-XXXXXX";
	lb_autofree char *clear = NULL;

	if (!mkdtemp(state))
		return 1;
	test_time(state);
	test_runs(state);
	test_at_once(state);
	clear = lb_printf("rm -rf '%s'", state);
	return system(clear) == 0 ? tap_end() : 1;
}
