/* test-counters - how many pass in windows of time, and who may wait. TAP. */
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "store/limits.h"
#include "tap.h"

enum { S = 1000 };

/* A midnight that has not been: what is over is deleted. */
static const int64_t now = 4102444800LL * S;

static struct lb_limit window(const char *key, int64_t s, int64_t limit)
{
	return (struct lb_limit){key, s * S, limit, false, false};
}

/* How many of n messages pass, one each `step` ms from `at` on. */
static int passed(struct lb_limits *l, const struct lb_limit *w, int64_t at,
		  int n, int64_t step)
{
	struct lb_limit_answer a;
	int count = 0;

	for (int i = 0; i < n; i++) {
		lb_limits_take(l, w, 1, at + i * step, &a);
		count += a.refused < 0;
	}
	return count;
}

static void test_fixed(void)
{
	struct lb_limits *l = lb_limits_private();
	struct lb_limit w = window("a", 60, 5), other = window("b", 60, 5);
	struct lb_limit none = window("c", 60, 0);

	tap_ok(passed(l, &w, now, 15, 100) == 5, "as many as the limit pass");
	tap_ok(passed(l, &other, now, 1, 0) == 1, "others are not concerned");
	tap_ok(passed(l, &w, now + 59 * S, 1, 0) == 0, "until the window ends");
	tap_ok(passed(l, &w, now + 60 * S, 9, 1) == 5, "then as many again");
	tap_ok(passed(l, &w, now + 600 * S, 9, 1) == 5, "and later");
	tap_ok(passed(l, &none, now, 3, 0) == 0, "a limit of 0 lets none pass");
	none.wait = true;
	tap_ok(passed(l, &none, now, 3, 0) == 0, "and none can wait for it");
	lb_limits_close(l);
}

/* In no stretch of a sliding window's length more than the limit pass. */
static void test_sliding(void)
{
	struct lb_limits *l = lb_limits_private();
	struct lb_limit w = window("a", 60, 10), f = window("b", 60, 10);
	int64_t times[4000];
	int n = 0, fixed, most = 0;
	struct lb_limit_answer a;

	w.sliding = true;
	fixed = passed(l, &f, now + 55 * S, 10, 0) +
		passed(l, &f, now + 60 * S, 10, 0);
	tap_ok(fixed == 20, "around a border of fixed windows twice as many "
			    "pass");
	tap_ok(passed(l, &w, now + 55 * S, 10, 0) +
			       passed(l, &w, now + 60 * S, 10, 0) ==
		       10,
	       "of a sliding one they do not");
	for (int64_t t = 200 * S; t < 600 * S; t += 137) {
		lb_limits_take(l, &w, 1, now + t, &a);
		if (a.refused < 0)
			times[n++] = t;
	}
	for (int i = 0; i < n; i++) {
		int in = 0;

		for (int j = i; j < n && times[j] - times[i] < 60 * S; j++)
			in++;
		most = in > most ? in : most;
	}
	tap_ok(most == 10, "nor in any other stretch");
	tap_ok(n >= 6 * 10, "and as many as may do");
	lb_limits_close(l);
}

static void test_wait(void)
{
	struct lb_limits *l = lb_limits_private();
	struct lb_limit w = window("a", 60, 2);
	struct lb_limit_answer a;
	int64_t last = 0;
	int n = 0;
	bool ordered = true;

	w.wait = true;
	for (int i = 0; i < 30; i++) {
		lb_limits_take(l, &w, 1, now + i, &a);
		if (a.refused >= 0)
			break;
		ordered &= a.at_ms >= last;
		last = a.at_ms;
		n++;
	}
	tap_ok(ordered, "who waits is not overtaken");
	tap_ok(n == 2 * 6, "they fill the windows of the next five minutes");
	tap_ok(last == now + 300 * S, "and begin with a window");
	tap_ok(a.refused == 0 && a.notice,
	       "a longer wait is refused, and said");
	lb_limits_take(l, &w, 1, now + 40, &a);
	tap_ok(a.refused == 0 && !a.notice, "once");
	/* when the first wait is over, those that wait come first */
	lb_limits_take(l, &w, 1, now + 61 * S, &a);
	tap_ok(a.refused < 0 && a.at_ms == now + 360 * S,
	       "a later one goes behind them");
	lb_limits_close(l);
}

static void test_several(void)
{
	struct lb_limits *l = lb_limits_private();
	struct lb_limit both[] = {window("chat", 60, 10), window("ann", 60, 3)};
	struct lb_limit bob[] = {window("chat", 60, 10), window("bob", 60, 8)};
	struct lb_limit_answer a;
	int ann = 0, n = 0;

	for (int i = 0; i < 15; i++) {
		lb_limits_take(l, both, 2, now + i, &a);
		ann += a.refused < 0;
		n += a.notice;
	}
	tap_ok(ann == 3 && a.refused == 1, "the narrowest window decides");
	tap_ok(n == 1, "one notice a window");
	for (int i = 0; i < 15; i++) {
		lb_limits_take(l, bob, 2, now + i, &a);
		n += a.refused < 0;
	}
	tap_ok(n == 1 + 7 && a.refused == 0,
	       "what was refused counts in none of them");
	lb_limits_close(l);
}

static void test_clock(void)
{
	struct lb_limits *l = lb_limits_private();
	struct lb_limit w = window("a", 60, 5);

	tap_ok(passed(l, &w, now + 86400LL * S, 9, 0) == 5, "a day ahead");
	tap_ok(passed(l, &w, now, 9, 0) == 5,
	       "a clock that went back a day mutes nobody");
	tap_ok(passed(l, &w, now - 1 * S, 9, 0) == 0, "nor does it forget");
	lb_limits_close(l);
}

static void test_file(char *state)
{
	struct lb_limits *l = lb_limits_open(state, 1000),
			 *m = lb_limits_open(state, 1000);
	lb_autofree char *path = lb_printf("%s/limits.db", state);
	struct lb_limit w = window("x\x1f"
				   "b/group_1\x1f"
				   "7",
				   3600, 5);
	struct lb_limit v = window("x\x1f"
				   "b/group_2\x1f"
				   "8",
				   3600, 5);
	struct lb_spent sum, more = {100, 7};
	struct lb_error err = {0};
	struct stat st;

	tap_ok(stat(path, &st) < 0, "no file before one is needed");
	tap_ok(passed(l, &w, now, 3, 0) == 3, "in one process");
	lb_limits_commit(l);
	tap_ok(passed(m, &w, now, 9, 0) == 2, "and another: together");
	lb_limits_commit(m);
	tap_ok(passed(l, &w, now, 9, 0) == 0, "the first knows of the second");
	lb_limits_commit(l);
	tap_ok(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600,
	       "the file is its owner's alone");
	lb_limits_close(m);
	m = lb_limits_open(state, 1000);
	tap_ok(passed(m, &w, now, 9, 0) == 0, "a restart forgets nothing");
	passed(m, &v, now, 1, 0);
	lb_limits_spend(m,
			"s\x1f"
			"b\x1f"
			"7",
			now, &more);
	lb_limits_spend(m,
			"s\x1f"
			"b\x1f"
			"7",
			now + 3600 * S, &more);
	lb_limits_spend(m,
			"s\x1f"
			"b\x1f"
			"7",
			now + 3700 * S, &more);
	lb_limits_spent(m,
			"s\x1f"
			"b\x1f"
			"7",
			now, &sum);
	tap_ok(sum.tokens == 300 && sum.cost == 21, "what is spent adds up");
	lb_limits_spent(m,
			"s\x1f"
			"b\x1f"
			"7",
			now + 3600 * S, &sum);
	tap_ok(sum.tokens == 200, "by the hour");
	lb_limits_commit(m);
	tap_ok(lb_limits_erase(m, NULL, "b", "7", &err) == 2,
	       "what is known of a sender is erased");
	tap_ok(lb_limits_erase(m, NULL, "b", "7", &err) == 0, "all of it");
	tap_ok(lb_limits_erase(m, "b/group_2", NULL, NULL, &err) == 1,
	       "and of a session");
	unlink(path);
	tap_ok(passed(m, &w, now, 9, 0) == 5,
	       "a file that was deleted is made anew");
	lb_limits_commit(m);
	tap_ok(stat(path, &st) == 0, "and there again");
	lb_limits_close(l);
	lb_limits_close(m);
}

/* Where nothing can be written it counts on, alone. */
static void test_no_file(void)
{
	struct lb_limits *l = lb_limits_open("/proc/nowhere", 100);
	struct lb_limit w = window("a", 60, 5);

	tap_ok(passed(l, &w, now, 9, 0) == 5, "without a file it counts");
	lb_limits_commit(l);
	tap_ok(passed(l, &w, now, 9, 0) == 0, "and remembers");
	lb_limits_close(l);
}

/* Somebody keeps the file: that is waited out once, and not each time. */
static void test_busy(const char *state)
{
	struct lb_limits *keeper = lb_limits_open(state, 1000);
	struct lb_limits *l = lb_limits_open(state, 1000);
	struct lb_limit w = window("busy", 60, 5);
	int64_t began;

	passed(keeper, &w, now, 1, 0); /* not committed */
	tap_ok(passed(l, &w, now, 4, 0) == 4, "it counts on, alone");
	poll(NULL, 0, 1100); /* then it tries again */
	began = lb_clock_mono();
	tap_ok(passed(l, &w, now, 4, 0) == 1, "and remembers");
	tap_ok(lb_clock_mono() - began < 700, "and does not wait once more");
	lb_limits_commit(keeper);
	poll(NULL, 0, 1100);
	passed(l, &w, now, 1, 0);
	lb_limits_commit(l);
	passed(keeper, &w, now, 1, 0);
	tap_ok(passed(keeper, &w, now, 1, 0) == 0,
	       "what it counted is written when it can be");
	lb_limits_close(keeper);
	lb_limits_close(l);
}

int main(void)
{
	char state[] = "/tmp/test-counters.XXXXXX";
	lb_autofree char *clean = NULL;

	if (!mkdtemp(state))
		return 1;
	clean = lb_printf("rm -rf '%s'", state);
	test_fixed();
	test_sliding();
	test_wait();
	test_several();
	test_clock();
	test_file(state);
	test_no_file();
	test_busy(state);
	if (system(clean) != 0)
		return 1;
	return tap_end();
}
