/* new, reset - another conversation; the one before stays in `list`. */
#include "agent/command.h"
#include "base/clock.h"
#include "config/notice.h"
#include "store/conversation.h"

int command_new(struct order *o, struct lb_error *err)
{
	if (lb_conversation_new(o->agent->store, o->conversation, o->bot,
				o->pipeline, lb_clock_now(), err) < 0)
		return -1;
	say(o, "command-new", NULL);
	return 0;
}

int command_reset(struct order *o, struct lb_error *err)
{
	if (lb_conversation_reset(o->agent->store, o->conversation, o->pipeline,
				  err) < 0)
		return -1;
	say(o, "command-reset", NULL);
	return 0;
}
