/*
 * Anthropic's Messages, the requests: POST {base}/v1/messages.
 *
 * One user message answers all calls of the message before it, in their order.
 * Blocks of thinking go back as they came, where they came.
 */
#include "llm/anthropic.h"

#include <string.h>

#include "base/json.h"
#include "llm/encode.h"
#include "llm/layout.h"
#include "llm/turns.h"

enum { MAX_TOKENS = 4096, MAX_TOKENS_ADAPTIVE = 16000 };

static void authorize(const struct lb_model *model, struct lb_wire *wire)
{
	struct lb_error err;

	if (model->key)
		lb_wire_secret(wire, "x-api-key", "", model->key);
	lb_wire_header(wire, "anthropic-version", "2023-06-01", &err);
}

static json_t *encode_part(const json_t *part)
{
	json_t *text = json_object_get(part, "text");
	json_t *url = json_object_get(part, "url");

	if (text)
		return lb_json_pack("{s:s, s:O}", "type", "text", "text", text);
	if (url)
		return lb_json_pack("{s:s, s:{s:s, s:O}}", "type", "image",
				    "source", "type", "url", "url", url);
	return lb_json_pack("{s:s, s:{s:s, s:O, s:O}}", "type", "image",
			    "source", "type", "base64", "media_type",
			    json_object_get(part, "mime"), "data",
			    json_object_get(part, "data"));
}

/* A text of blanks alone is refused like an empty one. */
static bool is_blank(const json_t *part)
{
	const char *text = lb_json_str(part, "text");

	return text && !text[strspn(text, " \t\r\n")];
}

static void add_parts(json_t *blocks, const json_t *parts)
{
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part) if (!is_blank(part))
		json_array_append_new(blocks, encode_part(part));
}

static json_t *encode_call(const json_t *call)
{
	return lb_json_pack("{s:s, s:O, s:O, s:O}", "type", "tool_use", "id",
			    json_object_get(call, "id"), "name",
			    json_object_get(call, "name"), "input",
			    json_object_get(call, "arguments"));
}

static void add_laid(void *blocks, const struct lb_laid *laid)
{
	if (laid->kind == LB_LAID_PARTS)
		add_parts(blocks, laid->value);
	else if (laid->kind == LB_LAID_CALL)
		json_array_append_new(blocks, encode_call(laid->value));
	else
		json_array_append(blocks, (json_t *)(uintptr_t)laid->value);
}

static void add_results(json_t *blocks, const json_t *results)
{
	const json_t *result;
	size_t i;

	json_array_foreach(results, i, result)
	{
		bool failed = json_is_true(json_object_get(result, "is_error"));
		json_t *content = json_array(), *block;

		add_parts(content, json_object_get(result, "parts"));
		if (failed && json_array_size(content) == 0)
			json_array_append_new(content,
					      lb_json_pack("{s:s, s:s}", "type",
							   "text", "text",
							   "failed"));
		block = lb_json_pack("{s:s, s:O, s:o}", "type", "tool_result",
				     "tool_use_id",
				     json_object_get(result, "id"), "content",
				     content);
		if (json_array_size(content) == 0)
			json_object_del(block, "content");
		if (failed)
			json_object_set_new(block, "is_error", json_true());
		json_array_append_new(blocks, block);
	}
}

/* The blocks that go on with the last message, or begin one of that role. */
static json_t *blocks_for(json_t *messages, const char *role)
{
	const json_t *last =
		json_array_get(messages, json_array_size(messages) - 1);
	const char *is = lb_json_str(last, "role");
	json_t *blocks;

	if (is && strcmp(is, role) == 0)
		return json_object_get(last, "content");
	blocks = json_array();
	json_array_append_new(messages, lb_json_pack("{s:s, s:o}", "role", role,
						     "content", blocks));
	return blocks;
}

/* New; NULL when nothing is said that this protocol can say. */
static json_t *encode_messages(const json_t *turns, struct lb_error *err)
{
	json_t *messages = json_array();
	const json_t *turn;
	size_t i;

	json_array_foreach(turns, i, turn)
	{
		const char *role = lb_json_str(turn, "role");
		json_auto_t *blocks = json_array();
		bool ours = strcmp(role, "assistant") == 0;

		if (lb_turns_is_system(turn))
			continue;
		if (ours)
			lb_layout_walk(turn, add_laid, blocks);
		else if (strcmp(role, "tool") == 0)
			add_results(blocks, json_object_get(turn, "results"));
		else
			add_parts(blocks, json_object_get(turn, "parts"));
		if (json_array_size(blocks) == 0)
			continue;
		if (ours && json_array_size(messages) == 0)
			json_array_append_new(blocks_for(messages, "user"),
					      lb_json_pack("{s:s, s:s}", "type",
							   "text", "text",
							   "(conversation)"));
		json_array_extend(blocks_for(messages,
					     ours ? "assistant" : "user"),
				  blocks);
	}
	if (json_array_size(messages) > 0)
		return messages;
	json_decref(messages);
	lb_fail(err, LB_USAGE, "there are no messages");
	return NULL;
}

static json_t *encode_tools(const json_t *tools)
{
	json_t *out = json_array();
	const json_t *tool;
	size_t i;

	json_array_foreach(tools, i, tool)
	{
		struct lb_tool_view v = lb_encode_tool(tool);
		json_t *one = lb_json_pack("{s:s}", "name", v.name);

		if (v.description)
			json_object_set(one, "description", v.description);
		if (v.parameters)
			json_object_set(one, "input_schema", v.parameters);
		else
			json_object_set_new(one, "input_schema",
					    lb_json_pack("{s:s, s:{}}", "type",
							 "object",
							 "properties"));
		json_array_append_new(out, one);
	}
	return out;
}

static void add_tools(json_t *body, const struct lb_model *model,
		      const struct lb_llm_request *request)
{
	static const char *const how[] = {
		[LB_CHOOSE_AUTO] = "auto",
		[LB_CHOOSE_NONE] = "none",
		[LB_CHOOSE_ANY] = "any",
		[LB_CHOOSE_ONE] = "tool",
	};
	struct lb_tool_choice choice = lb_encode_choice(model, request);

	if (json_array_size(request->tools) == 0)
		return;
	json_object_set_new(body, "tools", encode_tools(request->tools));
	json_object_set_new(body, "tool_choice",
			    lb_json_pack("{s:s, s:s*}", "type", how[choice.how],
					 "name", choice.name));
}

/*
 * Does the answer that the request goes on with begin without its thinking? Who
 * calls tools and thinks has to show both, and another model's thinking is
 * nothing that could be shown.
 */
static bool goes_on_without(const json_t *messages)
{
	size_t n = json_array_size(messages);
	const json_t *last = json_array_get(messages, n - 1), *block;
	const char *type, *role = lb_json_str(last, "role");

	if (n < 2 || strcmp(role, "user") != 0)
		return false;
	block = json_array_get(json_object_get(last, "content"), 0);
	type = lb_json_str(block, "type");
	if (!type || strcmp(type, "tool_result") != 0)
		return false;
	last = json_array_get(messages, n - 2);
	block = json_array_get(json_object_get(last, "content"), 0);
	type = lb_json_str(block, "type");
	return type && strcmp(type, "thinking") != 0 &&
	       strcmp(type, "redacted_thinking") != 0;
}

/* What may not stand beside thinking, and how long the answer may be. */
static void fit(json_t *body)
{
	const json_t *thinking = json_object_get(body, "thinking");
	const char *type = lb_json_str(thinking, "type");
	const char *choice =
		lb_json_str(json_object_get(body, "tool_choice"), "type");
	json_t *stop = json_object_get(body, "stop_sequences");
	int64_t most = MAX_TOKENS, budget = 0;

	if (json_is_string(stop))
		json_object_set_new(body, "stop_sequences",
				    lb_json_pack("[O]", stop));
	if (type && strcmp(type, "adaptive") == 0)
		most = MAX_TOKENS_ADAPTIVE;
	lb_json_int(body, "max_tokens", &most);
	lb_json_int(thinking, "budget_tokens", &budget);
	if (most <= budget)
		most += budget;
	json_object_set_new(body, "max_tokens", json_integer(most));
	if (!type || strcmp(type, "disabled") == 0)
		return;
	json_object_del(body, "temperature");
	json_object_del(body, "top_p");
	json_object_del(body, "top_k");
	if (choice && strcmp(choice, "none") != 0)
		json_object_set_new(body, "tool_choice",
				    lb_json_pack("{s:s}", "type", "auto"));
}

static int encode(const struct lb_model *model,
		  const struct lb_llm_request *request, struct lb_wire *wire,
		  struct lb_error *err)
{
	static const struct lb_option_place places[] = {
		{"max_completion_tokens", "max_tokens"},
		{"stop", "stop_sequences"},
		{"user", "metadata.user_id"},
		{"tool_choice", NULL}, /* said already */
		{"seed", NULL},
		{"presence_penalty", NULL},
		{"frequency_penalty", NULL},
		{NULL, NULL},
	};
	json_auto_t *body = json_object();
	json_auto_t *turns = lb_turns(model, request->messages, err);
	json_t *messages = turns ? encode_messages(turns, err) : NULL;
	json_auto_t *system = lb_turns_system(turns);
	int64_t budget;

	if (!messages)
		return -1;
	lb_json_set_str(body, "model", model->name, strlen(model->name));
	if (system)
		json_object_set_new(body, "system", lb_turns_text(system));
	json_object_set_new(body, "messages", messages);
	add_tools(body, model, request);
	if (request->stream)
		json_object_set_new(body, "stream", json_true());
	if (lb_wire_options(wire, body, model, request, places, err) < 0)
		return -1;
	if (lb_json_int(json_object_get(body, "thinking"), "budget_tokens",
			&budget) &&
	    goes_on_without(messages))
		json_object_del(body, "thinking"); /* until the next question */
	fit(body);
	lb_wire_url(wire, model->base_url, "/v1/messages");
	lb_buf_json(&wire->body, body);
	return 0;
}

const struct lb_protocol lb_anthropic = {
	.name = "anthropic-messages",
	.models = {.path = "/v1/models?limit=1000",
		   .list = "data",
		   .id = "id",
		   .next = "last_id",
		   .more = "has_more",
		   .parameter = "after_id"},
	.plain_ids = true,
	.images = {.bytes = 5 << 20,
		   .count = 100,
		   .total = 24 << 20, /* 32 MB of base64 */
		   .urls = LB_HTTPS_URLS},
	.authorize = authorize,
	.encode = encode,
	.state_size = LB_ANTHROPIC_STATE,
	.release = lb_anthropic_release,
	.event = lb_anthropic_event,
	.body = lb_anthropic_body,
	.keep = lb_anthropic_keep,
};
