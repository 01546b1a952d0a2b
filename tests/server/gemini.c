/* gemini.c - Gemini's generateContent. */
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "double.h"

/* As the real one says it of a member that it does not know. */
static bool unknown(struct fault *f)
{
	const char *name = f->param;

	return wrong(f, NULL,
		     "Invalid JSON payload received. Unknown name \"%s\": "
		     "Cannot find field.",
		     name);
}

static bool schema_ok(const json_t *schema, int depth, struct fault *f)
{
	static const char *const names[] =
		{"type",       "format",        "title",    "description",
		 "nullable",   "enum",          "maxItems", "minItems",
		 "properties", "required",      "items",    "minProperties",
		 "minLength",  "maxProperties", "pattern",  "maxLength",
		 "minimum",    "maximum",       "anyOf",    "propertyOrdering",
		 "example",    "default",       NULL};
	static const char *const types[] = {"string",  "number", "integer",
					    "boolean", "array",  "object",
					    "STRING",  "NUMBER", "INTEGER",
					    "BOOLEAN", "ARRAY",  "OBJECT",
					    NULL};
	const char *type = lb_json_str(schema, "type"), *key;
	const json_t *any = json_object_get(schema, "anyOf");
	json_t *kid;
	size_t i;

	if (depth > 32 || !json_is_object(schema) ||
	    !knows_all(schema, names, f))
		return unknown(f);
	if (!any && !is_one_of(type, types))
		return wrong(f, NULL,
			     "Proto field is not repeating, cannot "
			     "start list.");
	if (type && strcasecmp(type, "array") == 0 &&
	    !json_object_get(schema, "items"))
		return wrong(f, NULL, "parameters.items: missing field.");
	if (json_object_get(schema, "enum") &&
	    (!type || strcasecmp(type, "string") != 0))
		return wrong(f, NULL, "enum: only allowed for STRING type");
	json_array_foreach(json_object_get(schema, "required"), i, kid) if (
		!json_object_get(json_object_get(schema, "properties"),
				 json_string_value(
					 kid))) return wrong(f, NULL,
							     "required: "
							     "property is not "
							     "defined");
	json_object_foreach(json_object_get(schema, "properties"), key,
			    kid) if (!schema_ok(kid, depth + 1,
						f)) return false;
	json_array_foreach(any, i,
			   kid) if (!schema_ok(kid, depth + 1, f)) return false;
	kid = json_object_get(schema, "items");
	return !kid || schema_ok(kid, depth + 1, f);
}

static bool tools_ok(const json_t *body, struct fault *f)
{
	static const char *const names[] = {"name", "description", "parameters",
					    NULL};
	json_t *tool, *one;
	size_t i, j;

	json_array_foreach(json_object_get(body, "tools"), i, tool)
		json_array_foreach(json_object_get(tool,
						   "functionDeclarations"),
				   j, one)
	{
		const json_t *schema = json_object_get(one, "parameters");

		if (!knows_all(one, names, f))
			return unknown(f);
		if (!name_ok(lb_json_str(one, "name"), 64))
			return wrong(f, NULL, "Invalid function name");
		if (schema &&
		    json_object_size(json_object_get(schema, "properties")) ==
			    0)
			return wrong(f, NULL,
				     "parameters.properties: should be "
				     "non-empty for OBJECT type");
		if (schema && !schema_ok(schema, 0, f))
			return false;
	}
	return true;
}

/* What a turn of the model called, and a turn of the user answered. */
struct count {
	size_t calls, answers;
	bool strict, signed_once;
};

static bool part_ok(const json_t *part, bool user, struct count *c,
		    struct fault *f)
{
	static const char *const names[] = {"text",
					    "inlineData",
					    "functionCall",
					    "functionResponse",
					    "thoughtSignature",
					    "thought",
					    NULL};
	const json_t *data = json_object_get(part, "inlineData");
	const json_t *call = json_object_get(part, "functionCall");
	const json_t *answer = json_object_get(part, "functionResponse");

	if (!knows_all(part, names, f))
		return unknown(f);
	if (!data && !call && !answer && !lb_json_str(part, "text"))
		return wrong(f, NULL,
			     "contents.parts: required oneof field 'data' must "
			     "have one initialized field");
	if (data &&
	    !image_ok(lb_json_str(data, "data"), lb_json_str(data, "mimeType")))
		return wrong(f, NULL, "Unable to process input image.");
	if (call && (user || !json_is_object(json_object_get(call, "args"))))
		return wrong(f, NULL, "a functionCall is misplaced");
	if (answer && (!user || !lb_json_str(answer, "name") ||
		       !json_is_object(json_object_get(answer, "response"))))
		return wrong(f, NULL, "a functionResponse is misplaced");
	if (call && c->strict && c->calls == 0 &&
	    !lb_json_str(part, "thoughtSignature"))
		return wrong(f, NULL,
			     "Function call is missing a thought_signature in "
			     "functionCall parts.");
	c->calls += call != NULL;
	c->answers += answer != NULL;
	return true;
}

static bool contents_ok(const json_t *contents, bool strict, struct fault *f)
{
	struct count before = {0};
	json_t *turn, *part;
	size_t i, j;

	if (json_array_size(contents) == 0)
		return wrong(f, NULL, "contents is not specified");
	json_array_foreach(contents, i, turn)
	{
		const char *role = lb_json_str(turn, "role");
		const json_t *parts = json_object_get(turn, "parts");
		bool user = role && strcmp(role, "user") == 0;
		struct count now = {.strict = strict};

		if (!user && (!role || strcmp(role, "model") != 0))
			return wrong(f, NULL,
				     "Please use a valid role: user, model.");
		if (json_array_size(parts) == 0)
			return wrong(f, NULL,
				     "contents.parts must not be "
				     "empty.");
		json_array_foreach(parts, j,
				   part) if (!part_ok(part, user, &now,
						      f)) return false;
		if (now.answers != before.calls)
			return wrong(f, NULL,
				     "Please ensure that the number of "
				     "function response parts is equal to the "
				     "number of function call parts of the "
				     "function call turn.");
		before = now;
	}
	return before.calls == 0 ||
	       wrong(f, NULL, "a function call was not answered");
}

static bool key_ok(const struct twin *how, const struct request *r,
		   struct fault *f)
{
	const char *key = lb_json_str(r->headers, "x-goog-api-key");

	if (key && (!how->key || strcmp(key, how->key) == 0))
		return true;
	if (key)
		return wrong(f, NULL,
			     "API key not valid. Please pass a valid "
			     "API key.");
	wrong(f, NULL, "Method doesn't allow unregistered callers.");
	f->status = 403;
	f->code = "PERMISSION_DENIED";
	return false;
}

static bool ok(const struct request *r, const json_t *body, struct fault *f)
{
	static const char *const names[] = {"contents",
					    "systemInstruction",
					    "tools",
					    "generationConfig",
					    "toolConfig",
					    "safetySettings",
					    "cachedContent",
					    NULL};
	static const char *const settings[] = {"temperature",
					       "topP",
					       "topK",
					       "seed",
					       "stopSequences",
					       "maxOutputTokens",
					       "presencePenalty",
					       "frequencyPenalty",
					       "thinkingConfig",
					       "responseMimeType",
					       "responseSchema",
					       "candidateCount",
					       NULL};
	const json_t *config = json_object_get(body, "generationConfig");
	const json_t *stop = json_object_get(config, "stopSequences");

	if (!strstr(r->path, ":generateContent") &&
	    !strstr(r->path, ":streamGenerateContent")) {
		wrong(f, NULL, "Requested entity was not found.");
		f->status = 404;
		f->code = "NOT_FOUND";
		return false;
	}
	if (!knows_all(body, names, f) || !knows_all(config, settings, f))
		return unknown(f);
	if (stop && !json_is_array(stop))
		return wrong(f, NULL, "stopSequences is not repeating");
	return contents_ok(json_object_get(body, "contents"),
			   strstr(r->path, "gemini-3") != NULL, f) &&
	       tools_ok(body, f) && in_range(config, "temperature", 0, 2, f);
}

static json_t *refuse(const struct fault *f)
{
	return lb_json_pack("{s:{s:i,s:s,s:s}}", "error", "code", f->status,
			    "message", f->message, "status",
			    f->status == 400 ? "INVALID_ARGUMENT" : f->code);
}

static const char *last(const json_t *body, bool *tools)
{
	const char *text = "";
	json_t *turn, *part;
	size_t i, j;

	json_array_foreach(json_object_get(body, "contents"), i, turn)
	{
		if (strcmp(lb_json_str(turn, "role"), "user") != 0)
			continue;
		*tools = false;
		json_array_foreach(json_object_get(turn, "parts"), j, part)
		{
			if (lb_json_str(part, "text"))
				text = lb_json_str(part, "text");
			*tools |= json_object_get(part, "functionResponse") !=
				  NULL;
		}
	}
	return text;
}

static bool wants_stream(const struct request *r, const json_t *body)
{
	(void)body;
	return strstr(r->path, ":streamGenerateContent") != NULL;
}

static json_t *answer_of(const struct turn *t, json_t *take_parts,
			 const char *finish)
{
	(void)t;
	return lb_json_pack("{s:[{s:{s:o,s:s},s:s*,s:i}],s:{s:i,s:i,s:i},"
			    "s:s,s:s}",
			    "candidates", "content", "parts", take_parts,
			    "role", "model", "finishReason", finish, "index", 0,
			    "usageMetadata", "promptTokenCount", 9,
			    "candidatesTokenCount", 5, "totalTokenCount", 14,
			    "modelVersion", "gemini", "responseId", "r1");
}

static json_t *text_part(const char *text, size_t n)
{
	return lb_json_pack("[{s:o}]", "text", lb_json_text(text, n));
}

static void word(void *arg, const char *text, size_t n)
{
	struct turn *t = arg;

	send_json(t, answer_of(t, text_part(text, n), NULL), FRAME_EVENT,
		  t->how->pace_ms);
}

/* The first of several is signed for all. */
static json_t *call_parts(const struct turn *t)
{
	json_t *parts = json_array();
	const json_t *call;
	size_t i;

	json_array_foreach(t->calls, i, call)
		json_array_append_new(parts,
				      lb_json_pack("{s:{s:O,s:O},s:s*}",
						   "functionCall", "name",
						   json_object_get(call,
								   "name"),
						   "args",
						   json_object_get(call,
								   "arguments"),
						   "thoughtSignature",
						   i == 0 ? "c2lnbmF0dXJl"
							  : NULL));
	return parts;
}

static void stream(struct turn *t)
{
	each_word(t->text, word, t);
	if (json_array_size(t->calls) > 0)
		send_json(t, answer_of(t, call_parts(t), NULL), FRAME_EVENT, 0);
	send_json(t, answer_of(t, text_part("", 0), "STOP"), FRAME_EVENT, 0);
}

static void whole(struct turn *t)
{
	send_json(t,
		  answer_of(t,
			    json_array_size(t->calls) > 0
				    ? call_parts(t)
				    : text_part(t->text, strlen(t->text)),
			    "STOP"),
		  FRAME_VALUE, 0);
}

const struct service gemini_service = {
	.name = "gemini",
	.key_ok = key_ok,
	.ok = ok,
	.refuse = refuse,
	.last = last,
	.wants_stream = wants_stream,
	.stream_type = "text/event-stream",
	.stream = stream,
	.whole = whole,
};
