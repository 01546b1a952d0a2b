/* lb-mcp serve: the tools of the sandbox, which lb-tool has. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "serving.h"

enum {
	LIST_MS = 15 * 1000,
	MOST_MS = 24 * 3600 * 1000,
};

static const struct known {
	const char *name, *title;
	bool usual, writes, destroys;
} known[] = {
	{"exec", "Run a command", false, true, true},
	{"read", "Read a file", true, false, false},
	{"write", "Write a file", false, true, true},
	{"edit", "Change a file", false, true, true},
	{"glob", "Find files by name", true, false, false},
	{"grep", "Find text in files", true, false, false},
	{0},
};

static const struct known *find_known(const char *name)
{
	for (const struct known *k = known; k->name; k++)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

static int unknown(const char *name, struct lb_error *err)
{
	lb_autobuf struct lb_buf all = {0};

	for (const struct known *k = known; k->name; k++)
		lb_buf_printf(&all, "%s%s", all.len ? ", " : "", k->name);
	return lb_fail(err, LB_USAGE,
		       "there is no tool '%.60s'; there are: %s, or none", name,
		       lb_buf_str(&all));
}

int tools_choose(struct serving *s, const char *list, struct lb_error *err)
{
	s->wanted = json_object();
	for (const struct known *k = known; !list && k->name; k++)
		if (k->usual)
			json_object_set_new(s->wanted, k->name, json_true());
	if (!list || strcmp(list, "none") == 0)
		return 0;
	for (const char *at = list;; at++) {
		size_t n = strcspn(at, ",");
		lb_autofree char *name = lb_strndup(at, n);

		if (!find_known(name))
			return unknown(name, err);
		json_object_set_new(s->wanted, name, json_true());
		at += n;
		if (!*at)
			return 0;
	}
}

/* ---- what there is ---- */

static json_t *tool_of(const struct known *k, const json_t *spec)
{
	const json_t *function = json_object_get(spec, "function");
	json_t *hints =
		lb_json_pack("{s:s, s:b, s:b}", "title", k->title,
			     "readOnlyHint", !k->writes, "openWorldHint", 0);

	if (k->writes)
		json_object_set_new(hints, "destructiveHint",
				    json_boolean(k->destroys));
	return lb_json_pack("{s:s, s:s, s:O, s:O, s:o}", "name", k->name,
			    "title", k->title, "description",
			    json_object_get(function, "description"),
			    "inputSchema",
			    json_object_get(function, "parameters"),
			    "annotations", hints);
}

/* As they are offered: those that are wanted. */
static void tell(struct serving *s, struct lb_serve_ask *ask,
		 const json_t *tools)
{
	json_t *all = json_array();
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)tools, i, one)
	{
		const char *name = lb_json_str(one, "name");
		const struct known *k = find_known(name);

		if (k && json_object_get(s->wanted, name))
			json_array_append_new(all,
					      tool_of(k,
						      json_object_get(one,
								      "spec")));
	}
	skills_add_tool(s, all);
	lb_serve_done(ask, lb_json_pack("{s:o}", "tools", all));
}

static void on_list(void *arg, const struct lb_provider_answer *answer)
{
	struct lb_serve_ask *ask = arg;
	struct serving *s = ask->arg;

	ask->state = NULL;
	if (answer->content)
		tell(s, ask, answer->content);
	else
		lb_serve_fail(ask, LB_RPC_INTERNAL, "%s", answer->message);
}

void tools_list(struct serving *s, struct lb_serve_ask *ask)
{
	const json_t *tools =
		s->provider ? lb_provider_tools(s->provider, s->pipeline)
			    : NULL;

	if (tools || !s->provider)
		tell(s, ask, tools);
	else
		ask->state =
			lb_provider_list(s->provider, s->pipeline, s->context,
					 LIST_MS, on_list, ask);
}

/* ---- calls ---- */

json_t *text_result(const char *text, size_t len, bool is_error)
{
	return lb_json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text",
			    "text", lb_json_text(text, len), "isError",
			    is_error);
}

/* {"type":"image","mime","data"} and the like, as the protocol has it. */
static json_t *part_of(const json_t *part)
{
	const char *type = lb_json_str(part, "type");
	const json_t *data = json_object_get(part, "data");
	const json_t *mime = json_object_get(part, "mime");
	const json_t *text = json_object_get(part, "text");
	lb_autobuf struct lb_buf whole = {0};

	if (type && strcmp(type, "image") == 0 && json_is_string(data) &&
	    json_is_string(mime))
		return lb_json_pack("{s:s, s:O, s:O}", "type", "image", "data",
				    data, "mimeType", mime);
	if (type && strcmp(type, "text") == 0 && json_is_string(text))
		return lb_json_pack("{s:s, s:O}", "type", "text", "text", text);
	lb_buf_json(&whole, part);
	return lb_json_pack("{s:s, s:o}", "type", "text", "text",
			    lb_json_text(lb_buf_str(&whole), whole.len));
}

static json_t *result_of(const json_t *content)
{
	const char *text = json_string_value(content);
	json_t *value, *parts, *result;
	size_t i;

	if (!text) {
		parts = json_array();
		for (i = 0; i < json_array_size(content); i++)
			json_array_append_new(parts,
					      part_of(json_array_get(content,
								     i)));
		return lb_json_pack("{s:o, s:b}", "content", parts, "isError",
				    0);
	}
	value = json_loads(text, 0, NULL);
	result = text_result(text, json_string_length(content),
			     json_is_false(json_object_get(value, "ok")));
	if (json_is_object(value))
		json_object_set_new(result, "structuredContent", value);
	else
		json_decref(value);
	return result;
}

static void on_answer(void *arg, const struct lb_provider_answer *answer)
{
	struct lb_serve_ask *ask = arg;

	ask->state = NULL;
	lb_serve_done(ask,
		      answer->content
			      ? result_of(answer->content)
			      : text_result(answer->message,
					    strlen(answer->message), true));
}

void tools_call(struct serving *s, struct lb_serve_ask *ask)
{
	if (s->shelf && strcmp(ask->name, "activate") == 0) {
		skills_ask(s, ask);
		return;
	}
	if (!json_object_get(s->wanted, ask->name)) {
		lb_serve_fail(ask, LB_RPC_PARAMS, "there is no tool '%.100s'",
			      ask->name);
		return;
	}
	ask->state =
		lb_provider_start(s->provider,
				  &(struct lb_provider_request){
					  .name = ask->name,
					  .arguments = ask->arguments,
					  .context = s->context,
					  .timeout_ms = s->timeout_ms < MOST_MS
								? s->timeout_ms
								: MOST_MS,
				  },
				  on_answer, ask);
}

void tools_cancel(struct serving *s, struct lb_serve_ask *ask)
{
	(void)s;
	if (ask->state)
		lb_provider_cancel(ask->state);
	lb_serve_fail(ask, LB_RPC_INTERNAL, "cancelled");
}
