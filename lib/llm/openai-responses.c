/*
 * OpenAI's Responses, the requests: POST {base}/responses.
 *
 * Nothing is stored there: each request has all of the conversation, and the
 * items of reasoning, which are encrypted, go back where they were.
 */
#include "llm/openai-responses.h"

#include <string.h>

#include "base/json.h"
#include "llm/encode.h"
#include "llm/reasoning.h"
#include "llm/turns.h"

static json_t *encode_part(const json_t *part)
{
	json_t *text = json_object_get(part, "text");

	if (text)
		return lb_json_pack("{s:s, s:O}", "type", "input_text", "text",
				    text);
	return lb_json_pack("{s:s, s:o}", "type", "input_image", "image_url",
			    lb_encode_image_url(part));
}

static void add_message(json_t *items, const char *role, const json_t *parts)
{
	json_array_append_new(items,
			      lb_json_pack("{s:s, s:o}", "role", role,
					   "content",
					   lb_encode_content(parts,
							     encode_part)));
}

/* With what it had of its own: which phase it was of. */
static void add_said(json_t *items, const struct lb_laid *laid)
{
	json_t *text = lb_turns_text(laid->value), *item;

	if (!laid->with) {
		json_array_append_new(items, lb_json_pack("{s:s, s:o}", "role",
							  "assistant",
							  "content", text));
		return;
	}
	item = lb_json_pack("{s:s, s:s, s:s, s:[{s:s, s:o, s:[]}]}", "type",
			    "message", "role", "assistant", "status",
			    "completed", "content", "type", "output_text",
			    "text", text, "annotations");
	json_object_update_missing(item, (json_t *)(uintptr_t)laid->with);
	json_array_append_new(items, item);
}

static void add_laid(void *items, const struct lb_laid *laid)
{
	json_t *item;

	if (laid->kind == LB_LAID_PARTS) {
		add_said(items, laid);
		return;
	}
	if (laid->kind == LB_LAID_BLOCK) {
		json_array_append(items, (json_t *)(uintptr_t)laid->value);
		return;
	}
	item = lb_json_pack("{s:s, s:O, s:O, s:O}", "type", "function_call",
			    "call_id", json_object_get(laid->value, "id"),
			    "name", json_object_get(laid->value, "name"),
			    "arguments", json_object_get(laid->value, "text"));
	json_array_append_new(items, item);
}

static void add_results(json_t *items, const json_t *results)
{
	const json_t *result;
	size_t i;

	json_array_foreach(results, i, result) json_array_append_new(
		items,
		lb_json_pack("{s:s, s:O, s:o}", "type", "function_call_output",
			     "call_id", json_object_get(result, "id"), "output",
			     lb_encode_content(json_object_get(result, "parts"),
					       encode_part)));
}

/* The input; what a system says at the start are instructions. */
static void add_input(json_t *body, const json_t *turns)
{
	json_t *items = json_array(), *first = json_array();
	const json_t *turn;
	size_t i;

	json_array_foreach(turns, i, turn)
	{
		const char *role = lb_json_str(turn, "role");
		const json_t *parts = json_object_get(turn, "parts");

		if (strcmp(role, "assistant") == 0)
			lb_layout_walk(turn, add_laid, items);
		else if (strcmp(role, "tool") == 0)
			add_results(items, json_object_get(turn, "results"));
		else if (lb_turns_is_system(turn) &&
			 json_array_size(items) == 0)
			json_array_extend(first, (json_t *)(uintptr_t)parts);
		else
			add_message(items,
				    lb_turns_is_system(turn) ? "developer"
							     : role,
				    parts);
	}
	if (json_array_size(first) > 0)
		json_object_set_new(body, "instructions", lb_turns_text(first));
	json_object_set_new(body, "input", items);
	json_decref(first);
}

static void add_tools(json_t *body, const struct lb_model *model,
		      const struct lb_llm_request *request)
{
	static const char *const how[] = {
		[LB_CHOOSE_AUTO] = "auto",
		[LB_CHOOSE_NONE] = "none",
		[LB_CHOOSE_ANY] = "required",
		[LB_CHOOSE_ONE] = "function",
	};
	struct lb_tool_choice choice = lb_encode_choice(model, request);
	json_t *tools = json_array();
	const json_t *tool;
	size_t i;

	json_array_foreach(request->tools, i, tool)
	{
		struct lb_tool_view v = lb_encode_tool(tool);
		json_t *one =
			lb_json_pack("{s:s, s:s, s:b}", "type", "function",
				     "name", v.name, "strict", 0);

		if (v.description)
			json_object_set(one, "description", v.description);
		json_object_set_new(one, "parameters",
				    v.parameters
					    ? json_incref(v.parameters)
					    : lb_json_pack("{s:s, s:{}}",
							   "type", "object",
							   "properties"));
		json_array_append_new(tools, one);
	}
	json_object_set_new(body, "tools", tools);
	json_object_set_new(body, "tool_choice",
			    choice.how == LB_CHOOSE_ONE
				    ? lb_json_pack("{s:s, s:s}", "type",
						   how[choice.how], "name",
						   choice.name)
				    : json_string(how[choice.how]));
}

static int encode(const struct lb_model *model,
		  const struct lb_llm_request *request, struct lb_wire *wire,
		  struct lb_error *err)
{
	static const struct lb_option_place places[] = {
		{"max_tokens", "max_output_tokens"},
		{"max_completion_tokens", "max_output_tokens"},
		{"reasoning_effort", "reasoning.effort"},
		{"tool_choice", NULL}, /* said already */
		{"stop", NULL},
		{"seed", NULL},
		{"top_k", NULL},
		{"presence_penalty", NULL},
		{"frequency_penalty", NULL},
		{NULL, NULL},
	};
	json_auto_t *body = json_object();
	json_auto_t *turns = lb_turns(model, request->messages, err);

	if (!turns)
		return -1;
	lb_json_set_str(body, "model", model->name, strlen(model->name));
	add_input(body, turns);
	if (json_array_size(request->tools) > 0)
		add_tools(body, model, request);
	json_object_set_new(body, "store", json_false());
	if (lb_reasoning_is_there(model))
		json_object_set_new(body, "include",
				    lb_json_pack("[s]", "reasoning.encrypted_"
							"content"));
	if (request->stream)
		json_object_set_new(body, "stream", json_true());
	if (lb_wire_options(wire, body, model, request, places, err) < 0)
		return -1;
	lb_buf_puts(&wire->url, model->base_url);
	lb_buf_puts(&wire->url, "/responses");
	lb_buf_json(&wire->body, body);
	return 0;
}

const struct lb_protocol lb_openai_responses = {
	.name = "openai-responses",
	.models = {.path = "/models", .list = "data", .id = "id"},
	.plain_ids = true,
	.images = {.bytes = 20 << 20,
		   .count = 500,
		   .total = 37 << 20, /* 50 MB of base64 */
		   .urls = LB_HTTP_URLS},
	.authorize = lb_wire_bearer,
	.encode = encode,
	.state_size = sizeof(struct lb_responses_state),
	.release = lb_responses_release,
	.event = lb_responses_event,
	.body = lb_responses_body,
	.keep = lb_responses_keep,
};
