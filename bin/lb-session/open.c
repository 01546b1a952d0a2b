/* lb-session - the store and the conversations in it. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "session.h"

enum { BUSY_MS = 5000 };

int session_store(struct lb_store **take, struct lb_error *err)
{
	lb_autofree char *state = lb_config_state(err);

	*take = NULL;
	if (!state)
		return -1;
	if (!lb_store_exists(state))
		return 0;
	*take = lb_store_open(state, BUSY_MS, err);
	return *take ? 1 : -1;
}

char *session_name(const char *text)
{
	return strchr(text, '/') ? lb_strdup(text) : lb_printf("-/%s", text);
}

int session_unknown(const char *name, struct lb_error *err)
{
	return lb_fail(err, LB_NOINPUT,
		       "there is no session '%s'; 'lb-session list --all' "
		       "shows those there are",
		       name);
}

struct gather {
	json_t *list; /* newest first */
	bool all, known;
};

static int gather_one(void *arg, const struct lb_conversation *c)
{
	struct gather *g = arg;

	g->known = true;
	if (!g->all && !c->in_use)
		return 0;
	json_array_append_new(
		g->list,
		lb_json_pack("{s:I, s:s, s:s, s:s, s:I, s:I, s:I, s:b}",
			     "conversation", (json_int_t)c->id, "session",
			     c->session, "bot", c->bot, "pipeline", c->pipeline,
			     "created", (json_int_t)c->created, "updated",
			     (json_int_t)c->updated, "turns",
			     (json_int_t)c->turns, "in_use", c->in_use));
	return 0;
}

json_t *session_conversations(struct lb_store *store, const char *session,
			      bool all, bool *known, struct lb_error *err)
{
	struct gather g = {.list = json_array(), .all = all};
	json_t *oldest_first;

	if (lb_conversation_each(store, session, gather_one, &g, err) < 0) {
		json_decref(g.list);
		return NULL;
	}
	oldest_first = json_array();
	for (size_t i = json_array_size(g.list); i > 0; i--)
		json_array_append(oldest_first, json_array_get(g.list, i - 1));
	json_decref(g.list);
	if (known)
		*known = g.known;
	return oldest_first;
}

static int write_turn(void *arg, const json_t *turn)
{
	const json_t *conversation = arg;
	json_auto_t *line =
		lb_json_pack("{s:O, s:O, s:O, s:O}", "session",
			     json_object_get(conversation, "session"), "bot",
			     json_object_get(conversation, "bot"), "pipeline",
			     json_object_get(conversation, "pipeline"),
			     "conversation",
			     json_object_get(conversation, "conversation"));

	json_object_update(line, (json_t *)(uintptr_t)turn);
	json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	return ferror(stdout); /* lb_finish() says why */
}

int session_write_turns(struct lb_store *store, const json_t *conversation,
			struct lb_error *err)
{
	int64_t id = 0;

	lb_json_int(conversation, "conversation", &id);
	return lb_conversation_turns(store, id, write_turn,
				     (void *)(uintptr_t)conversation, err);
}
