/* ollama.c - Ollama's own chat. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "double.h"

static bool images_ok(const json_t *m, struct fault *f)
{
	const json_t *images = json_object_get(m, "images");
	json_t *image;
	size_t i;

	json_array_foreach(images, i, image) if (
		!image_ok(json_string_value(image),
			  NULL)) return wrong(f, NULL,
					      "illegal base64 data at input "
					      "byte 0");
	return true;
}

static bool calls_ok(const json_t *m, struct fault *f)
{
	json_t *call;
	size_t i;

	json_array_foreach(json_object_get(m, "tool_calls"), i, call)
	{
		const json_t *fn = json_object_get(call, "function");

		if (!lb_json_str(fn, "name") ||
		    !json_is_object(json_object_get(fn, "arguments")))
			return wrong(f, NULL,
				     "json: cannot unmarshal string into Go "
				     "struct field ChatRequest.messages of "
				     "type "
				     "api.ToolCallFunctionArguments");
	}
	return true;
}

static bool messages_ok(const json_t *messages, struct fault *f)
{
	static const char *const roles[] = {"system", "user", "assistant",
					    "tool", NULL};
	json_t *m;
	size_t i;

	json_array_foreach(messages, i, m)
	{
		if (!is_one_of(lb_json_str(m, "role"), roles))
			return wrong(f, NULL, "invalid role");
		if (json_object_get(m, "content") && !lb_json_str(m, "content"))
			return wrong(f, NULL,
				     "json: cannot unmarshal array into Go "
				     "struct field ChatRequest.messages of "
				     "type "
				     "string");
		if (!images_ok(m, f) || !calls_ok(m, f))
			return false;
	}
	return true;
}

static bool options_ok(const json_t *body, struct fault *f)
{
	const json_t *options = json_object_get(body, "options");
	const json_t *think = json_object_get(body, "think");
	const json_t *stop = json_object_get(options, "stop");

	if (options && !json_is_object(options))
		return wrong(f, NULL, "options is no object");
	if (stop && !json_is_array(stop))
		return wrong(f, NULL, "option \"stop\" must be of type array");
	if (think && !json_is_boolean(think) && !json_is_string(think))
		return wrong(f, NULL, "invalid think value");
	if (think && !json_is_false(think) &&
	    strstr(lb_json_str(body, "model"), "llama"))
		return wrong(f, NULL, "\"%s\" does not support thinking",
			     lb_json_str(body, "model"));
	return in_range(options, "temperature", 0, 100, f) &&
	       in_range(options, "num_predict", -2, 1e9, f);
}

static bool ok(const struct request *r, const json_t *body, struct fault *f)
{
	const char *model = lb_json_str(body, "model");

	(void)r;
	if (!model)
		return wrong(f, NULL, "model is required");
	if (strcmp(model, "missing") == 0) {
		wrong(f, NULL, "model '%s' not found", model);
		f->status = 404;
		return false;
	}
	return messages_ok(json_object_get(body, "messages"), f) &&
	       options_ok(body, f);
}

static json_t *refuse(const struct fault *f)
{
	return lb_json_pack("{s:s}", "error", f->message);
}

static const char *last(const json_t *body, bool *tools)
{
	const char *text = "", *before = NULL;
	bool shown;
	json_t *m;
	size_t i;

	json_array_foreach(json_object_get(body, "messages"), i, m)
	{
		const char *role = lb_json_str(m, "role");

		*tools |= strcmp(role, "tool") == 0;
		/* right behind what tools say is what they show */
		shown = before && strcmp(before, "tool") == 0;
		before = role;
		if (strcmp(role, "user") != 0 || shown)
			continue;
		*tools = false;
		text = lb_json_str(m, "content");
	}
	return text;
}

/* Other than elsewhere it streams unless it is told not to. */
static bool wants_stream(const struct request *r, const json_t *body)
{
	(void)r;
	return lb_json_bool(body, "stream", true);
}

static json_t *line(const struct turn *t, json_t *take_content)
{
	return lb_json_pack("{s:s,s:s,s:{s:s,s:o},s:b}", "model",
			    lb_json_str(t->body, "model"), "created_at",
			    "2025-05-27T22:54:57.641643Z", "message", "role",
			    "assistant", "content", take_content, "done", 0);
}

static void word(void *arg, const char *text, size_t n)
{
	struct turn *t = arg;

	send_json(t, line(t, lb_json_text(text, n)), FRAME_LINE,
		  t->how->pace_ms);
}

static void add_call(json_t *message, const json_t *call)
{
	json_t *calls = json_object_get(message, "tool_calls");

	if (!calls) {
		calls = json_array();
		json_object_set_new(message, "tool_calls", calls);
	}
	json_array_append_new(calls,
			      lb_json_pack("{s:{s:O,s:O}}", "function", "name",
					   json_object_get(call, "name"),
					   "arguments",
					   json_object_get(call, "arguments")));
}

static json_t *end(const struct turn *t, const char *text)
{
	json_t *o = line(t, json_string(text));

	json_object_set_new(o, "done", json_true());
	json_object_set_new(o, "done_reason", json_string("stop"));
	json_object_set_new(o, "prompt_eval_count", json_integer(9));
	json_object_set_new(o, "eval_count", json_integer(5));
	return o;
}

static void stream(struct turn *t)
{
	const json_t *call;
	size_t i;

	each_word(t->text, word, t);
	json_array_foreach(t->calls, i, call)
	{
		json_t *o = line(t, json_string(""));

		add_call(json_object_get(o, "message"), call);
		send_json(t, o, FRAME_LINE, 0);
	}
	send_json(t, end(t, ""), FRAME_LINE, 0);
}

static void whole(struct turn *t)
{
	json_t *o = end(t, t->text);
	const json_t *call;
	size_t i;

	json_array_foreach(t->calls, i, call)
		add_call(json_object_get(o, "message"), call);
	send_json(t, o, FRAME_LINE, 0);
}

const struct service ollama_service = {
	.name = "ollama",
	.ok = ok,
	.refuse = refuse,
	.last = last,
	.wants_stream = wants_stream,
	.stream_type = "application/x-ndjson",
	.stream = stream,
	.whole = whole,
};
