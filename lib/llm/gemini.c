/*
 * Gemini's generateContent, the requests: POST {base}/models/NAME:METHOD.
 *
 * The model is in the address. Calls are answered by the name of the tool, in
 * their order, and by id where Gemini gave one.
 */
#include "llm/gemini.h"

#include <string.h>

#include "base/json.h"
#include "llm/encode.h"
#include "llm/gemini-schema.h"
#include "llm/turns.h"

/* What stands in for a signature that another model's call has not. */
#define NO_SIGNATURE "skip_thought_signature_validator"

static void authorize(const struct lb_model *model, struct lb_wire *wire)
{
	if (model->key)
		lb_wire_secret(wire, "x-goog-api-key", "", model->key);
}

static json_t *encode_part(const json_t *part)
{
	json_t *text = json_object_get(part, "text");

	if (text)
		return lb_json_pack("{s:O}", "text", text);
	return lb_json_pack("{s:{s:O, s:O}}", "inlineData", "mimeType",
			    json_object_get(part, "mime"), "data",
			    json_object_get(part, "data"));
}

/* The parts of what one side says next, which may go on with what it said. */
static json_t *parts_for(json_t *contents, const char *role)
{
	const json_t *last =
		json_array_get(contents, json_array_size(contents) - 1);
	const char *is = lb_json_str(last, "role");
	json_t *parts;

	if (is && strcmp(is, role) == 0)
		return json_object_get(last, "parts");
	parts = json_array();
	json_array_append_new(contents, lb_json_pack("{s:s, s:o}", "role", role,
						     "parts", parts));
	return parts;
}

static void add_parts(json_t *out, const json_t *parts)
{
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part)
		json_array_append_new(out, encode_part(part));
}

/* What is made of one answer, and the ids Gemini gave its calls. */
struct answer {
	json_t *out, *ids;
	bool wants_signature; /* of the first call */
};

static void add_call(struct answer *a, const struct lb_laid *laid)
{
	json_t *signature = json_object_get(laid->with, "thoughtSignature");
	json_t *id = json_object_get(laid->with, "id");
	json_t *part =
		lb_json_pack("{s:{s:O, s:O}}", "functionCall", "name",
			     json_object_get(laid->value, "name"), "args",
			     json_object_get(laid->value, "arguments"));

	if (id) {
		json_object_set(json_object_get(part, "functionCall"), "id",
				id);
		json_object_set(a->ids, lb_json_str(laid->value, "id"), id);
	}
	if (signature)
		json_object_set(part, "thoughtSignature", signature);
	else if (a->wants_signature)
		json_object_set_new(part, "thoughtSignature",
				    json_string(NO_SIGNATURE));
	a->wants_signature = false;
	json_array_append_new(a->out, part);
}

static void add_laid(void *arg, const struct lb_laid *laid)
{
	struct answer *a = arg;
	json_t *signature = json_object_get(laid->with, "thoughtSignature");
	size_t before = json_array_size(a->out);

	if (laid->kind == LB_LAID_CALL) {
		add_call(a, laid);
	} else if (laid->kind == LB_LAID_BLOCK) {
		json_array_append(a->out, (json_t *)(uintptr_t)laid->value);
	} else {
		add_parts(a->out, laid->value);
		if (signature && json_array_size(a->out) > before)
			json_object_set(json_array_get(a->out, before),
					"thoughtSignature", signature);
	}
}

/* The answers of tools, and then what they show. */
static void add_results(json_t *out, const json_t *results, const json_t *ids)
{
	const json_t *result, *part;
	size_t i, n;

	json_array_foreach(results, i, result)
	{
		bool failed = json_is_true(json_object_get(result, "is_error"));
		json_t *id = json_object_get(ids, lb_json_str(result, "id"));
		json_t *one =
			lb_json_pack("{s:{s:O, s:{s:o}}}", "functionResponse",
				     "name", json_object_get(result, "name"),
				     "response", failed ? "error" : "output",
				     lb_turns_text(
					     json_object_get(result, "parts")));

		if (id)
			json_object_set(json_object_get(one,
							"functionResponse"),
					"id", id);
		json_array_append_new(out, one);
	}
	json_array_foreach(results, i, result)
		json_array_foreach(json_object_get(result, "parts"), n,
				   part) if (json_object_get(part, "data"))
			json_array_append_new(out, encode_part(part));
}

static json_t *encode_contents(const struct lb_model *model,
			       const json_t *turns)
{
	bool strict = strncmp(model->name, "gemini-3", 8) == 0 ||
		      strncmp(model->name, "models/gemini-3", 15) == 0;
	json_t *contents = json_array(), *ids = json_object();
	const json_t *turn;
	size_t i;

	json_array_foreach(turns, i, turn)
	{
		const char *role = lb_json_str(turn, "role");
		struct answer a = {.ids = ids, .wants_signature = strict};

		if (lb_turns_is_system(turn))
			continue;
		if (strcmp(role, "assistant") == 0) {
			json_object_clear(ids);
			a.out = parts_for(contents, "model");
			lb_layout_walk(turn, add_laid, &a);
		} else if (strcmp(role, "tool") == 0) {
			add_results(parts_for(contents, "user"),
				    json_object_get(turn, "results"), ids);
		} else {
			add_parts(parts_for(contents, "user"),
				  json_object_get(turn, "parts"));
		}
	}
	json_decref(ids);
	return contents;
}

static json_t *encode_tools(const json_t *tools)
{
	json_t *all = json_array();
	const json_t *tool;
	size_t i;

	json_array_foreach(tools, i, tool)
	{
		struct lb_tool_view v = lb_encode_tool(tool);
		json_t *one = lb_json_pack("{s:s}", "name", v.name);
		json_t *schema = lb_gemini_schema(v.parameters);

		if (v.description)
			json_object_set(one, "description", v.description);
		if (schema)
			json_object_set_new(one, "parameters", schema);
		json_array_append_new(all, one);
	}
	return lb_json_pack("[{s:o}]", "functionDeclarations", all);
}

static void add_tools(json_t *body, const struct lb_model *model,
		      const struct lb_llm_request *request)
{
	static const char *const how[] = {
		[LB_CHOOSE_AUTO] = "AUTO",
		[LB_CHOOSE_NONE] = "NONE",
		[LB_CHOOSE_ANY] = "ANY",
		[LB_CHOOSE_ONE] = "ANY",
	};
	struct lb_tool_choice choice = lb_encode_choice(model, request);
	json_t *config = lb_json_pack("{s:s}", "mode", how[choice.how]);

	if (choice.name)
		json_object_set_new(config, "allowedFunctionNames",
				    lb_json_pack("[s]", choice.name));
	json_object_set_new(body, "tools", encode_tools(request->tools));
	json_object_set_new(body, "toolConfig",
			    lb_json_pack("{s:o}", "functionCallingConfig",
					 config));
}

/* A name may come as the listing has it, and is part of an address. */
static void put_url(struct lb_wire *wire, const struct lb_model *model,
		    bool stream)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";
	size_t len = strlen(model->base_url);
	const char *name = model->name;

	/* The root of its chat completions is below that of its own. */
	if (len > 7 && strcmp(model->base_url + len - 7, "/openai") == 0)
		len -= 7;
	lb_buf_put(&wire->url, model->base_url, len);
	lb_buf_puts(&wire->url,
		    strncmp(name, "models/", 7) == 0 ||
				    strncmp(name, "tunedModels/", 12) == 0
			    ? "/"
			    : "/models/");
	for (; *name; name++)
		if (strchr(plain, *name))
			lb_buf_putc(&wire->url, *name);
		else
			lb_buf_printf(&wire->url, "%%%02X",
				      (unsigned)(unsigned char)*name);
	lb_buf_puts(&wire->url, stream ? ":streamGenerateContent?alt=sse"
				       : ":generateContent");
}

static int encode(const struct lb_model *model,
		  const struct lb_llm_request *request, struct lb_wire *wire,
		  struct lb_error *err)
{
	static const struct lb_option_place places[] = {
		{"temperature", "generationConfig.temperature"},
		{"top_p", "generationConfig.topP"},
		{"top_k", "generationConfig.topK"},
		{"seed", "generationConfig.seed"},
		{"stop", "generationConfig.stopSequences"},
		{"max_tokens", "generationConfig.maxOutputTokens"},
		{"max_completion_tokens", "generationConfig.maxOutputTokens"},
		{"presence_penalty", "generationConfig.presencePenalty"},
		{"frequency_penalty", "generationConfig.frequencyPenalty"},
		{"tool_choice", NULL}, /* said already */
		{NULL, NULL},
	};
	json_auto_t *body = json_object();
	json_auto_t *turns = lb_turns(model, request->messages, err);
	json_auto_t *system = lb_turns_system(turns);
	json_t *stop;

	if (!turns)
		return -1;
	if (system)
		json_object_set_new(body, "systemInstruction",
				    lb_json_pack("{s:[{s:o}]}", "parts", "text",
						 lb_turns_text(system)));
	json_object_set_new(body, "contents", encode_contents(model, turns));
	if (json_array_size(json_object_get(body, "contents")) == 0)
		return lb_fail(err, LB_USAGE, "there are no messages");
	if (json_array_size(request->tools) > 0)
		add_tools(body, model, request);
	if (lb_wire_options(wire, body, model, request, places, err) < 0)
		return -1;
	stop = lb_json_path(body, "generationConfig.stopSequences");
	if (json_is_string(stop))
		lb_json_put(body, "generationConfig.stopSequences",
			    lb_json_pack("[O]", stop));
	put_url(wire, model, request->stream);
	lb_buf_json(&wire->body, body);
	return 0;
}

const struct lb_protocol lb_gemini = {
	.name = "gemini",
	.models = {.path = "/models?pageSize=1000",
		   .list = "models",
		   .id = "name",
		   .before = "models/",
		   .next = "nextPageToken",
		   .parameter = "pageToken"},
	.images = {.bytes = 15 << 20,
		   .count = 3000,
		   .total = 15 << 20}, /* 20 MB of base64 */
	.authorize = authorize,
	.encode = encode,
	.state_size = sizeof(struct lb_gemini_state),
	.release = lb_gemini_release,
	.event = lb_gemini_event,
	.body = lb_gemini_body,
	.keep = lb_gemini_keep,
};
