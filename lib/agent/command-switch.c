/* switch NUMBER, last, next - go on with another conversation. */
#include "agent/command.h"
#include "base/clock.h"
#include "config/notice.h"
#include "store/conversation.h"

static int go_to(struct order *o, const struct talks *talks, size_t at,
		 struct lb_error *err)
{
	if (lb_conversation_switch(o->agent->store, talks->at[at].id,
				   lb_clock_now(), err) < 0)
		return -1;
	talks->at[at].in_use = false; /* no mark: it is the only line */
	say(o, "command-switched", NULL);
	lb_buf_putc(&o->said, '\n');
	if (talks_line(o, talks, at, err) < 0)
		return -1;
	o->said.data[--o->said.len] = '\0';
	return 0;
}

int command_switch(struct order *o, struct lb_error *err)
{
	struct talks talks = {0};
	int r = talks_load(o, &talks, err);
	long at = r == 0 ? talks_place(o, &talks, o->args[0]) : -1;

	if (at >= 0)
		r = go_to(o, &talks, (size_t)at, err);
	talks_release(&talks);
	return r;
}

/* They stand newest first: the earlier one is the next in the list. */
static int step(struct order *o, bool back, struct lb_error *err)
{
	struct talks talks = {0};
	int r = talks_load(o, &talks, err);
	size_t used = talks_used(&talks);

	if (r == 0 && talks.n == 0)
		say(o, "command-none", NULL);
	else if (r == 0 && used == talks.n && back) /* after a reset */
		r = go_to(o, &talks, 0, err);
	else if (r == 0 && back && used + 1 < talks.n)
		r = go_to(o, &talks, used + 1, err);
	else if (r == 0 && !back && used > 0 && used < talks.n)
		r = go_to(o, &talks, used - 1, err);
	else if (r == 0)
		say(o, back ? "command-first" : "command-latest", NULL);
	talks_release(&talks);
	return r;
}

int command_last(struct order *o, struct lb_error *err)
{
	return step(o, true, err);
}

int command_next(struct order *o, struct lb_error *err)
{
	return step(o, false, err);
}
