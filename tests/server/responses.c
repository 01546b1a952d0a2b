/* responses.c - OpenAI's Responses. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "double.h"

static const char secret[] = "gAAAthought";

static bool part_ok(const json_t *part, bool ours, struct fault *f)
{
	const char *type = lb_json_str(part, "type");
	const char *url = lb_json_str(part, "image_url");

	if (type && strcmp(type, ours ? "output_text" : "input_text") == 0)
		return lb_json_str(part, "text") ||
		       wrong(f, "input", "Missing required parameter: text");
	if (!ours && type && strcmp(type, "input_image") == 0)
		return (url && (strncmp(url, "http", 4) == 0 ||
				(strncmp(url, "data:image/", 11) == 0 &&
				 strchr(url, ',') &&
				 image_ok(strchr(url, ',') + 1, NULL)))) ||
		       wrong(f, "input", "Invalid image_url");
	return wrong(f, "input",
		     "Invalid value: '%s'. Supported values are: '%s'",
		     type ? type : "", ours ? "output_text" : "input_text");
}

static bool content_ok(const json_t *content, bool ours, struct fault *f)
{
	json_t *part;
	size_t i;

	if (json_is_string(content))
		return true;
	if (json_array_size(content) == 0)
		return wrong(f, "input", "Missing required parameter: content");
	json_array_foreach(content, i,
			   part) if (!part_ok(part, ours, f)) return false;
	return true;
}

static bool message_ok(const json_t *item, struct fault *f)
{
	static const char *const roles[] = {"user", "assistant", "system",
					    "developer", NULL};
	const char *role = lb_json_str(item, "role");

	if (!is_one_of(role, roles))
		return wrong(f, "input", "Invalid value: role");
	if (lb_json_str(item, "id"))
		return wrong(f, "input",
			     "Item with id '%s' not found. Items are not "
			     "persisted when `store` is set to false.",
			     lb_json_str(item, "id"));
	return content_ok(json_object_get(item, "content"),
			  strcmp(role, "assistant") == 0, f);
}

static bool call_ok(const json_t *item, json_t *open, struct fault *f)
{
	const char *id = lb_json_str(item, "call_id");
	const char *arguments = lb_json_str(item, "arguments");

	if (!id || !*id || strlen(id) > 64)
		return wrong(f, "input", "Invalid 'call_id': string too long");
	if (!name_ok(lb_json_str(item, "name"), 64) || !arguments ||
	    !is_object_text(arguments))
		return wrong(f, "input", "a function_call is cut");
	json_object_set_new(open, id, json_true());
	return true;
}

static bool output_ok(const json_t *item, json_t *open, struct fault *f)
{
	const char *id = lb_json_str(item, "call_id");

	if (!id || json_object_del(open, id) < 0)
		return wrong(f, "input",
			     "No tool call found for function call output with "
			     "call_id %s.",
			     id ? id : "");
	return content_ok(json_object_get(item, "output"), false, f);
}

static bool item_ok(const json_t *item, json_t *open, bool is_last,
		    struct fault *f)
{
	const char *type = lb_json_str(item, "type");

	if (!type || strcmp(type, "message") == 0)
		return message_ok(item, f);
	if (strcmp(type, "function_call") == 0)
		return call_ok(item, open, f);
	if (strcmp(type, "function_call_output") == 0)
		return output_ok(item, open, f);
	if (strcmp(type, "reasoning") != 0)
		return wrong(f, "input", "Invalid value: '%s'", type);
	if (!lb_json_str(item, "encrypted_content") ||
	    strcmp(lb_json_str(item, "encrypted_content"), secret) != 0 ||
	    !json_is_array(json_object_get(item, "summary")))
		return wrong(f, "input",
			     "Item of type 'reasoning' not found. "
			     "Items are not persisted when `store` "
			     "is set to false.");
	return !is_last ||
	       wrong(f, "input",
		     "Item of type 'reasoning' was provided without "
		     "its required following item.");
}

static bool input_ok(const json_t *input, struct fault *f)
{
	json_auto_t *open = json_object();
	size_t i, n = json_array_size(input);
	json_t *item;

	if (json_string_length(input) > 0)
		return true;
	if (n == 0)
		return wrong(f, "input",
			     "One of \"input\" or \"previous_response_id\" "
			     "must be provided.");
	json_array_foreach(input, i, item) if (!item_ok(item, open, i + 1 == n,
							f)) return false;
	return json_object_size(open) == 0 ||
	       wrong(f, "input", "No tool output found for function call %s.",
		     json_object_iter_key(json_object_iter(open)));
}

static bool tools_ok(const json_t *body, struct fault *f)
{
	json_t *tool;
	size_t i;

	json_array_foreach(json_object_get(body, "tools"), i, tool)
	{
		const char *type = lb_json_str(tool, "type");

		if (!type || strcmp(type, "function") != 0)
			return wrong(f, "tools", "Missing: tools[].type");
		if (!name_ok(lb_json_str(tool, "name"), 64))
			return wrong(f, "tools",
				     "Missing required parameter: "
				     "'tools[0].name'.");
		if (!json_is_false(json_object_get(tool, "strict")))
			return wrong(f, "tools",
				     "Invalid schema for function: "
				     "'additionalProperties' is required");
	}
	return true;
}

static bool ok(const struct request *r, const json_t *body, struct fault *f)
{
	static const char *const names[] = {"model",
					    "input",
					    "instructions",
					    "tools",
					    "tool_choice",
					    "store",
					    "include",
					    "stream",
					    "temperature",
					    "top_p",
					    "max_output_tokens",
					    "reasoning",
					    "metadata",
					    "text",
					    "user",
					    "parallel_tool_calls",
					    "truncation",
					    NULL};

	(void)r;
	if (!knows_all(body, names, f)) {
		const char *name = f->param;

		wrong(f, name, "Unknown parameter: '%s'.", name);
		f->code = "unknown_parameter";
		return false;
	}
	if (!lb_json_str(body, "model"))
		return wrong(f, "model",
			     "Missing required parameter: 'model'.");
	return input_ok(json_object_get(body, "input"), f) &&
	       tools_ok(body, f) && in_range(body, "temperature", 0, 2, f) &&
	       in_range(body, "max_output_tokens", 16, 1e9, f);
}

static json_t *refuse(const struct fault *f)
{
	return lb_json_pack("{s:{s:s,s:s,s:s?,s:s}}", "error", "message",
			    f->message, "type", "invalid_request_error",
			    "param", f->param, "code", f->code);
}

static const char *last(const json_t *body, bool *tools)
{
	const json_t *input = json_object_get(body, "input");
	const char *text =
		json_is_string(input) ? json_string_value(input) : "";
	json_t *item, *part;
	size_t i, j;

	json_array_foreach(input, i, item)
	{
		const char *role = lb_json_str(item, "role");
		const char *type = lb_json_str(item, "type");
		const json_t *content = json_object_get(item, "content");

		*tools |= type && strcmp(type, "function_call_output") == 0;
		if (!role || strcmp(role, "user") != 0)
			continue;
		*tools = false;
		if (json_is_string(content))
			text = json_string_value(content);
		json_array_foreach(content, j,
				   part) if (lb_json_str(part, "text")) text =
			lb_json_str(part, "text");
	}
	return text;
}

static bool wants_stream(const struct request *r, const json_t *body)
{
	(void)r;
	return lb_json_bool(body, "stream", false);
}

static json_t *response_of(struct turn *t, const char *status, json_t *take)
{
	return lb_json_pack("{s:s,s:s,s:i,s:s,s:n,s:n,s:s,s:o,s:b,s:[],s:s,s:b,"
			    "s:{s:i,s:{s:i},s:i,s:{s:i},s:i}}",
			    "id", "resp_1", "object", "response", "created_at",
			    1, "status", status, "error", "incomplete_details",
			    "model", lb_json_str(t->body, "model"), "output",
			    take, "parallel_tool_calls", 1, "tools",
			    "tool_choice", "auto", "store", 0, "usage",
			    "input_tokens", 9, "input_tokens_details",
			    "cached_tokens", 2, "output_tokens", 5,
			    "output_tokens_details", "reasoning_tokens", 0,
			    "total_tokens", 14);
}

/* NULL text: not yet */
static json_t *message_of(const char *text)
{
	json_t *m = lb_json_pack("{s:s,s:s,s:s,s:s,s:[]}", "id", "msg_1",
				 "type", "message", "status",
				 text ? "completed" : "in_progress", "role",
				 "assistant", "content");

	if (text)
		json_array_append_new(json_object_get(m, "content"),
				      lb_json_pack("{s:s,s:s,s:[]}", "type",
						   "output_text", "text", text,
						   "annotations"));
	return m;
}

static json_t *call_of(const struct turn *t, size_t i, bool whole)
{
	const json_t *call = json_array_get(t->calls, i);
	lb_autofree char *arguments =
		json_dumps(json_object_get(call, "arguments"), JSON_COMPACT);
	lb_autofree char *id =
		lb_printf("call_%zu_%zu", i,
			  json_array_size(json_object_get(t->body, "input")));
	lb_autofree char *item = lb_printf("fc_%zu", i);

	return lb_json_pack("{s:s,s:s,s:s,s:s,s:O,s:s}", "id", item, "type",
			    "function_call", "status",
			    whole ? "completed" : "in_progress", "call_id", id,
			    "name", json_object_get(call, "name"), "arguments",
			    whole ? arguments : "");
}

/* What it thought, if that is wanted and not kept at the service. */
static json_t *thought(const struct turn *t)
{
	if (json_array_size(t->calls) == 0 ||
	    json_array_size(json_object_get(t->body, "include")) == 0)
		return NULL;
	return lb_json_pack("{s:s,s:s,s:[],s:s}", "id", "rs_1", "type",
			    "reasoning", "summary", "encrypted_content",
			    secret);
}

/* `rest` is what the event has of its own. */
static void event(struct turn *t, const char *type, json_t *take_rest, int ms)
{
	json_t *e = lb_json_pack("{s:s}", "type", type);

	json_object_update(e, take_rest);
	json_decref(take_rest);
	json_object_set_new(e, "sequence_number", json_integer(1));
	send_json(t, e, FRAME_NAMED, ms);
}

static void item_event(struct turn *t, const char *type, size_t i, json_t *take)
{
	event(t, type,
	      lb_json_pack("{s:I,s:o}", "output_index", (json_int_t)i, "item",
			   take),
	      0);
}

static void word(void *arg, const char *text, size_t n)
{
	struct turn *t = arg;

	event(t, "response.output_text.delta",
	      lb_json_pack("{s:s,s:i,s:i,s:o,s:[]}", "item_id", "msg_1",
			   "output_index", 0, "content_index", 0, "delta",
			   lb_json_text(text, n), "logprobs"),
	      t->how->pace_ms);
}

static void stream_text(struct turn *t)
{
	item_event(t, "response.output_item.added", 0, message_of(NULL));
	event(t, "response.content_part.added",
	      lb_json_pack("{s:s,s:i,s:i,s:{s:s,s:s,s:[]}}", "item_id", "msg_1",
			   "output_index", 0, "content_index", 0, "part",
			   "type", "output_text", "text", "", "annotations"),
	      0);
	each_word(t->text, word, t);
	item_event(t, "response.output_item.done", 0, message_of(t->text));
}

/* `at`: which item of the output it is. */
static void stream_call(struct turn *t, size_t i, size_t at)
{
	json_auto_t *all = call_of(t, i, true);

	item_event(t, "response.output_item.added", at, call_of(t, i, false));
	event(t, "response.function_call_arguments.delta",
	      lb_json_pack("{s:O,s:I,s:O}", "item_id",
			   json_object_get(all, "id"), "output_index",
			   (json_int_t)at, "delta",
			   json_object_get(all, "arguments")),
	      0);
	item_event(t, "response.output_item.done", at, json_deep_copy(all));
}

static json_t *output_of(struct turn *t)
{
	json_t *output = json_array(), *before = thought(t);

	if (before)
		json_array_append_new(output, before);
	if (*t->text)
		json_array_append_new(output, message_of(t->text));
	for (size_t i = 0; i < json_array_size(t->calls); i++)
		json_array_append_new(output, call_of(t, i, true));
	return output;
}

static void stream(struct turn *t)
{
	json_auto_t *before = thought(t);

	event(t, "response.created",
	      lb_json_pack("{s:o}", "response",
			   response_of(t, "in_progress", json_array())),
	      0);
	if (*t->text)
		stream_text(t);
	if (before)
		item_event(t, "response.output_item.done", 0,
			   json_incref(before));
	for (size_t i = 0; i < json_array_size(t->calls); i++)
		stream_call(t, i, i + (before != NULL));
	event(t, "response.completed",
	      lb_json_pack("{s:o}", "response",
			   response_of(t, "completed", output_of(t))),
	      0);
}

static void whole(struct turn *t)
{
	send_json(t, response_of(t, "completed", output_of(t)), FRAME_VALUE, 0);
}

const struct service responses_service = {
	.name = "responses",
	.key_ok = bearer_ok,
	.ok = ok,
	.refuse = refuse,
	.last = last,
	.wants_stream = wants_stream,
	.stream_type = "text/event-stream",
	.stream = stream,
	.whole = whole,
};
