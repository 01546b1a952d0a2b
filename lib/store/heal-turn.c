/* The messages of a turn, as any model takes them. */
#include <string.h>

#include "base/json.h"
#include "store/heal.h"

enum { MAX_TOLD = 200 };

struct repair {
	struct lb_buf *told;
	size_t n;
};

static void note(struct repair *r, const char *what)
{
	r->n++;
	if (r->told->len > MAX_TOLD)
		return;
	if (r->told->len > 0)
		lb_buf_puts(r->told, ", ");
	lb_buf_puts(r->told, what);
}

static bool is_role(const json_t *message, const char *role)
{
	const char *is = lb_json_str(message, "role");

	return is && strcmp(is, role) == 0;
}

/* A part that says nothing: no text, no data. */
static bool is_empty_part(const json_t *part)
{
	const char *type = lb_json_str(part, "type");
	const json_t *value = type ? json_object_get(part, type) : NULL;

	if (json_is_object(value)) /* {"image_url":{"url"}} */
		value = json_object_get(value, "url");
	return json_string_length(value) == 0;
}

/* What is said: a text, or parts; never empty, and null for nothing. */
static json_t *mend_content(struct repair *r, const json_t *content)
{
	json_t *parts, *part;
	size_t i;

	if (json_is_string(content))
		return json_string_length(content) > 0 ? json_deep_copy(content)
						       : json_null();
	if (!json_is_array(content)) {
		if (content && !json_is_null(content))
			note(r, "content that is no text");
		return json_null();
	}
	parts = json_array();
	json_array_foreach((json_t *)(uintptr_t)content, i, part)
	{
		if (is_empty_part(part))
			note(r, "an empty part");
		else
			json_array_append(parts, part);
	}
	if (json_array_size(parts) > 0)
		return parts;
	json_decref(parts);
	return json_null();
}

/* Arguments as a text that is a JSON object; broken ones are kept in one. */
static json_t *mend_arguments(struct repair *r, const json_t *arguments)
{
	lb_autobuf struct lb_buf text = {0};
	const char *s = json_string_value(arguments);
	json_auto_t *value = s ? json_loads(s, JSON_ALLOW_NUL, NULL) : NULL;

	if (json_is_object(value))
		return json_deep_copy(arguments);
	if (json_is_object(arguments)) {
		lb_buf_json(&text, arguments);
	} else if (json_string_length(arguments) == 0) {
		lb_buf_puts(&text, "{}");
	} else {
		lb_buf_puts(&text, "{\"truncated\":true,\"text\":");
		lb_buf_json_str(&text, s, strlen(s));
		lb_buf_putc(&text, '}');
	}
	note(r, "arguments that are no JSON object");
	return lb_json_text(text.data, text.len);
}

/* The tool message behind `at` that answers the call; NULL: there is none. */
static const json_t *answer_of(const json_t *messages, size_t at,
			       const char *id)
{
	for (at++; is_role(json_array_get(messages, at), "tool"); at++) {
		const json_t *m = json_array_get(messages, at);
		const char *of = lb_json_str(m, "tool_call_id");

		if (of && strcmp(of, id) == 0)
			return m;
	}
	return NULL;
}

static json_t *mend_call(struct repair *r, const json_t *call, const char *id,
			 const char *name)
{
	const json_t *function = json_object_get(call, "function");
	json_t *mended = json_deep_copy(call);

	json_object_set_new(mended, "id", json_string(id));
	json_object_set_new(mended, "type", json_string("function"));
	json_object_set_new(
		mended, "function",
		lb_json_pack("{s:s, s:o}", "name", name, "arguments",
			     mend_arguments(r, json_object_get(function,
							       "arguments"))));
	return mended;
}

/* Those calls of the message at `at` that are answered, and their answers. */
static void put_calls(struct repair *r, const json_t *messages, size_t at,
		      json_t *calls, json_t *answers)
{
	json_auto_t *seen = json_object();
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(json_array_get(messages, at),
					   "tool_calls"),
			   i, call)
	{
		const char *id = lb_json_str(call, "id");
		const char *name =
			lb_json_str(json_object_get(call, "function"), "name");
		const json_t *answer =
			id && *id ? answer_of(messages, at, id) : NULL;
		json_t *copy;

		if (!answer || !name || !*name || json_object_get(seen, id)) {
			note(r, "a call without its result");
			continue;
		}
		json_object_set_new(seen, id, json_true());
		json_array_append_new(calls, mend_call(r, call, id, name));
		copy = json_deep_copy(answer);
		json_object_set_new(copy, "tool_call_id", json_string(id));
		if (!json_is_string(json_object_get(copy, "content")) &&
		    !json_is_array(json_object_get(copy, "content")))
			json_object_set_new(copy, "content", json_string(""));
		json_array_append_new(answers, copy);
	}
}

/* A user's or an assistant's message; true when there was something in it. */
static bool put_message(struct repair *r, const json_t *messages, size_t at,
			json_t *out)
{
	const json_t *m = json_array_get(messages, at);
	bool assistant = is_role(m, "assistant");
	json_auto_t *calls = json_array(), *answers = json_array();
	json_auto_t *mended = json_deep_copy(m);
	json_t *content = mend_content(r, json_object_get(m, "content"));

	json_object_del(mended, "tool_calls");
	json_object_set_new(mended, "content", content);
	if (assistant)
		put_calls(r, messages, at, calls, answers);
	if (json_array_size(calls) > 0)
		json_object_set(mended, "tool_calls", calls);
	else if (json_is_null(content)) {
		note(r, "an empty message");
		return false;
	}
	json_array_append(out, mended);
	json_array_extend(out, answers);
	return true;
}

/* Messages one by one; what is no message of a turn is left out. */
static void put_messages(struct repair *r, const json_t *messages, json_t *out)
{
	const json_t *m;
	size_t i, kept = 0, tools = 0;

	json_array_foreach((json_t *)(uintptr_t)messages, i, m)
	{
		bool user = is_role(m, "user");

		tools += is_role(m, "tool");
		if (is_role(m, "tool"))
			continue; /* goes with its call */
		if (!user && !is_role(m, "assistant")) {
			note(r, "a message of no role");
		} else if (!user && json_array_size(out) == 0) {
			note(r, "an answer to nothing");
		} else {
			put_message(r, messages, i, out);
		}
	}
	json_array_foreach(out, i, m) kept += is_role(m, "tool");
	for (; kept < tools; kept++)
		note(r, "a result without its call");
}

size_t lb_heal_turn(json_t *messages, struct lb_buf *told)
{
	struct repair r = {told, 0};
	json_auto_t *out = json_array();
	const json_t *last;

	put_messages(&r, messages, out);
	/* A result that nobody made words of ends in the middle of a turn. */
	last = json_array_get(out, json_array_size(out) - 1);
	while (last && !is_role(last, "user") &&
	       (is_role(last, "tool") || json_object_get(last, "tool_calls"))) {
		note(&r, "a call without an answer behind it");
		json_array_remove(out, json_array_size(out) - 1);
		last = json_array_get(out, json_array_size(out) - 1);
	}
	if (is_role(last, "user")) {
		note(&r, "a question without an answer");
		json_array_clear(out);
	}
	json_array_clear(messages);
	json_array_extend(messages, out);
	return r.n;
}
