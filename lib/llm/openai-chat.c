/*
 * OpenAI chat completions, and the many who speak it.
 * spec: POST {base}/chat/completions, server-sent events or one JSON value.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "llm/encode.h"
#include "llm/openai-chat.h"
#include "llm/protocol.h"
#include "llm/reader.h"
#include "llm/reasoning.h"
#include "llm/turns.h"

/* What is known to be refused, so that nobody has to be refused first. */
static void fit(json_t *body, const struct lb_model *model)
{
	static const char *const refused[] = {"temperature", "top_p",
					      "presence_penalty",
					      "frequency_penalty"};
	json_t *most = json_object_get(body, "max_tokens");

	if (most && lb_reasoning_fits(model, "o[134]|o[134]-*|gpt-5*")) {
		json_object_set(body, "max_completion_tokens", most);
		json_object_del(body, "max_tokens");
	}
	if (!lb_reasoning_fits(model, "o[134]|o[134]-*|gpt-5|gpt-5-*"))
		return;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (json_object_get(body, refused[i])) {
			lb_log(LB_INFO, NULL, "%s takes no '%s': left out",
			       model->label, refused[i]);
			json_object_del(body, refused[i]);
		}
}

static int encode(const struct lb_model *model,
		  const struct lb_llm_request *request, struct lb_wire *wire,
		  struct lb_error *err)
{
	json_auto_t *body = json_object();
	json_auto_t *turns = lb_turns(model, request->messages, err);

	if (!turns)
		return -1;
	lb_json_set_str(body, "model", model->name, strlen(model->name));
	json_object_set_new(body, "messages",
			    lb_encode_chat(model, request, turns));
	if (json_array_size(request->tools) > 0) {
		json_object_set(body, "tools",
				(json_t *)(uintptr_t)request->tools);
		json_object_set_new(body, "tool_choice", json_string("auto"));
	}
	if (request->stream)
		json_object_set_new(body, "stream", json_true());
	if (request->stream &&
	    lb_json_bool(model->about, "stream-usage", true)) {
		json_object_set_new(body, "stream_options",
				    lb_json_pack("{s:b}", "include_usage", 1));
	}
	if (lb_wire_options(wire, body, model, request, NULL, err) < 0)
		return -1;
	fit(body, model);
	lb_buf_puts(&wire->url, model->base_url);
	lb_buf_puts(&wire->url, "/chat/completions");
	lb_buf_json(&wire->body, body);
	return 0;
}

/* Content is a string, or an array of parts. */
static void put_content(struct lb_reader *r, const json_t *content)
{
	const json_t *part;
	size_t i;

	if (json_is_string(content))
		lb_reader_text(r, json_string_value(content),
			       json_string_length(content));
	json_array_foreach(content, i, part)
	{
		const json_t *text = json_object_get(part, "text");

		if (json_is_string(part))
			text = part;
		lb_reader_text(r, json_string_value(text),
			       json_string_length(text));
	}
}

static void release(void *state)
{
	struct lb_openai_chat_state *s = state;

	lb_buf_release(&s->reasoning);
	lb_buf_release(&s->text);
}

static json_t *keep(struct lb_reader *r)
{
	struct lb_openai_chat_state *s = lb_reader_state(r);

	if (s->reasoning.len == 0)
		return NULL;
	return lb_json_pack("{s:o}", "reasoning_content",
			    lb_json_text(s->reasoning.data, s->reasoning.len));
}

static void put_reasoning(struct lb_reader *r, const json_t *delta)
{
	const json_t *text = json_object_get(delta, "reasoning_content");
	struct lb_openai_chat_state *s = lb_reader_state(r);
	const json_t *detail;
	size_t i;

	if (json_is_string(text)) {
		lb_buf_put(&s->reasoning, json_string_value(text),
			   json_string_length(text));
		lb_reader_reasoning_at(r, delta, "reasoning_content");
		return;
	}
	if (json_is_string(json_object_get(delta, "reasoning"))) {
		lb_reader_reasoning_at(r, delta, "reasoning");
		return;
	}
	json_array_foreach(json_object_get(delta, "reasoning_details"), i,
			   detail) lb_reader_reasoning_at(r, detail, "text");
}

/* `whole`: not a piece of a stream, so each is a call of its own. */
static void put_call(struct lb_reader *r, const json_t *call, size_t position,
		     size_t together, bool whole)
{
	const json_t *function = json_object_get(call, "function");
	const json_t *arguments = json_object_get(function, "arguments");
	struct lb_call_piece piece = {
		.index = -1,
		.position = position,
		.together = together,
		.id = lb_json_str(call, "id"),
		.name = lb_json_str(function, "name"),
		.arguments = json_string_value(arguments),
		.arguments_len = json_string_length(arguments),
		.whole = whole,
	};
	lb_autobuf struct lb_buf text = {0};

	if (whole)
		piece.index = (int64_t)position;
	else
		lb_json_int(call, "index", &piece.index);
	if (json_is_object(arguments)) {
		lb_buf_json(&text, arguments);
		piece.arguments = text.data;
		piece.arguments_len = text.len;
	}
	lb_reader_tool(r, &piece);
}

/* A delta of a stream, or the message of a whole answer. */
static void put_message(struct lb_reader *r, const json_t *message, bool whole)
{
	const json_t *calls = json_object_get(message, "tool_calls");
	const json_t *call;
	size_t i;

	put_reasoning(r, message);
	put_content(r, json_object_get(message, "content"));
	json_array_foreach(calls, i, call)
		put_call(r, call, i, json_array_size(calls), whole);
}

static void put_usage(struct lb_reader *r, const json_t *value)
{
	const json_t *usage = json_object_get(value, "usage");

	if (!json_is_object(usage))
		return;
	lb_reader_usage(
		r,
		(struct lb_usage){
			.input = lb_reader_count(usage, "prompt_tokens"),
			.output = lb_reader_count(usage, "completion_tokens"),
			.cached =
				lb_reader_count(json_object_get(usage,
								"prompt_tokens_"
								"details"),
						"cached_tokens"),
		});
}

/* {"error": ...} at the top, or in the first choice. */
static bool put_error(struct lb_reader *r, const json_t *value,
		      const json_t *choice)
{
	const json_t *error = json_object_get(value, "error");

	if (!error || json_is_null(error))
		error = json_object_get(choice, "error");
	if (!error || json_is_null(error))
		return false;
	lb_reader_refused(r, error);
	return true;
}

static void put_finish(struct lb_reader *r, const json_t *choice)
{
	const char *reason = lb_json_str(choice, "finish_reason");

	if (reason && *reason)
		lb_reader_set_finish(r, reason);
}

static int on_event(struct lb_reader *r, const json_t *value,
		    struct lb_error *err)
{
	const json_t *choice =
		json_array_get(json_object_get(value, "choices"), 0);
	const json_t *delta = json_object_get(choice, "delta");

	(void)err;
	if (put_error(r, value, choice))
		return 0;
	put_usage(r, value);
	put_message(r, delta ? delta : json_object_get(choice, "message"),
		    false);
	put_finish(r, choice);
	return 0;
}

static int on_body(struct lb_reader *r, const json_t *value,
		   struct lb_error *err)
{
	const json_t *choice =
		json_array_get(json_object_get(value, "choices"), 0);

	if (put_error(r, value, choice))
		return 0;
	if (!choice)
		return lb_fail(err, LB_PROTOCOL, "the answer has no choices");
	put_usage(r, value);
	put_message(r, json_object_get(choice, "message"), true);
	put_finish(r, choice);
	return 0;
}

const struct lb_protocol lb_openai_chat = {
	.name = "openai-chat",
	.models = {.path = "/models", .list = "data", .id = "id"},
	.authorize = lb_wire_bearer,
	.encode = encode,
	.images = {.bytes = 20 << 20,
		   .count = 500,
		   .total = 37 << 20, /* 50 MB of base64 */
		   .urls = LB_HTTP_URLS},
	.state_size = sizeof(struct lb_openai_chat_state),
	.release = release,
	.keep = keep,
	.quick = lb_openai_chat_quick,
	.event = on_event,
	.body = on_body,
};
