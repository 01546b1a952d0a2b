/* How fast a bot may send. Times are made up: nothing waits. */
#include "platform/pace.h"
#include "tap.h"

static const struct lb_limits limits = {.chat_ms = 1000,
					.group_ms = 3000,
					.all_ms = 30,
					.burst = 1};

static void one_chat(void)
{
	struct lb_pace p = {.limits = &limits};

	tap_ok(lb_pace_reserve(&p, "a", false, 5000) == 5000,
	       "the first goes at once");
	tap_ok(lb_pace_reserve(&p, "a", false, 5000) == 6000 &&
		       lb_pace_reserve(&p, "a", false, 5100) == 7000,
	       "the next ones a second apart");
	tap_ok(lb_pace_reserve(&p, "b", false, 5100) == 5100,
	       "another chat does not wait for it");
	tap_ok(lb_pace_reserve(&p, "a", false, 20000) == 20000,
	       "silence is not saved up");
	tap_ok(lb_pace_reserve(&p, "g", true, 1) == 1 &&
		       lb_pace_reserve(&p, "g", true, 1) == 3001,
	       "a group has a pace of its own");
	lb_pace_release(&p);
}

static void bursts(void)
{
	struct lb_limits l = limits;
	struct lb_pace p = {.limits = &l};

	l.burst = 3;
	tap_ok(lb_pace_reserve(&p, "a", false, 100) == 100 &&
		       lb_pace_reserve(&p, "a", false, 100) == 100 &&
		       lb_pace_reserve(&p, "a", false, 100) == 100 &&
		       lb_pace_reserve(&p, "a", false, 100) == 1100,
	       "a burst of three, then one a second");
	lb_pace_release(&p);
}

static void all_chats(void)
{
	struct lb_pace p = {.limits = &limits};

	tap_ok(lb_pace_turn(&p, 100) == 100 && lb_pace_turn(&p, 100) == 130 &&
		       lb_pace_turn(&p, 200) == 200,
	       "all of them together have a pace");
	tap_ok(!lb_pace_try(&p, "a", 210) && lb_pace_try(&p, "a", 230) &&
		       !lb_pace_try(&p, "b", 240),
	       "what can be left out is");
	lb_pace_release(&p);
}

static void pauses(void)
{
	struct lb_pace p = {.limits = &limits};

	lb_pace_pause(&p, "a", 1000, 5000);
	lb_pace_pause(&p, "a", 1000, 2000);
	tap_ok(lb_pace_paused(&p, "a") == 6000 && lb_pace_paused(&p, "b") == 0,
	       "a pause is of one chat, and the longer one counts");
	tap_ok(lb_pace_reserve(&p, "a", false, 1000) == 6000,
	       "what comes meanwhile waits for its end");
	tap_ok(!lb_pace_try(&p, "a", 5999) && lb_pace_try(&p, "a", 6000),
	       "what can be left out is until then");
	lb_pace_release(&p);
}

/* A bot of many chats must not remember each for good. */
static void many(void)
{
	struct lb_pace p = {.limits = &limits};
	char name[16];

	lb_pace_pause(&p, "paused", 0, 1000000000);
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		lb_pace_reserve(&p, name, false, i * 100);
	}
	tap_ok(p.chats.n < 5000, "chats that are quiet are forgotten");
	tap_ok(lb_pace_paused(&p, "paused") == 1000000000,
	       "... and pauses are not");
	lb_pace_release(&p);
}

int main(void)
{
	one_chat();
	bursts();
	all_chats();
	pauses();
	many();
	return tap_end();
}
