/* serve-listen.c - streams of changes, as the newer era has them. */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "mcp/serve-in.h"

enum { MOST = 64 /* of all callers */ };

struct lb_serve_listener {
	struct lb_serve_listener *next;
	struct lb_serve_caller *caller;
	const struct lb_serve_way *way;
	json_t *id;
	enum lb_mcp_revision revision;
	bool wants[LB_SERVE_PROMPT + 1];
};

static const struct {
	enum lb_serve_want what;
	const char *key, *method;
} changes[] = {
	{LB_SERVE_TOOLS, "toolsListChanged",
	 "notifications/tools/list_changed"},
	{LB_SERVE_RESOURCES, "resourcesListChanged",
	 "notifications/resources/list_changed"},
	{LB_SERVE_PROMPTS, "promptsListChanged",
	 "notifications/prompts/list_changed"},
};

enum { CHANGES = sizeof(changes) / sizeof(changes[0]) };

static json_t *meta_of(const struct lb_serve_listener *l)
{
	return lb_json_pack("{s:O}", LB_MCP_META_SUBSCRIPTION, l->id);
}

static void free_listener(struct lb_serve_listener **at)
{
	struct lb_serve_listener *l = *at;

	*at = l->next;
	json_decref(l->id);
	free(l);
}

static bool offers(const struct lb_serve_offer *o, enum lb_serve_want what)
{
	return what == LB_SERVE_TOOLS       ? o->tools
	       : what == LB_SERVE_RESOURCES ? o->resources
					    : o->prompts;
}

static size_t count(const struct lb_serve *s)
{
	size_t n = 0;

	for (const struct lb_serve_listener *l = s->listeners; l; l = l->next)
		n++;
	return n;
}

void lb_serve_listen(struct lb_serve_caller *c,
		     const struct lb_serve_request *r)
{
	const json_t *wanted =
		json_object_get(r->message->params, "notifications");
	struct lb_serve *s = c->serve;
	json_auto_t *params = NULL;
	struct lb_serve_listener *l;
	json_t *granted;

	if (!json_is_object(wanted) || count(s) >= MOST) {
		lb_serve_say_failure(r->way, r->message->id,
				     json_is_object(wanted) ? LB_RPC_INTERNAL
							    : LB_RPC_PARAMS,
				     json_is_object(wanted)
					     ? "too many listen already"
					     : "'notifications' is missing",
				     NULL, 200);
		return;
	}
	l = lb_alloc(sizeof(*l));
	l->caller = c;
	l->way = r->way;
	l->id = json_incref((json_t *)(uintptr_t)r->message->id);
	l->revision = r->revision;
	granted = json_object();
	for (size_t i = 0; i < CHANGES; i++) {
		if (!lb_json_bool(wanted, changes[i].key, false) ||
		    !offers(&s->offer, changes[i].what))
			continue;
		l->wants[changes[i].what] = true;
		json_object_set_new(granted, changes[i].key, json_true());
	}
	l->next = s->listeners;
	s->listeners = l;
	params = lb_json_pack("{s:o, s:o}", "_meta", meta_of(l),
			      "notifications", granted);
	lb_serve_say_note(l->way, "notifications/subscriptions/acknowledged",
			  params);
}

bool lb_serve_unlisten(struct lb_serve_caller *c, const json_t *id)
{
	struct lb_serve_listener **at = &c->serve->listeners;
	const struct lb_serve_way *way;

	while (*at && ((*at)->caller != c || !json_equal((*at)->id, id)))
		at = &(*at)->next;
	if (!*at)
		return false;
	way = (*at)->way;
	free_listener(at);
	way->say(way->arg, NULL, 0, true, 202);
	return true;
}

void lb_serve_listen_drop(struct lb_serve *s, const struct lb_serve_way *way,
			  const struct lb_serve_caller *caller)
{
	struct lb_serve_listener **at = &s->listeners;

	while (*at)
		if ((!way || (*at)->way == way) &&
		    (!caller || (*at)->caller == caller))
			free_listener(at);
		else
			at = &(*at)->next;
}

void lb_serve_listen_tell(struct lb_serve *s, enum lb_serve_want what)
{
	for (struct lb_serve_listener *l = s->listeners, *next; l; l = next) {
		json_auto_t *params =
			lb_json_pack("{s:o}", "_meta", meta_of(l));

		next = l->next;
		for (size_t i = 0; i < CHANGES; i++)
			if (changes[i].what == what && l->wants[what])
				lb_serve_say_note(l->way, changes[i].method,
						  params);
	}
}

void lb_serve_listen_end(struct lb_serve *s)
{
	while (s->listeners) {
		struct lb_serve_listener *l = s->listeners;
		const struct lb_serve_way *way = l->way;
		json_auto_t *id = json_incref(l->id);
		json_t *result = lb_json_pack("{s:o}", "_meta", meta_of(l));
		enum lb_mcp_revision revision = l->revision;

		free_listener(&s->listeners);
		lb_serve_say_result(way, id, revision, result);
	}
}
