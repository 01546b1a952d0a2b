/* embed-shapes.c - embeddings by the APIs there are. */
#include <string.h>

#include "base/json.h"
#include "llm/embed.h"
#include "llm/reader.h"

/* ---- OpenAI, and all who speak it: POST {base}/embeddings ------------- */

static void encode_openai(const struct lb_batch *b, struct lb_wire *wire)
{
	json_auto_t *body = lb_json_pack("{s:s, s:O}", "model", b->model->name,
					 "input", b->texts);

	lb_json_merge(body, b->options);
	lb_buf_printf(&wire->url, "%s/embeddings", b->model->base_url);
	lb_buf_json(&wire->body, body);
}

/* data[] may come in any order: its index counts, where it has one. */
static int decode_openai(const json_t *value, const json_t **rows, size_t n,
			 struct lb_error *err)
{
	const json_t *item;
	int64_t index;
	size_t i;

	json_array_foreach(json_object_get(value, "data"), i, item)
	{
		if (!lb_json_int(item, "index", &index))
			index = (int64_t)i;
		if (index < 0 || (size_t)index >= n || rows[index])
			return lb_fail(err, LB_PROTOCOL,
				       "a vector is of no text, or of one "
				       "that has its own");
		rows[index] = json_object_get(item, "embedding");
	}
	return 0;
}

/* ---- Ollama: POST {base}/api/embed ------------------------------------ */

static void encode_ollama(const struct lb_batch *b, struct lb_wire *wire)
{
	json_auto_t *body = lb_json_pack("{s:s, s:O}", "model", b->model->name,
					 "input", b->texts);

	lb_json_merge(body, b->options);
	lb_buf_printf(&wire->url, "%s/api/embed", b->model->base_url);
	lb_buf_json(&wire->body, body);
}

/* Rows in the order of the texts. */
static int take_rows(const json_t *list, const char *member,
		     const json_t **rows, size_t n, struct lb_error *err)
{
	const json_t *row;
	size_t i;

	if (json_array_size(list) > n)
		return lb_fail(err, LB_PROTOCOL,
			       "there are more vectors than texts");
	json_array_foreach(list, i, row)
	{
		rows[i] = member ? json_object_get(row, member) : row;
	}
	return 0;
}

static int decode_ollama(const json_t *value, const json_t **rows, size_t n,
			 struct lb_error *err)
{
	return take_rows(json_object_get(value, "embeddings"), NULL, rows, n,
			 err);
}

/* ---- Gemini: POST {base}/models/MODEL:batchEmbedContents --------------- */

static void authorize_gemini(const struct lb_model *model, struct lb_wire *wire)
{
	if (model->key)
		lb_wire_secret(wire, "x-goog-api-key", "", model->key);
}

static void encode_gemini(const struct lb_batch *b, struct lb_wire *wire)
{
	const char *name = b->model->name;
	json_auto_t *body = lb_json_pack("{s:[]}", "requests");
	lb_autobuf struct lb_buf model = {0};
	const json_t *text;
	size_t i;

	if (strncmp(name, "models/", 7) == 0)
		name += 7;
	lb_buf_printf(&model, "models/%s", name);
	json_array_foreach(b->texts, i, text)
	{
		json_t *one = lb_json_pack("{s:s, s:{s:[{s:O}]}, s:s}", "model",
					   model.data, "content", "parts",
					   "text", text, "taskType",
					   b->query ? "RETRIEVAL_QUERY"
						    : "RETRIEVAL_DOCUMENT");

		lb_json_merge(one, b->options);
		json_array_append_new(json_object_get(body, "requests"), one);
	}
	lb_buf_printf(&wire->url, "%s/%s:batchEmbedContents",
		      b->model->base_url, model.data);
	lb_buf_json(&wire->body, body);
}

static int decode_gemini(const json_t *value, const json_t **rows, size_t n,
			 struct lb_error *err)
{
	return take_rows(json_object_get(value, "embeddings"), "values", rows,
			 n, err);
}

/* ---- Cohere: POST {base}/embed ----------------------------------------- */

static void encode_cohere(const struct lb_batch *b, struct lb_wire *wire)
{
	json_auto_t *body =
		lb_json_pack("{s:s, s:O, s:s, s:[s]}", "model", b->model->name,
			     "texts", b->texts, "input_type",
			     b->query ? "search_query" : "search_document",
			     "embedding_types", "float");

	lb_json_merge(body, b->options);
	lb_buf_printf(&wire->url, "%s/embed", b->model->base_url);
	lb_buf_json(&wire->body, body);
}

static int decode_cohere(const json_t *value, const json_t **rows, size_t n,
			 struct lb_error *err)
{
	const json_t *by_type = json_object_get(value, "embeddings");

	return take_rows(json_object_get(by_type, "float"), NULL, rows, n, err);
}

/* ------------------------------------------------------------------------ */

static const char *const openai_usage[] = {"usage.prompt_tokens",
					   "usage.total_tokens", NULL};
static const char *const ollama_usage[] = {"prompt_eval_count", NULL};
static const char *const gemini_usage[] = {"usageMetadata.promptTokenCount",
					   NULL};
static const char *const cohere_usage[] = {"meta.billed_units.input_tokens",
					   "meta.tokens.input_tokens", NULL};

static const struct lb_embed_shape shapes[] = {
	{"openai", lb_wire_bearer, encode_openai, decode_openai, openai_usage},
	{"ollama", lb_wire_bearer, encode_ollama, decode_ollama, ollama_usage},
	{"gemini", authorize_gemini, encode_gemini, decode_gemini,
	 gemini_usage},
	{"cohere", lb_wire_bearer, encode_cohere, decode_cohere, cohere_usage},
};

/* What goes with a protocol of chat. */
static const char *usual_shape(const struct lb_protocol *chat)
{
	if (strncmp(chat->name, "ollama", 6) == 0)
		return "ollama";
	if (strncmp(chat->name, "gemini", 6) == 0)
		return "gemini";
	return "openai";
}

const struct lb_embed_shape *lb_embed_shape_of(const struct lb_model *model,
					       struct lb_error *err)
{
	const char *name = lb_json_str(model->about, "embedding-protocol");

	if (!name)
		name = usual_shape(model->protocol);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (strcmp(shapes[i].name, name) == 0)
			return &shapes[i];
	lb_fail(err, LB_CONFIG,
		"provider '%s': there is no embedding-protocol '%s'",
		model->provider, name);
	return NULL;
}

int64_t lb_tokens_at(const json_t *value, const char *const *places)
{
	for (; *places; places++) {
		const char *dot = strrchr(*places, '.');
		lb_autobuf struct lb_buf path = {0};
		const json_t *in = value;
		int64_t n;

		if (dot) {
			lb_buf_put(&path, *places, (size_t)(dot - *places));
			in = lb_json_path(value, path.data);
		}
		n = lb_reader_count(in, dot ? dot + 1 : *places);
		if (n >= 0)
			return n;
	}
	return -1;
}
