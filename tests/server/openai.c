/*
 * openai.c - a chat completions endpoint that refuses what the real one
 * refuses, and answers everything else with one fixed text.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "script.h"

/* What is wrong, or NULL. `param` names the field. */
struct fault {
	int status;
	const char *code, *param;
	const char *message;
};

static bool wrong(struct fault *f, const char *param, const char *message)
{
	*f = (struct fault){400, "invalid_request_error", param, message};
	return false;
}

static bool is_one_of(const char *s, const char *const *list)
{
	for (; s && *list; list++)
		if (strcmp(s, *list) == 0)
			return true;
	return false;
}

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

static bool is_object_text(const char *text)
{
	json_auto_t *value = json_loads(text, 0, NULL);

	return json_is_object(value);
}

/* Each call of a tool goes into `open`, which the tool messages empty. */
static bool calls_ok(const json_t *calls, json_t *open, struct fault *f)
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
		if (json_object_get(open, id))
			return wrong(f, "messages",
				     "a call's id is there twice");
		json_object_set_new(open, id, json_true());
	}
	return true;
}

static bool message_ok(const json_t *m, json_t *open, struct fault *f)
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
	if (calls && !calls_ok(calls, open, f))
		return false;
	/* not all refuse it, but some do */
	if (!calls && strcmp(role, "assistant") == 0 &&
	    json_is_string(json_object_get(m, "content")) &&
	    json_string_length(json_object_get(m, "content")) == 0)
		return wrong(f, "messages", "an assistant says nothing");
	return content_ok(m, calls != NULL, f);
}

static bool messages_ok(const json_t *messages, struct fault *f)
{
	json_auto_t *open = json_object();
	json_t *m;
	size_t i;

	if (!json_is_array(messages))
		return wrong(f, "messages", "messages is no list");
	if (json_array_size(messages) == 0)
		return wrong(f, "messages", "messages is empty");
	json_array_foreach(messages, i,
			   m) if (!message_ok(m, open, f)) return false;
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
		if (!*name || strlen(name) > 64 ||
		    name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-")])
			return wrong(f, "tools", "a tool has a bad name");
	}
	return true;
}

static bool in_range(const json_t *body, const char *key, double low,
		     double high, struct fault *f)
{
	const json_t *v = json_object_get(body, key);

	if (!v || json_is_null(v))
		return true;
	if (!json_is_number(v) || json_number_value(v) < low ||
	    json_number_value(v) > high)
		return wrong(f, key, "out of range or not a number");
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

static bool key_ok(const struct openai *how, const struct request *r,
		   struct fault *f)
{
	const char *given = lb_json_str(r->headers, "authorization");

	if (given && strncmp(given, "Bearer ", 7) == 0 && given[7] &&
	    (!how->key || strcmp(given + 7, how->key) == 0))
		return true;
	*f = (struct fault){401, "invalid_api_key", NULL,
			    given ? "incorrect API key provided"
				  : "you did not provide an API key"};
	return false;
}

static bool request_ok(const struct openai *how, const struct request *r,
		       const json_t *body, struct fault *f)
{
	const char *type = lb_json_str(r->headers, "content-type");

	if (!key_ok(how, r, f))
		return false;
	if (!type || !strstr(type, "application/json"))
		return wrong(f, NULL, "the content type is not JSON");
	if (!json_is_object(body))
		return wrong(f, NULL, "could not parse the JSON body");
	if (!lb_json_str(body, "model") || !*lb_json_str(body, "model"))
		return wrong(f, "model", "you must provide a model");
	return messages_ok(json_object_get(body, "messages"), f) &&
	       tools_ok(json_object_get(body, "tools"), f) &&
	       options_ok(body, f);
}

static const char *last_user_text(const json_t *body)
{
	const json_t *messages = json_object_get(body, "messages");
	const char *last = "";
	json_t *m, *part;
	size_t i, j;

	json_array_foreach(messages, i, m)
	{
		const char *role = lb_json_str(m, "role");
		const json_t *content = json_object_get(m, "content");

		if (!role || strcmp(role, "user") != 0)
			continue;
		if (json_is_string(content))
			last = json_string_value(content);
		json_array_foreach(content, j,
				   part) if (lb_json_str(part, "text")) last =
			lb_json_str(part, "text");
	}
	return last;
}

static char *answer_text(const struct openai *how, const json_t *body)
{
	const char *last = last_user_text(body), *at;
	struct lb_buf out = {0};

	for (const char *p = how->answer; *p; p = at + 6) {
		at = strstr(p, "{last}");
		lb_buf_put(&out, p, at ? (size_t)(at - p) : strlen(p));
		if (!at)
			break;
		lb_buf_puts(&out, last);
	}
	return lb_buf_take(&out);
}

static void send_json(struct plan *plan, json_t *take, bool as_event, int ms)
{
	lb_autobuf struct lb_buf out = {0};

	if (as_event)
		lb_buf_puts(&out, "data: ");
	lb_buf_json(&out, take);
	if (as_event)
		lb_buf_puts(&out, "\n\n");
	plan_add(plan, STEP_SEND, out.data, out.len, ms);
	json_decref(take);
}

static json_t *usage_of(const json_t *body, const char *text)
{
	int in = (int)json_array_size(json_object_get(body, "messages"));
	int out = (int)strlen(text);

	return lb_json_pack("{s:i,s:i,s:i}", "prompt_tokens", in,
			    "completion_tokens", out, "total_tokens", in + out);
}

static json_t *chunk(const json_t *body, json_t *take_choices)
{
	return lb_json_pack("{s:s,s:s,s:i,s:s,s:o}", "id", "chatcmpl-1",
			    "object", "chat.completion.chunk", "created", 1,
			    "model", lb_json_str(body, "model"), "choices",
			    take_choices);
}

static void send_stream(const struct openai *how, const json_t *body,
			const char *text, struct plan *plan)
{
	json_t *last;

	lb_buf_puts(&plan->headers, "Content-Type: text/event-stream\r\n");
	plan->chunked = true;
	send_json(plan,
		  chunk(body, lb_json_pack("[{s:i,s:{s:s,s:s},s:n}]", "index",
					   0, "delta", "role", "assistant",
					   "content", "", "finish_reason")),
		  true, how->pace_ms);
	for (size_t n; *text; text += n) {
		n = strspn(text, " ");
		n += strcspn(text + n, " ");
		send_json(plan,
			  chunk(body,
				lb_json_pack("[{s:i,s:{s:o},s:n}]", "index", 0,
					     "delta", "content",
					     lb_json_text(text, n),
					     "finish_reason")),
			  true, how->pace_ms);
	}
	send_json(plan,
		  chunk(body, lb_json_pack("[{s:i,s:{},s:s}]", "index", 0,
					   "delta", "finish_reason", "stop")),
		  true, 0);
	if (lb_json_bool(json_object_get(body, "stream_options"),
			 "include_usage", false)) {
		last = chunk(body, json_array());
		json_object_set_new(last, "usage", usage_of(body, "x"));
		send_json(plan, last, true, 0);
	}
	plan_add(plan, STEP_SEND, "data: [DONE]\n\n", 14, 0);
}

static void send_whole(const json_t *body, const char *text, struct plan *plan)
{
	lb_buf_puts(&plan->headers, "Content-Type: application/json\r\n");
	send_json(plan,
		  lb_json_pack("{s:s,s:s,s:i,s:s,s:[{s:i,s:{s:s,s:o},s:s}],"
			       "s:o}",
			       "id", "chatcmpl-1", "object", "chat.completion",
			       "created", 1, "model",
			       lb_json_str(body, "model"), "choices", "index",
			       0, "message", "role", "assistant", "content",
			       lb_json_text(text, strlen(text)),
			       "finish_reason", "stop", "usage",
			       usage_of(body, text)),
		  false, 0);
}

void openai_answer(const struct openai *how, const struct request *r,
		   struct reply *out)
{
	json_auto_t *body =
		json_loadb(r->body, r->body_len, JSON_ALLOW_NUL, NULL);
	struct fault f = {0};
	struct plan plan;

	plan_init(&plan);
	if (!request_ok(how, r, body, &f)) {
		plan.status = f.status;
		lb_buf_puts(&plan.headers,
			    "Content-Type: application/json\r\n");
		send_json(&plan,
			  lb_json_pack("{s:{s:s,s:s,s:s?,s:s}}", "error",
				       "message", f.message, "type",
				       "invalid_request_error", "param",
				       f.param, "code", f.code),
			  false, 0);
	} else {
		lb_autofree char *text = answer_text(how, body);

		plan.status = 200;
		if (lb_json_bool(body, "stream", false))
			send_stream(how, body, text, &plan);
		else
			send_whole(body, text, &plan);
	}
	plan_build(&plan, out);
	plan_release(&plan);
}
