/* serve-ask.c - what the offer is asked, and what becomes of its answers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/serve-in.h"

enum {
	PROGRESS_MS = 1000,
	TTL_MS = 10000, /* what is listed holds so long, if nobody says else */
	NO_LOG = 8,
	INFO = 1,
};

static const struct {
	const char *method;
	const char *list; /* what a page is of; or */
	const char *name; /* what has to be named */
	bool has_arguments;
} kinds[] = {
	[LB_SERVE_TOOLS] = {"tools/list", "tools", NULL, false},
	[LB_SERVE_CALL] = {"tools/call", NULL, "name", true},
	[LB_SERVE_RESOURCES] = {"resources/list", "resources", NULL, false},
	[LB_SERVE_TEMPLATES] = {"resources/templates/list", "resourceTemplates",
				NULL, false},
	[LB_SERVE_READ] = {"resources/read", NULL, "uri", false},
	[LB_SERVE_PROMPTS] = {"prompts/list", "prompts", NULL, false},
	[LB_SERVE_PROMPT] = {"prompts/get", NULL, "name", true},
};

static bool is_offered(const struct lb_serve_offer *o, size_t want)
{
	switch ((enum lb_serve_want)want) {
	case LB_SERVE_TOOLS:
	case LB_SERVE_CALL:
		return o->tools;
	case LB_SERVE_PROMPTS:
	case LB_SERVE_PROMPT:
		return o->prompts;
	default:
		return o->resources;
	}
}

static void free_ask(struct lb_serve_ask *a)
{
	lb_timer_cancel(a->serve->loop, &a->timer);
	*a->link = a->next;
	if (a->next)
		a->next->link = a->link;
	a->serve->n_asks--;
	if (a->caller)
		a->caller->n_asks--;
	json_decref(a->message);
	json_decref(a->token);
	free(a);
}

/* How a call went, for who wants to read that. */
static void tell_log(const struct lb_serve_ask *a, bool ok)
{
	json_auto_t *params = NULL;

	if (a->want != LB_SERVE_CALL || !a->name || a->level > INFO)
		return;
	params = lb_json_pack("{s:s, s:s, s:{s:s, s:b, s:I}}", "level", "info",
			      "logger", "lb-mcp", "data", "tool", a->name, "ok",
			      ok, "duration_ms",
			      (json_int_t)(lb_clock_mono() - a->begun));
	lb_serve_say_note(a->way, "notifications/message", params);
}

/* Of a whole list, what fits a page, and where the next one begins. */
static void cut_page(const struct lb_serve_ask *a, json_t *result)
{
	size_t most = a->serve->offer.page;
	const char *key = kinds[a->want].list;
	json_t *list = json_object_get(result, key);
	size_t n = json_array_size(list);
	lb_autofree char *next = NULL;
	json_t *page;

	if (!list || (a->from == 0 && n <= most))
		return;
	page = json_array();
	for (size_t i = a->from; i < n && i < a->from + most; i++)
		json_array_append(page, json_array_get(list, i));
	json_object_set_new(result, key, page);
	if (n - (a->from < n ? a->from : n) <= most)
		return;
	next = lb_printf("from-%zu", a->from + most);
	json_object_set_new(result, "nextCursor", json_string(next));
}

static void add_hints(const struct lb_serve_ask *a, json_t *result)
{
	if (!lb_mcp_is_modern(a->revision) || a->want == LB_SERVE_CALL ||
	    a->want == LB_SERVE_PROMPT)
		return;
	json_object_set_new(result, "ttlMs",
			    json_integer(a->want == LB_SERVE_READ ? 0
								  : TTL_MS));
	json_object_set_new(result, "cacheScope", json_string("private"));
}

/* Nobody is to be told a second time: who is told may be gone then. */
static const struct lb_serve_way *take_way(struct lb_serve_ask *a)
{
	const struct lb_serve_way *way = a->way;

	a->quiet = true;
	a->way = NULL;
	return way;
}

void lb_serve_done(struct lb_serve_ask *a, json_t *take_result)
{
	if (a->quiet) {
		json_decref(take_result);
	} else {
		tell_log(a, !lb_json_bool(take_result, "isError", false));
		cut_page(a, take_result);
		add_hints(a, take_result);
		lb_serve_say_result(take_way(a), a->id, a->revision,
				    take_result);
	}
	free_ask(a);
}

void lb_serve_fail(struct lb_serve_ask *a, int code, const char *fmt, ...)
{
	char text[LB_RPC_MESSAGE];
	json_auto_t *data = NULL;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* That number is of the older era alone. */
	if (code == LB_MCP_NOT_FOUND && lb_mcp_is_modern(a->revision))
		code = LB_RPC_PARAMS;
	if (a->want == LB_SERVE_READ && a->name)
		data = lb_json_pack("{s:s}", "uri", a->name);
	if (!a->quiet) {
		tell_log(a, false);
		lb_serve_say_failure(take_way(a), a->id, code, text, data, 200);
	}
	free_ask(a);
}

void lb_serve_cancel(struct lb_serve_ask *a, bool tell)
{
	struct lb_serve *s = a->serve;
	const struct lb_serve_way *way;

	if (a->quiet)
		return;
	way = take_way(a);
	lb_timer_cancel(s->loop, &a->timer);
	if (s->offer.cancel)
		s->offer.cancel(s->offer.arg, a);
	if (tell)
		way->say(way->arg, NULL, 0, true, 202);
}

void lb_serve_ask_forget(struct lb_serve *s)
{
	while (s->asks)
		free_ask(s->asks);
}

struct lb_serve_ask *lb_serve_ask_find(const struct lb_serve_caller *c,
				       const json_t *id)
{
	for (struct lb_serve_ask *a = c->serve->asks; a; a = a->next)
		if (a->caller == c && !a->quiet && json_equal(a->id, id))
			return a;
	return NULL;
}

/* It goes on: whoever wants to know is told so. */
static void on_progress(void *arg)
{
	struct lb_serve_ask *a = arg;
	int64_t ms = lb_clock_mono() - a->begun;
	lb_autofree char *text = lb_printf("%s has been running for %lld s",
					   a->name, (long long)(ms / 1000));
	json_auto_t *params =
		lb_json_pack("{s:O, s:I, s:s}", "progressToken", a->token,
			     "progress", (json_int_t)(ms / 1000), "message",
			     text);

	lb_serve_say_note(a->way, "notifications/progress", params);
	lb_timer_set(a->serve->loop, &a->timer, lb_clock_mono() + PROGRESS_MS,
		     on_progress, a);
}

static struct lb_serve_ask *add(struct lb_serve_caller *c,
				const struct lb_serve_request *r,
				enum lb_serve_want want)
{
	struct lb_serve *s = c->serve;
	struct lb_serve_ask *a = lb_alloc(sizeof(*a));
	int level = lb_mcp_log_level(r->meta.log_level);

	a->want = want;
	a->arg = s->offer.arg;
	a->serve = s;
	a->caller = c;
	a->way = r->way;
	a->revision = r->revision;
	a->message = json_incref(r->message->whole);
	a->id = r->message->id;
	a->level = !lb_mcp_is_modern(r->revision) ? c->level
		   : level >= 0                   ? level
						  : NO_LOG;
	a->begun = lb_clock_mono();
	a->next = s->asks;
	a->link = &s->asks;
	if (a->next)
		a->next->link = &a->next;
	s->asks = a;
	s->n_asks++;
	c->n_asks++;
	return a;
}

/* "from-100" */
static bool read_cursor(const json_t *cursor, size_t *from)
{
	const char *text = json_string_value(cursor);
	size_t n;

	if (!cursor)
		return true;
	if (!text || strncmp(text, "from-", 5) != 0)
		return false;
	n = strspn(text + 5, "0123456789");
	if (n == 0 || n > 9 || text[5 + n])
		return false;
	*from = strtoul(text + 5, NULL, 10);
	return true;
}

/* What is wrong with its parameters, or NULL. */
static const char *read_params(struct lb_serve_ask *a, const json_t *params)
{
	const char *named = kinds[a->want].name;
	json_t *arguments = json_object_get(params, "arguments");

	if (kinds[a->want].list)
		return read_cursor(json_object_get(params, "cursor"), &a->from)
			       ? NULL
			       : "there is no such cursor";
	a->name = lb_json_str(params, named);
	if (!a->name)
		return "what is asked for is not named";
	if (!kinds[a->want].has_arguments)
		return NULL;
	if (!arguments || json_is_null(arguments)) {
		arguments = json_object();
		json_object_set_new(json_object_get(a->message, "params"),
				    "arguments", arguments);
	}
	a->arguments = arguments;
	return json_is_object(arguments) ? NULL : "'arguments' is no object";
}

static void begin(struct lb_serve_ask *a, const struct lb_serve_request *r)
{
	const json_t *token = r->meta.progress_token;
	const char *why = read_params(a, r->message->params);

	if (why) {
		lb_serve_fail(a, LB_RPC_PARAMS, "%s", why);
		return;
	}
	if (a->want == LB_SERVE_CALL &&
	    (json_is_string(token) || json_is_integer(token))) {
		a->token = json_incref((json_t *)(uintptr_t)token);
		lb_timer_set(a->serve->loop, &a->timer, a->begun + PROGRESS_MS,
			     on_progress, a);
	}
	a->serve->offer.ask(a->serve->offer.arg, a);
}

bool lb_serve_ask(struct lb_serve_caller *c, const struct lb_serve_request *r)
{
	const struct lb_serve *s = c->serve;
	const json_t *id = r->message->id;
	size_t want = 0;

	while (want < sizeof(kinds) / sizeof(kinds[0]) &&
	       strcmp(kinds[want].method, r->message->method) != 0)
		want++;
	if (want == sizeof(kinds) / sizeof(kinds[0]) ||
	    !is_offered(&s->offer, want))
		return false;
	if (lb_serve_ask_find(c, id))
		lb_serve_say_failure(r->way, id, LB_RPC_INVALID,
				     "there is a request of that id already",
				     NULL, 200);
	else if (s->n_asks >= LB_SERVE_ASKS ||
		 c->n_asks >= LB_SERVE_CALLER_ASKS)
		lb_serve_say_failure(r->way, id, LB_RPC_INTERNAL,
				     "too many requests are under way", NULL,
				     200);
	else
		begin(add(c, r, (enum lb_serve_want)want), r);
	return true;
}
