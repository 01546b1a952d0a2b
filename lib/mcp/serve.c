#include "mcp/serve.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/serve-in.h"

enum { LEVEL = 3 /* warning: what is told to who did not say */ };

struct lb_serve *lb_serve_open(struct lb_loop *loop,
			       const struct lb_serve_offer *offer)
{
	struct lb_serve *s = lb_alloc(sizeof(*s));

	s->loop = loop;
	s->offer = *offer;
	if (s->offer.page == 0)
		s->offer.page = LB_SERVE_PAGE;
	return s;
}

void lb_serve_close(struct lb_serve *s)
{
	if (!s)
		return;
	lb_serve_listen_drop(s, NULL, NULL);
	lb_serve_ask_forget(s);
	free(s);
}

void lb_serve_stop(struct lb_serve *s, int64_t most_ms)
{
	int64_t until = lb_clock_mono() + most_ms, now;

	lb_serve_listen_end(s);
	for (struct lb_serve_ask *a = s->asks, *next; a; a = next) {
		next = a->next;
		lb_serve_cancel(a, false);
	}
	while (s->asks && (now = lb_clock_mono()) < until)
		lb_loop_turn(s->loop, (int)(until - now));
}

void lb_serve_caller_open(struct lb_serve *s, struct lb_serve_caller *c)
{
	c->serve = s;
	c->level = LEVEL;
	c->next = s->callers;
	c->link = &s->callers;
	if (c->next)
		c->next->link = &c->next;
	s->callers = c;
}

void lb_serve_caller_close(struct lb_serve_caller *c)
{
	struct lb_serve *s = c->serve;

	lb_serve_listen_drop(s, NULL, c);
	for (struct lb_serve_ask *a = s->asks, *next; a; a = next) {
		next = a->next;
		if (a->caller != c)
			continue;
		a->caller = NULL;
		lb_serve_cancel(a, false);
	}
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
}

void lb_serve_drop(struct lb_serve *s, const struct lb_serve_way *way)
{
	lb_serve_listen_drop(s, way, NULL);
	for (struct lb_serve_ask *a = s->asks, *next; a; a = next) {
		next = a->next;
		if (a->way == way)
			lb_serve_cancel(a, false);
	}
}

/* ---- what is said ---- */

void lb_serve_say_failure(const struct lb_serve_way *way, const json_t *id,
			  int code, const char *message, const json_t *data,
			  int status)
{
	lb_autobuf struct lb_buf text = {0};

	lb_rpc_put_failure(&text, id, code, message, data);
	way->say(way->arg, text.data, text.len, true, status);
}

void lb_serve_say_result(const struct lb_serve_way *way, const json_t *id,
			 enum lb_mcp_revision revision, json_t *take_result)
{
	lb_autobuf struct lb_buf text = {0};
	json_t *meta;

	if (lb_mcp_is_modern(revision)) {
		json_object_set_new(take_result, "resultType",
				    json_string("complete"));
		meta = json_object_get(take_result, "_meta");
		if (!meta) {
			meta = json_object();
			json_object_set_new(take_result, "_meta", meta);
		}
		json_object_set_new(meta, LB_MCP_META_SERVER,
				    lb_mcp_implementation());
	}
	lb_rpc_put_result(&text, id, take_result);
	json_decref(take_result);
	way->say(way->arg, text.data, text.len, true, 200);
}

void lb_serve_say_note(const struct lb_serve_way *way, const char *method,
		       const json_t *params)
{
	lb_autobuf struct lb_buf text = {0};

	lb_rpc_put_notification(&text, method, params);
	way->say(way->arg, text.data, text.len, false, 0);
}

json_t *lb_serve_capabilities(const struct lb_serve *s)
{
	json_t *all = json_object();

	if (s->offer.tools)
		json_object_set_new(all, "tools",
				    lb_json_pack("{s:b}", "listChanged", 1));
	if (s->offer.resources)
		json_object_set_new(all, "resources",
				    lb_json_pack("{s:b}", "listChanged", 1));
	if (s->offer.prompts)
		json_object_set_new(all, "prompts",
				    lb_json_pack("{s:b}", "listChanged", 1));
	json_object_set_new(all, "logging", json_object());
	return all;
}

void lb_serve_changed(struct lb_serve *s, enum lb_serve_want what)
{
	const char *method = what == LB_SERVE_TOOLS
				     ? "notifications/tools/list_changed"
			     : what == LB_SERVE_PROMPTS
				     ? "notifications/prompts/list_changed"
				     : "notifications/resources/list_changed";

	lb_serve_listen_tell(s, what);
	for (struct lb_serve_caller *c = s->callers; c; c = c->next)
		if (c->revision != LB_MCP_UNKNOWN && c->notes.say)
			lb_serve_say_note(&c->notes, method, NULL);
}
