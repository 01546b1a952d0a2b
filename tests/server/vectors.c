/*
 * vectors.c - endpoints of embeddings and rerank. A text's vector tells its
 * length, its first byte and its last; OpenAI's come last one first, for the
 * index is what counts. A document's score is the part of the query's letters
 * it has.
 */
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"
#include "double.h"

enum { DIMENSIONS = 4 };

static void vector_of(const char *text, float *at)
{
	size_t len = strlen(text);

	at[0] = (float)len / 256;
	at[1] = (float)(unsigned char)text[0] / 256;
	at[2] = (float)(unsigned char)text[len - 1] / 256;
	at[3] = -0.5F;
}

static json_t *numbers(const json_t *text)
{
	float at[DIMENSIONS];
	json_t *out = json_array();

	vector_of(json_string_value(text), at);
	for (size_t i = 0; i < DIMENSIONS; i++)
		json_array_append_new(out, json_real((double)at[i]));
	return out;
}

/* As little-endian floats: what the test's own machine has. */
static json_t *base64(const json_t *text)
{
	float at[DIMENSIONS];
	lb_autobuf struct lb_buf out = {0};

	vector_of(json_string_value(text), at);
	lb_base64_encode(&out, (const char *)at, sizeof(at));
	return json_string(out.data);
}

/* A list of texts, none empty and at most `most`. */
static bool texts_ok(const json_t *body, const char *key, size_t most,
		     struct fault *f)
{
	const json_t *list = json_object_get(body, key), *text;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) == 0 ||
	    json_array_size(list) > most)
		return wrong(f, key, "'%s' has %zu texts, 1 to %zu are allowed",
			     key, json_array_size(list), most);
	json_array_foreach(list, i, text)
	{
		if (json_string_length(text) == 0)
			return wrong(f, key, "'%s.%zu' is no text or empty",
				     key, i);
	}
	return true;
}

static bool model_ok(const json_t *body, struct fault *f)
{
	const char *model = lb_json_str(body, "model");

	return model && *model ? true
			       : wrong(f, "model", "you must provide a model");
}

static bool count_ok(const json_t *body, const char *key, struct fault *f)
{
	int64_t n;

	if (!json_object_get(body, key) ||
	    (lb_json_int(body, key, &n) && n >= 1))
		return true;
	return wrong(f, key, "'%s' is no number above 0", key);
}

static const char *last_of(const json_t *list)
{
	return json_string_value(
		json_array_get(list, json_array_size(list) - 1));
}

static bool no_stream(const struct request *r, const json_t *body)
{
	(void)r;
	(void)body;
	return false;
}

/* ---- POST /v1/embeddings of OpenAI ------------------------------------ */

static bool openai_ok(const struct request *r, const json_t *body,
		      struct fault *f)
{
	static const char *const known[] = {"model",      "input",
					    "dimensions", "encoding_format",
					    "user",       NULL};
	static const char *const formats[] = {"float", "base64", NULL};
	const char *format = lb_json_str(body, "encoding_format");

	(void)r;
	if (!knows_all(body, known, f) || !model_ok(body, f) ||
	    !count_ok(body, "dimensions", f))
		return false;
	if (json_object_get(body, "encoding_format") &&
	    !is_one_of(format, formats))
		return wrong(f, "encoding_format", "is not float or base64");
	if (json_string_length(json_object_get(body, "input")) > 0)
		return true;
	return texts_ok(body, "input", 2048, f);
}

static const char *openai_last(const json_t *body, bool *tools)
{
	const json_t *input = json_object_get(body, "input");

	(void)tools;
	return json_is_string(input) ? json_string_value(input)
				     : last_of(input);
}

static void openai_whole(struct turn *t)
{
	const json_t *input = json_object_get(t->body, "input");
	const char *format = lb_json_str(t->body, "encoding_format");
	bool coded = format && strcmp(format, "base64") == 0;
	json_t *data = json_array();
	size_t n = json_is_string(input) ? 1 : json_array_size(input);

	for (size_t i = n; i-- > 0;) {
		const json_t *text = json_is_string(input)
					     ? input
					     : json_array_get(input, i);

		json_array_append_new(data,
				      lb_json_pack("{s:s, s:i, s:o}", "object",
						   "embedding", "index", (int)i,
						   "embedding",
						   coded ? base64(text)
							 : numbers(text)));
	}
	send_json(t,
		  lb_json_pack("{s:s, s:o, s:s, s:{s:i, s:i}}", "object",
			       "list", "data", data, "model",
			       lb_json_str(t->body, "model"), "usage",
			       "prompt_tokens", (int)n, "total_tokens", (int)n),
		  FRAME_VALUE, 0);
}

static json_t *openai_refuse(const struct fault *f)
{
	return lb_json_pack("{s:{s:s,s:s,s:s?,s:s}}", "error", "message",
			    f->message, "type", "invalid_request_error",
			    "param", f->param, "code",
			    f->code ? f->code : "invalid_request_error");
}

const struct service embeddings_service = {
	.name = "embeddings",
	.key_ok = bearer_ok,
	.ok = openai_ok,
	.refuse = openai_refuse,
	.last = openai_last,
	.wants_stream = no_stream,
	.whole = openai_whole,
};

/* ---- POST /api/embed of Ollama ---------------------------------------- */

static bool ollama_ok(const struct request *r, const json_t *body,
		      struct fault *f)
{
	(void)r;
	if (!model_ok(body, f))
		return false;
	if (json_is_string(json_object_get(body, "input")))
		return true;
	return texts_ok(body, "input", 100000, f);
}

static json_t *rows_of(const json_t *input)
{
	json_t *rows = json_array();
	const json_t *text;
	size_t i;

	if (json_is_string(input))
		json_array_append_new(rows, numbers(input));
	json_array_foreach(input, i, text)
	{
		json_array_append_new(rows, numbers(text));
	}
	return rows;
}

static void ollama_whole(struct turn *t)
{
	send_json(t,
		  lb_json_pack("{s:s, s:o, s:i}", "model",
			       lb_json_str(t->body, "model"), "embeddings",
			       rows_of(json_object_get(t->body, "input")),
			       "prompt_eval_count", 3),
		  FRAME_VALUE, 0);
}

static json_t *ollama_refuse(const struct fault *f)
{
	return lb_json_pack("{s:s}", "error", f->message);
}

const struct service ollama_embed_service = {
	.name = "ollama-embed",
	.ok = ollama_ok,
	.refuse = ollama_refuse,
	.last = openai_last,
	.wants_stream = no_stream,
	.whole = ollama_whole,
};

/* ---- POST /v1beta/models/M:batchEmbedContents of Gemini ---------------- */

static bool gemini_key_ok(const struct twin *how, const struct request *r,
			  struct fault *f)
{
	const char *given = lb_json_str(r->headers, "x-goog-api-key");

	if (given && (!how->key || strcmp(given, how->key) == 0))
		return true;
	wrong(f, NULL, "API key not valid. Please pass a valid API key.");
	f->code = "INVALID_ARGUMENT";
	return false;
}

static const json_t *gemini_text(const json_t *one)
{
	return json_object_get(json_array_get(lb_json_path(one,
							   "content.parts"),
					      0),
			       "text");
}

static bool gemini_ok(const struct request *r, const json_t *body,
		      struct fault *f)
{
	static const char *const known[] = {"model",
					    "content",
					    "taskType",
					    "title",
					    "outputDimensionality",
					    NULL};
	const json_t *list = json_object_get(body, "requests"), *one;
	size_t i;

	f->code = "INVALID_ARGUMENT";
	if (json_array_size(list) == 0 || json_array_size(list) > 100)
		return wrong(f, NULL,
			     "at most 100 requests can be in one batch");
	json_array_foreach(list, i, one)
	{
		const char *model = lb_json_str(one, "model");

		if (!knows_all(one, known, f))
			return false;
		if (!model || !strstr(r->path, model))
			return wrong(f, NULL,
				     "model must match the model in the URL");
		if (json_string_length(gemini_text(one)) == 0)
			return wrong(f, NULL, "content contains an empty part");
	}
	return true;
}

static const char *gemini_last(const json_t *body, bool *tools)
{
	const json_t *list = json_object_get(body, "requests");

	(void)tools;
	return json_string_value(
		gemini_text(json_array_get(list, json_array_size(list) - 1)));
}

static void gemini_whole(struct turn *t)
{
	const json_t *one;
	json_t *rows = json_array();
	size_t i;

	json_array_foreach(json_object_get(t->body, "requests"), i, one)
	{
		json_array_append_new(rows,
				      lb_json_pack("{s:o}", "values",
						   numbers(gemini_text(one))));
	}
	send_json(t, lb_json_pack("{s:o}", "embeddings", rows), FRAME_VALUE, 0);
}

static json_t *gemini_refuse(const struct fault *f)
{
	return lb_json_pack("{s:{s:i, s:s, s:s}}", "error", "code", f->status,
			    "message", f->message, "status",
			    f->code ? f->code : "INVALID_ARGUMENT");
}

const struct service gemini_embed_service = {
	.name = "gemini-embed",
	.key_ok = gemini_key_ok,
	.ok = gemini_ok,
	.refuse = gemini_refuse,
	.last = gemini_last,
	.wants_stream = no_stream,
	.whole = gemini_whole,
};
