#include "llm/encode.h"

#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "llm/reasoning.h"
#include "llm/turns.h"

json_t *lb_encode_image_url(const json_t *part)
{
	const json_t *data = json_object_get(part, "data");
	json_t *url = json_object_get(part, "url");
	lb_autobuf struct lb_buf text = {0};

	if (url)
		return json_incref(url);
	lb_buf_printf(&text, "data:%s;base64,", lb_json_str(part, "mime"));
	lb_buf_put(&text, json_string_value(data), json_string_length(data));
	return lb_json_text(text.data, text.len);
}

json_t *lb_encode_content(const json_t *parts,
			  json_t *(*encode)(const json_t *part))
{
	const json_t *part = json_array_get(parts, 0);
	json_t *text = json_object_get(part, "text"), *out;
	size_t i;

	if (json_array_size(parts) == 0)
		return json_string("");
	if (json_array_size(parts) == 1 && text)
		return json_incref(text);
	out = json_array();
	json_array_foreach(parts, i, part)
		json_array_append_new(out, encode(part));
	return out;
}

static json_t *encode_part(const json_t *part)
{
	json_t *text = json_object_get(part, "text");

	if (text)
		return lb_json_pack("{s:s, s:O}", "type", "text", "text", text);
	return lb_json_pack("{s:s, s:{s:o}}", "type", "image_url", "image_url",
			    "url", lb_encode_image_url(part));
}

static json_t *encode_calls(const json_t *calls)
{
	json_t *out = json_array();
	const json_t *call;
	size_t i;

	json_array_foreach(calls, i, call)
		json_array_append_new(out,
				      lb_json_pack("{s:O, s:s, s:{s:O, s:O}}",
						   "id",
						   json_object_get(call, "id"),
						   "type", "function",
						   "function", "name",
						   json_object_get(call,
								   "name"),
						   "arguments",
						   json_object_get(call,
								   "text")));
	return out;
}

/* What a model wants back of the reasoning of answers. */
enum back {
	BACK_NONE,
	BACK_KEPT, /* what its provider gave */
	BACK_SOME, /* something, also where there was none */
};

static void add_assistant(json_t *out, const json_t *turn, enum back back)
{
	const json_t *parts = json_object_get(turn, "parts");
	const json_t *calls = json_object_get(turn, "calls");
	bool silent = json_array_size(parts) == 0;
	json_t *message =
		lb_json_pack("{s:s, s:o}", "role", "assistant", "content",
			     silent && json_array_size(calls) > 0
				     ? json_null()
				     : lb_encode_content(parts, encode_part));

	if (json_array_size(calls) > 0)
		json_object_set_new(message, "tool_calls", encode_calls(calls));
	if (back != BACK_NONE)
		json_object_update_missing(message,
					   json_object_get(turn, "keep"));
	/* an empty text is refused like none */
	if (back == BACK_SOME && !json_object_get(message, "reasoning_content"))
		json_object_set_new(message, "reasoning_content",
				    json_string(" "));
	if (silent && json_array_size(calls) == 0)
		json_decref(message); /* nothing but what was kept */
	else
		json_array_append_new(out, message);
}

/* Images of a result, which none of these messages can hold. */
static void add_images(json_t *images, const json_t *result)
{
	const json_t *part;
	bool told = false;
	size_t i;

	json_array_foreach(json_object_get(result, "parts"), i, part)
	{
		lb_autofree char *text = NULL;

		if (lb_json_str(part, "text"))
			continue;
		text = lb_printf("What %s returned:",
				 lb_json_str(result, "name"));
		if (!told)
			json_array_append_new(images,
					      lb_json_pack("{s:s, s:s}", "type",
							   "text", "text",
							   text));
		told = true;
		json_array_append_new(images, encode_part(part));
	}
}

static void add_results(json_t *out, const json_t *results)
{
	json_t *images = json_array();
	const json_t *result;
	size_t i;

	json_array_foreach(results, i, result)
	{
		const json_t *parts = json_object_get(result, "parts");
		json_t *text = lb_turns_text(parts);

		if (json_string_length(text) == 0 && json_array_size(parts))
			json_string_set(text, "The image follows.");
		json_array_append_new(out,
				      lb_json_pack("{s:s, s:O, s:o}", "role",
						   "tool", "tool_call_id",
						   json_object_get(result,
								   "id"),
						   "content", text));
		add_images(images, result);
	}
	if (json_array_size(images) > 0)
		json_array_append_new(out,
				      lb_json_pack("{s:s, s:O}", "role", "user",
						   "content", images));
	json_decref(images);
}

json_t *lb_encode_chat(const struct lb_model *model,
		       const struct lb_llm_request *request,
		       const json_t *turns)
{
	bool keep = lb_reasoning_goes_back(model, request);
	bool wanted = lb_reasoning_is_wanted(model, request);
	json_t *out = json_array(), *message;
	const json_t *turn;
	bool tools = false; /* the turn was one of tools */
	size_t i;

	json_array_foreach(turns, i, turn)
	{
		const char *role = lb_json_str(turn, "role");
		json_t *name = json_object_get(turn, "name");

		if (strcmp(role, "assistant") == 0) {
			tools |= json_array_size(
					 json_object_get(turn, "calls")) > 0;
			add_assistant(out, turn,
				      wanted && tools ? BACK_SOME
				      : keep          ? BACK_KEPT
						      : BACK_NONE);
		} else if (strcmp(role, "tool") == 0) {
			add_results(out, json_object_get(turn, "results"));
		} else {
			tools = false;
			message = lb_json_pack(
				"{s:s, s:o}", "role", role, "content",
				lb_encode_content(json_object_get(turn,
								  "parts"),
						  encode_part));
			if (name)
				json_object_set(message, "name", name);
			json_array_append_new(out, message);
		}
	}
	return out;
}

struct lb_tool_view lb_encode_tool(const json_t *tool)
{
	const json_t *f = json_object_get(tool, "function");
	json_t *parameters = json_object_get(f, "parameters");
	json_t *description = json_object_get(f, "description");
	const char *name = lb_json_str(f, "name");

	return (struct lb_tool_view){
		.name = name ? name : "",
		.description = json_string_length(description) > 0 ? description
								   : NULL,
		.parameters = json_is_object(parameters) ? parameters : NULL,
	};
}

struct lb_tool_choice lb_encode_choice(const struct lb_model *model,
				       const struct lb_llm_request *request)
{
	const json_t *choice = lb_wire_option(model, request, "tool_choice");
	const char *word = json_string_value(choice);
	const char *name =
		lb_json_str(json_object_get(choice, "function"), "name");

	if (name)
		return (struct lb_tool_choice){LB_CHOOSE_ONE, name};
	if (word && strcmp(word, "none") == 0)
		return (struct lb_tool_choice){LB_CHOOSE_NONE, NULL};
	if (word && strcmp(word, "required") == 0)
		return (struct lb_tool_choice){LB_CHOOSE_ANY, NULL};
	return (struct lb_tool_choice){LB_CHOOSE_AUTO, NULL};
}
