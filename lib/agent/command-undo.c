/* undo - forget the last question and what was answered. */
#include "agent/command.h"
#include "config/notice.h"
#include "store/conversation.h"

int command_undo(struct order *o, struct lb_error *err)
{
	int64_t id = lb_conversation_find(o->agent->store, o->conversation,
					  o->pipeline, err);
	int r = id > 0 ? lb_conversation_undo(o->agent->store, id, err)
		       : (int)id;

	if (r < 0)
		return -1;
	say(o, r > 0 ? "command-undone" : "command-nothing", NULL);
	return 0;
}
