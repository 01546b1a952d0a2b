/*
 * Ollama's own chat: POST {base}/api/chat, one JSON object a line.
 *
 * Calls have no ids there, or none that are to be relied on; results are told
 * apart by the name of the tool and their order.
 */
#include <string.h>

#include "base/json.h"
#include "llm/encode.h"
#include "llm/protocol.h"
#include "llm/reader.h"
#include "llm/turns.h"

/* The text of parts, and the data of their images apart. */
static json_t *encode_message(const char *role, const json_t *parts)
{
	json_t *images = json_array(), *out;
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part)
		json_array_append(images, json_object_get(part, "data"));
	out = lb_json_pack("{s:s, s:o}", "role", role, "content",
			   lb_turns_text(parts));
	if (json_array_size(images) > 0)
		json_object_set(out, "images", images);
	json_decref(images);
	return out;
}

static json_t *encode_assistant(const json_t *turn)
{
	json_t *out =
		encode_message("assistant", json_object_get(turn, "parts"));
	json_t *thinking =
		json_object_get(json_object_get(turn, "keep"), "thinking");
	json_t *calls = json_array();
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(turn, "calls"), i, call)
		json_array_append_new(
			calls,
			lb_json_pack("{s:{s:O, s:O}}", "function", "name",
				     json_object_get(call, "name"), "arguments",
				     json_object_get(call, "arguments")));
	if (json_array_size(calls) > 0)
		json_object_set(out, "tool_calls", calls);
	/* What led to an answer matters no more once that is given. */
	if (json_is_string(thinking) && json_array_size(calls) > 0)
		json_object_set(out, "thinking", thinking);
	json_decref(calls);
	return out;
}

/* Images of results go with the user who comes next. */
static void add_results(json_t *messages, const json_t *results)
{
	json_t *images = json_array(), *message;
	const json_t *result, *part;
	size_t i, n;

	json_array_foreach(results, i, result)
	{
		const json_t *parts = json_object_get(result, "parts");

		message = encode_message("tool", parts);
		json_object_del(message, "images");
		json_object_set(message, "tool_name",
				json_object_get(result, "name"));
		json_array_append_new(messages, message);
		json_array_foreach(parts, n,
				   part) if (json_object_get(part, "data"))
			json_array_append(images, (json_t *)(uintptr_t)part);
	}
	if (json_array_size(images) > 0) {
		message = encode_message("user", images);
		json_object_set_new(message, "content",
				    json_string("What the tool returned:"));
		json_array_append_new(messages, message);
	}
	json_decref(images);
}

static json_t *encode_messages(const json_t *turns)
{
	json_t *messages = json_array();
	const json_t *turn;
	size_t i;

	json_array_foreach(turns, i, turn)
	{
		const char *role = lb_json_str(turn, "role");
		const json_t *parts = json_object_get(turn, "parts");

		if (strcmp(role, "tool") == 0)
			add_results(messages, json_object_get(turn, "results"));
		else if (strcmp(role, "assistant") == 0)
			json_array_append_new(messages, encode_assistant(turn));
		else
			json_array_append_new(messages,
					      encode_message(lb_turns_is_system(
								     turn)
								     ? "system"
								     : role,
							     parts));
	}
	return messages;
}

/* The root, of which some have given the part for another protocol. */
static void put_url(struct lb_wire *wire, const char *base)
{
	size_t len = strlen(base);

	if (len > 3 && strcmp(base + len - 3, "/v1") == 0)
		len -= 3;
	lb_buf_put(&wire->url, base, len);
	if (len < 4 || strncmp(base + len - 4, "/api", 4) != 0)
		lb_buf_puts(&wire->url, "/api");
	lb_buf_puts(&wire->url, "/chat");
}

static int encode(const struct lb_model *model,
		  const struct lb_llm_request *request, struct lb_wire *wire,
		  struct lb_error *err)
{
	static const struct lb_option_place places[] = {
		{"temperature", "options.temperature"},
		{"top_p", "options.top_p"},
		{"top_k", "options.top_k"},
		{"min_p", "options.min_p"},
		{"seed", "options.seed"},
		{"stop", "options.stop"},
		{"num_ctx", "options.num_ctx"},
		{"max_tokens", "options.num_predict"},
		{"max_completion_tokens", "options.num_predict"},
		{"presence_penalty", "options.presence_penalty"},
		{"frequency_penalty", "options.frequency_penalty"},
		{"tool_choice", NULL},
		{NULL, NULL},
	};
	json_auto_t *body = json_object();
	json_auto_t *turns = lb_turns(model, request->messages, err);
	struct lb_tool_choice choice = lb_encode_choice(model, request);
	json_t *stop;

	if (!turns)
		return -1;
	lb_json_set_str(body, "model", model->name, strlen(model->name));
	json_object_set_new(body, "messages", encode_messages(turns));
	if (json_array_size(request->tools) > 0 && choice.how != LB_CHOOSE_NONE)
		json_object_set(body, "tools",
				(json_t *)(uintptr_t)request->tools);
	json_object_set_new(body, "stream", json_boolean(request->stream));
	if (lb_wire_options(wire, body, model, request, places, err) < 0)
		return -1;
	stop = lb_json_path(body, "options.stop");
	if (json_is_string(stop))
		lb_json_put(body, "options.stop", lb_json_pack("[O]", stop));
	put_url(wire, model->base_url);
	lb_buf_json(&wire->body, body);
	return 0;
}

/* The answer so far. */
struct state {
	struct lb_buf thinking;
	int64_t calls;
};

static void release(void *state)
{
	struct state *s = state;

	lb_buf_release(&s->thinking);
}

static json_t *keep(struct lb_reader *r)
{
	struct state *s = lb_reader_state(r);

	if (s->thinking.len == 0 || s->calls == 0)
		return NULL;
	return lb_json_pack("{s:o}", "thinking",
			    lb_json_text(s->thinking.data, s->thinking.len));
}

/* Each is whole. An index, where there is one, begins anew in each line. */
static void put_call(struct lb_reader *r, const json_t *call)
{
	struct state *s = lb_reader_state(r);
	const json_t *function = json_object_get(call, "function");
	json_t *given = json_object_get(function, "arguments");
	lb_autobuf struct lb_buf text = {0};

	if (json_is_object(given))
		lb_buf_json(&text, given);
	else if (json_is_string(given))
		lb_buf_put(&text, json_string_value(given),
			   json_string_length(given));
	lb_reader_tool(r, &(struct lb_call_piece){
				  .index = s->calls++,
				  .name = lb_json_str(function, "name"),
				  .arguments = lb_buf_str(&text),
				  .arguments_len = text.len,
				  .whole = true,
			  });
}

static void put_done(struct lb_reader *r, const json_t *value)
{
	const char *reason = lb_json_str(value, "done_reason");

	lb_reader_usage(r,
			(struct lb_usage){
				.input = lb_reader_count(value,
							 "prompt_eval_count"),
				.output = lb_reader_count(value, "eval_count"),
				.cached = -1,
			});
	if (!reason || !*reason || strcmp(reason, "stop") == 0)
		reason = lb_reader_has_calls(r) ? "tool_calls" : "stop";
	lb_reader_set_finish(r, reason);
	lb_reader_end(r);
}

/* A line of a stream, or the whole answer: they are alike. */
static int on_event(struct lb_reader *r, const json_t *value,
		    struct lb_error *err)
{
	struct state *s = lb_reader_state(r);
	const json_t *error = json_object_get(value, "error");
	const json_t *message = json_object_get(value, "message"), *call;
	const json_t *thinking = json_object_get(message, "thinking");
	size_t i;

	(void)err;
	if (error && !json_is_null(error)) {
		lb_reader_refused(r, error);
		return 0;
	}
	lb_buf_put(&s->thinking, json_string_value(thinking),
		   json_string_length(thinking));
	lb_reader_reasoning_at(r, message, "thinking");
	lb_reader_text_at(r, message, "content");
	json_array_foreach(json_object_get(message, "tool_calls"), i, call)
		put_call(r, call);
	if (json_is_true(json_object_get(value, "done")))
		put_done(r, value);
	return 0;
}

static int on_body(struct lb_reader *r, const json_t *value,
		   struct lb_error *err)
{
	if (!json_object_get(value, "error") &&
	    !json_object_get(value, "message"))
		return lb_fail(err, LB_PROTOCOL, "the answer has no message");
	return on_event(r, value, err);
}

const struct lb_protocol lb_ollama = {
	.name = "ollama-chat",
	.framing = LB_FRAMING_NDJSON,
	.models = {.path = "/api/tags", .list = "models", .id = "name"},
	.images = {.bytes = 20 << 20, .total = 64 << 20},
	.authorize = lb_wire_bearer,
	.encode = encode,
	.state_size = sizeof(struct state),
	.release = release,
	.event = on_event,
	.body = on_body,
	.keep = keep,
};
