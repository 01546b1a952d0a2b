/* What is given back behind what failed. Times are made up: nothing waits. */
#include "platform/hold.h"
#include "tap.h"

static struct lb_holds holds;

static void fails(const char *id)
{
	lb_hold_failed(&holds, "s", id, LB_CODE_RATE, 0);
}

/* "": it may be sent; else the id it is behind. */
static const char *comes_at(const char *session, const char *id, int64_t now)
{
	enum lb_code code = LB_CODES;
	const char *behind = lb_hold_behind(&holds, session, id, now, &code);

	if (behind && code != LB_CODE_RATE)
		return "another code";
	return behind ? behind : "";
}

static const char *comes(const char *id)
{
	return comes_at("s", id, 0);
}

static void is_sent(const char *id, const char *what)
{
	tap_same("", comes(id), what);
	lb_hold_ended(&holds, "s", id);
}

static void nothing(const char *what)
{
	tap_ok(holds.sessions.n == 0 && holds.ids == 0 && holds.bytes == 0 &&
		       !holds.first && !holds.last,
	       what);
	lb_holds_release(&holds);
	holds = (struct lb_holds){0};
}

static void in_order(void)
{
	tap_same("", comes("a"), "nothing failed: it may be sent");
	fails("a");
	tap_same("a", comes("b"), "the next is behind what failed");
	tap_same("a", comes("c"), "... and the one after it");
	tap_same("", comes_at("t", "d", 0), "another session is not");
	is_sent("a", "what failed comes again");
	is_sent("b", "what was given back does, too");
	is_sent("c", "... and the last");
	is_sent("d", "what is new is sent then");
	nothing("nothing is known any more");
}

/* New ones are in the program's hand before those given back are again. */
static void between(void)
{
	fails("a");
	comes("b");
	comes("c");
	is_sent("a", "what failed is sent");
	tap_same("b", comes("d"), "a new one is behind what is still out");
	is_sent("b", "what was given back first is sent first");
	tap_same("c", comes("e"), "... and a new one is behind the rest");
	is_sent("c", "c");
	is_sent("d", "d");
	is_sent("e", "e");
	nothing("nothing is known after all of them");
}

static void again(void)
{
	fails("a");
	comes("b");
	tap_same("", comes("a"), "a second try of the first");
	fails("a");
	tap_same("a", comes("b"), "which fails: the second is behind it again");
	is_sent("a", "the third try of the first");
	is_sent("b", "... and the second");
	nothing("nothing is known after several tries");
}

static void elsewhere(void)
{
	fails("a");
	comes("b");
	comes("c");
	is_sent("b", "the first did not come before it: it ended elsewhere");
	is_sent("c", "... and the order of the others stands");
	nothing("nothing is known of what ended elsewhere");
	fails("a");
	comes("b");
	tap_same("a", comes("x"), "all of it went into other hands");
	is_sent("x", "... so what comes twice is the first that is due");
	nothing("nothing is known of what is in other hands");
}

static void looks(void)
{
	fails("a");
	tap_ok(lb_hold_keeps(&holds, "s", "b", 0) &&
		       lb_hold_keeps(&holds, "s", "b", 0) &&
		       !lb_hold_keeps(&holds, "s", "a", 0) &&
		       !lb_hold_keeps(&holds, "t", "b", 0),
	       "who only looks sees the same");
	tap_ok(holds.ids == 1, "... and changes nothing");
	lb_hold_ended(&holds, "s", "b");
	lb_hold_ended(&holds, "t", "a");
	tap_ok(holds.ids == 1, "the end of others is nothing to it");
	lb_hold_ended(&holds, "s", "a");
	nothing("the end of the only one is its end");
}

static void time_passes(void)
{
	fails("a");
	tap_same("a", comes_at("s", "b", LB_HOLD_MS), "20 minutes: held");
	tap_same("a", comes_at("s", "c", 2 * LB_HOLD_MS),
		 "... since it was last heard of");
	tap_ok(!lb_hold_keeps(&holds, "s", "d", 3 * LB_HOLD_MS + 1),
	       "more: not held");
	tap_same("", comes_at("s", "d", 3 * LB_HOLD_MS + 1), "... and sent");
	nothing("what is too old is forgotten");
}

static void bounds(void)
{
	static char text[8192];
	char name[32];

	for (int i = 0; i < 3 * LB_HOLD_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i / 2);
		lb_hold_failed(&holds, name, i % 2 ? "b" : "a", LB_CODE_RATE,
			       i);
	}
	tap_ok(holds.ids <= LB_HOLD_MAX && holds.sessions.n <= LB_HOLD_MAX,
	       "records that are known have a bound");
	tap_same("a", comes_at(name, "c", 3 * LB_HOLD_MAX),
		 "... and the last are those");
	tap_same("", comes_at("1", "c", 3 * LB_HOLD_MAX), "... not the first");
	lb_holds_release(&holds);
	holds = (struct lb_holds){.warned = true};
	memset(text, 'x', 4000);
	for (int i = 0; i < 5000; i++) {
		snprintf(text + 4000, 16, "%d", i);
		lb_hold_failed(&holds, text, "a", LB_CODE_RATE, i);
	}
	tap_ok(holds.bytes <= 8 << 20 && holds.ids > 1000,
	       "bytes that are known have a bound");
	lb_holds_release(&holds);
	holds = (struct lb_holds){0};
	memset(text, 'x', 600);
	text[600] = '\0';
	fails(text);
	nothing("an id that no queue takes is not held");
	memset(text, 'x', 5000);
	text[5000] = '\0';
	lb_hold_failed(&holds, text, "a", LB_CODE_RATE, 0);
	nothing("nor is a session");
}

int main(void)
{
	in_order();
	between();
	again();
	elsewhere();
	looks();
	time_passes();
	bounds();
	return tap_end();
}
