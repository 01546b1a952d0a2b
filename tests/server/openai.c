/*
 * openai.c - a chat completions endpoint that refuses what the real one
 * refuses, and answers everything else with one fixed text.
 */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "double.h"

static bool part_ok(const json_t *part, struct fault *f)
{
	const char *type = lb_json_str(part, "type");

	if (!type)
		return wrong(f, "messages", "a part needs a type");
	if (strcmp(type, "text") == 0 && !lb_json_str(part, "text"))
		return wrong(f, "messages", "a text part needs text");
	if (strcmp(type, "image_url") == 0) {
		const char *url =
			lb_json_str(json_object_get(part, "image_url"), "url");

		if (!url || !*url)
			return wrong(f, "messages",
				     "an image part needs a url");
		if (strncmp(url, "http://", 7) != 0 &&
		    strncmp(url, "https://", 8) != 0 &&
		    strncmp(url, "data:image/", 11) != 0)
			return wrong(f, "messages",
				     "Failed to download image from %s.", url);
	}
	return true;
}

static bool content_ok(const json_t *m, bool may_be_null, struct fault *f)
{
	const json_t *content = json_object_get(m, "content");
	json_t *part;
	size_t i;

	if (json_is_string(content))
		return true;
	if (may_be_null && (!content || json_is_null(content)))
		return true;
	if (!json_is_array(content) || json_array_size(content) == 0)
		return wrong(f, "messages", "content is no text and no list");
	json_array_foreach(content, i,
			   part) if (!part_ok(part, f)) return false;
	return true;
}

/* Is it of the family, by its name? */
static bool is_a(const json_t *body, const char *family)
{
	return strncmp(lb_json_str(body, "model"), family, strlen(family)) == 0;
}

/* What some take as an id of a call is not what others do. */
static bool id_ok(const json_t *body, const char *id, struct fault *f)
{
	if (is_a(body, "mistral-") &&
	    (strlen(id) != 9 || !name_ok(id, 9) || strpbrk(id, "_-")))
		return wrong(f, "messages",
			     "Tool call id was %s but must be a-z, A-Z, 0-9, "
			     "with a length of 9.",
			     id);
	if (is_a(body, "gpt-") && strlen(id) > 40)
		return wrong(f, "messages",
			     "Invalid 'tool_calls[0].id': string too long. "
			     "Expected a string with maximum length 40");
	return true;
}

/* Each call of a tool goes into `open`, which the tool messages empty. */
static bool calls_ok(const json_t *body, const json_t *calls, json_t *open,
		     struct fault *f)
{
	json_t *call;
	size_t i;

	if (!json_is_array(calls) || json_array_size(calls) == 0)
		return wrong(f, "messages", "tool_calls is no list");
	json_array_foreach(calls, i, call)
	{
		const json_t *fn = json_object_get(call, "function");
		const char *id = lb_json_str(call, "id");

		if (!id || !lb_json_str(call, "type") ||
		    !lb_json_str(fn, "name") || !lb_json_str(fn, "arguments"))
			return wrong(f, "messages", "a tool call is cut");
		if (!is_object_text(lb_json_str(fn, "arguments")))
			return wrong(f, "messages",
				     "arguments are no JSON object");
		if (!id_ok(body, id, f))
			return false;
		if (json_object_get(open, id))
			return wrong(f, "messages",
				     "a call's id is there twice");
		json_object_set_new(open, id, json_true());
	}
	return true;
}

/* A model that thinks wants to see what it thought, or that there is some. */
static bool reasoning_ok(const json_t *body, const json_t *m, struct fault *f)
{
	const char *text = lb_json_str(m, "reasoning_content");

	return !is_a(body, "kimi-") || !json_object_get(m, "tool_calls") ||
	       (text && *text) ||
	       wrong(f, "messages",
		     "thinking is enabled but reasoning_content is missing in "
		     "assistant tool call message");
}

static bool message_ok(const json_t *body, const json_t *m, json_t *open,
		       struct fault *f)
{
	static const char *const roles[] = {"system",    "developer", "user",
					    "assistant", "tool",      NULL};
	const char *role = lb_json_str(m, "role");
	const json_t *calls = json_object_get(m, "tool_calls");
	const char *id = lb_json_str(m, "tool_call_id");

	if (!is_one_of(role, roles))
		return wrong(f, "messages", "a message has no such role");
	if (strcmp(role, "tool") == 0) {
		if (!id || json_object_del(open, id) < 0)
			return wrong(f, "messages",
				     "a tool message answers no tool call");
	} else if (json_object_size(open) > 0) {
		return wrong(f, "messages", "a tool call was not answered");
	}
	if (calls && strcmp(role, "assistant") != 0)
		return wrong(f, "messages", "only an assistant calls tools");
	if (calls && !calls_ok(body, calls, open, f))
		return false;
	if (!reasoning_ok(body, m, f))
		return false;
	/* not all refuse it, but some do */
	if (!calls && strcmp(role, "assistant") == 0 &&
	    json_is_string(json_object_get(m, "content")) &&
	    json_string_length(json_object_get(m, "content")) == 0)
		return wrong(f, "messages", "an assistant says nothing");
	return content_ok(m, calls != NULL, f);
}

static bool messages_ok(const json_t *body, struct fault *f)
{
	const json_t *messages = json_object_get(body, "messages");
	json_auto_t *open = json_object();
	json_t *m;
	size_t i;

	if (!json_is_array(messages))
		return wrong(f, "messages", "messages is no list");
	if (json_array_size(messages) == 0)
		return wrong(f, "messages", "messages is empty");
	json_array_foreach(messages, i,
			   m) if (!message_ok(body, m, open, f)) return false;
	if (json_object_size(open) > 0)
		return wrong(f, "messages", "a tool call was not answered");
	return true;
}

static bool tools_ok(const json_t *tools, struct fault *f)
{
	json_t *tool;
	size_t i;

	if (!tools)
		return true;
	if (!json_is_array(tools) || json_array_size(tools) == 0)
		return wrong(f, "tools", "tools is no list or empty");
	json_array_foreach(tools, i, tool)
	{
		const char *type = lb_json_str(tool, "type");
		const char *name =
			lb_json_str(json_object_get(tool, "function"), "name");

		if (!type || strcmp(type, "function") != 0 || !name)
			return wrong(f, "tools", "a tool has no name");
		if (!name_ok(name, 64))
			return wrong(f, "tools", "a tool has a bad name");
	}
	return true;
}

static bool options_ok(const json_t *body, struct fault *f)
{
	const json_t *stream = json_object_get(body, "stream");
	const json_t *options = json_object_get(body, "stream_options");
	const json_t *format = json_object_get(body, "response_format");

	if (stream && !json_is_boolean(stream) && !json_is_null(stream))
		return wrong(f, "stream", "stream is not true or false");
	if (options && !json_is_true(stream))
		return wrong(f, "stream_options", "only allowed with stream");
	if (options && !json_is_object(options))
		return wrong(f, "stream_options", "not an object");
	if (format && !lb_json_str(format, "type"))
		return wrong(f, "response_format", "has no type");
	return in_range(body, "temperature", 0, 2, f) &&
	       in_range(body, "top_p", 0, 1, f) &&
	       in_range(body, "presence_penalty", -2, 2, f) &&
	       in_range(body, "frequency_penalty", -2, 2, f) &&
	       in_range(body, "max_tokens", 1, 1e9, f) &&
	       in_range(body, "max_completion_tokens", 1, 1e9, f);
}

static bool ok(const struct request *r, const json_t *body, struct fault *f)
{
	(void)r;
	if (!lb_json_str(body, "model") || !*lb_json_str(body, "model"))
		return wrong(f, "model", "you must provide a model");
	return messages_ok(body, f) &&
	       tools_ok(json_object_get(body, "tools"), f) &&
	       options_ok(body, f);
}

static json_t *refuse(const struct fault *f)
{
	return lb_json_pack("{s:{s:s,s:s,s:s?,s:s}}", "error", "message",
			    f->message, "type", "invalid_request_error",
			    "param", f->param, "code", f->code);
}

static const char *last(const json_t *body, bool *tools)
{
	const json_t *messages = json_object_get(body, "messages");
	const char *text = "", *before = NULL;
	bool shown;
	json_t *m, *part;
	size_t i, j;

	json_array_foreach(messages, i, m)
	{
		const char *role = lb_json_str(m, "role");
		const json_t *content = json_object_get(m, "content");

		*tools |= strcmp(role, "tool") == 0;
		/* right behind what tools say is what they show */
		shown = before && strcmp(before, "tool") == 0;
		before = role;
		if (strcmp(role, "user") != 0 || shown)
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

/* In a stream it counts for one token, whatever it is. */
static json_t *usage_of(const struct turn *t, bool streamed)
{
	int in = (int)json_array_size(json_object_get(t->body, "messages"));
	int out = streamed ? 1 : (int)strlen(t->text);

	return lb_json_pack("{s:i,s:i,s:i}", "prompt_tokens", in,
			    "completion_tokens", out, "total_tokens", in + out);
}

static void chunk(struct turn *t, json_t *take_delta, const char *finish)
{
	send_json(t,
		  lb_json_pack("{s:s,s:s,s:i,s:s,s:[{s:i,s:o,s:s?}]}", "id",
			       "chatcmpl-1", "object", "chat.completion.chunk",
			       "created", 1, "model",
			       lb_json_str(t->body, "model"), "choices",
			       "index", 0, "delta", take_delta, "finish_reason",
			       finish),
		  FRAME_EVENT, t->how->pace_ms);
}

static void word(void *arg, const char *text, size_t n)
{
	chunk(arg, lb_json_pack("{s:o}", "content", lb_json_text(text, n)),
	      NULL);
}

/* A call, with its arguments or without. */
static json_t *call_of(const struct turn *t, size_t i, bool whole)
{
	const json_t *call = json_array_get(t->calls, i);
	lb_autofree char *id =
		lb_printf("call_%zu_of_%zu", i,
			  json_array_size(
				  json_object_get(t->body, "messages")));
	lb_autofree char *arguments =
		json_dumps(json_object_get(call, "arguments"), JSON_COMPACT);

	return lb_json_pack("{s:s,s:s,s:{s:O,s:s}}", "id", id, "type",
			    "function", "function", "name",
			    json_object_get(call, "name"), "arguments",
			    whole ? arguments : "");
}

static void stream_call(struct turn *t, size_t i)
{
	json_t *first = call_of(t, i, false), *rest = call_of(t, i, true);

	json_object_set_new(first, "index", json_integer((json_int_t)i));
	chunk(t, lb_json_pack("{s:[o]}", "tool_calls", first), NULL);
	json_object_del(rest, "id");
	json_object_del(rest, "type");
	json_object_del(json_object_get(rest, "function"), "name");
	json_object_set_new(rest, "index", json_integer((json_int_t)i));
	chunk(t, lb_json_pack("{s:[o]}", "tool_calls", rest), NULL);
}

static const char *finish_of(const struct turn *t)
{
	return json_array_size(t->calls) ? "tool_calls" : "stop";
}

static void stream(struct turn *t)
{
	if (is_a(t->body, "kimi-"))
		chunk(t,
		      lb_json_pack("{s:s}", "reasoning_content",
				   "Tools it is."),
		      NULL);
	chunk(t, lb_json_pack("{s:s,s:s}", "role", "assistant", "content", ""),
	      NULL);
	each_word(t->text, word, t);
	for (size_t i = 0; i < json_array_size(t->calls); i++)
		stream_call(t, i);
	chunk(t, json_object(), finish_of(t));
	if (lb_json_bool(json_object_get(t->body, "stream_options"),
			 "include_usage", false))
		send_json(t,
			  lb_json_pack("{s:s,s:s,s:i,s:s,s:[],s:o}", "id",
				       "chatcmpl-1", "object",
				       "chat.completion.chunk", "created", 1,
				       "model", lb_json_str(t->body, "model"),
				       "choices", "usage", usage_of(t, true)),
			  FRAME_EVENT, 0);
	plan_add(t->plan, STEP_SEND, "data: [DONE]\n\n", 14, 0);
}

static void whole(struct turn *t)
{
	json_t *message = lb_json_pack("{s:s,s:s}", "role", "assistant",
				       "content", t->text);
	json_t *calls = json_array();

	if (is_a(t->body, "kimi-"))
		json_object_set_new(message, "reasoning_content",
				    json_string("Tools it is."));
	for (size_t i = 0; i < json_array_size(t->calls); i++)
		json_array_append_new(calls, call_of(t, i, true));
	if (json_array_size(calls) > 0)
		json_object_set(message, "tool_calls", calls);
	json_decref(calls);
	send_json(t,
		  lb_json_pack("{s:s,s:s,s:i,s:s,s:[{s:i,s:o,s:s}],s:o}", "id",
			       "chatcmpl-1", "object", "chat.completion",
			       "created", 1, "model",
			       lb_json_str(t->body, "model"), "choices",
			       "index", 0, "message", message, "finish_reason",
			       finish_of(t), "usage", usage_of(t, false)),
		  FRAME_VALUE, 0);
}

const struct service openai_service = {
	.name = "openai",
	.key_ok = bearer_ok,
	.ok = ok,
	.refuse = refuse,
	.last = last,
	.wants_stream = wants_stream,
	.stream_type = "text/event-stream",
	.stream = stream,
	.whole = whole,
};
