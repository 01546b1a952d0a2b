/* history.c - conversations of lb-llm, beside those of the bots. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "llm.h"
#include "store/conversation.h"
#include "store/store.h"

enum { BUSY_MS = 5000 };

struct lb_store *history_open(struct lb_error *err)
{
	lb_autofree char *state = lb_config_state(err);

	return state ? lb_store_open(state, BUSY_MS, err) : NULL;
}

static char *session_of(const char *name)
{
	return lb_printf("-/llm_%s", name);
}

json_t *history_load(struct lb_store *store, const char *name,
		     struct lb_error *err)
{
	lb_autofree char *session = session_of(name);
	int64_t id = lb_conversation_find(store, session, "-", err);

	if (id < 0)
		return NULL;
	return id ? lb_conversation_load(store, id, -1, -1, err) : json_array();
}

int history_add(struct lb_store *store, const char *name, bool anew,
		const json_t *messages, bool complete, struct lb_error *err)
{
	lb_autofree char *session = session_of(name);
	int64_t now = lb_clock_now(), conversation;
	char id[LB_ID_SIZE];

	lb_id_new(now, id);
	if (lb_store_begin(store, err) < 0)
		return -1;
	if (anew && lb_conversation_reset(store, session, "-", err) < 0)
		return -1;
	conversation = lb_conversation_use(store, session, "-", "-", now, err);
	if (conversation < 0 ||
	    lb_conversation_append(store, conversation,
				   &(struct lb_turn){
					   .of = id,
					   .messages = messages,
					   .complete = complete,
					   .time = now,
				   },
				   err) < 0)
		return -1;
	return lb_store_commit(store, err);
}
