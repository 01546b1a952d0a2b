/*
 * fuzz-vectors - any JSON as an answer with embeddings in each shape, with
 * ranks, or with a list of models: vectors are all of one length and finite,
 * ranks are of documents there are, each once and the best first, and rows of
 * models have what they always have.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/embed.h"
#include "llm/facts.h"
#include "llm/rerank.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS = 3 };

static void check_row(const json_t *row, size_t *dimensions)
{
	lb_autofree float *at = NULL;
	struct lb_error err;
	size_t before = *dimensions;

	if (lb_embed_row(row, &at, dimensions, &err) < 0) {
		if (err.code != LB_PROTOCOL)
			abort();
		return;
	}
	if (*dimensions == 0 || *dimensions > LB_MAX_DIMENSIONS ||
	    (before && before != *dimensions))
		abort();
	for (size_t i = 0; i < *dimensions; i++) {
		lb_autobuf struct lb_buf text = {0};

		if (!isfinite(at[i]))
			abort();
		lb_put_vector(&text, at + i, 1);
		if (strtof(text.data + 1, NULL) < at[i] ||
		    strtof(text.data + 1, NULL) > at[i])
			abort();
	}
}

static void check_embeddings(const json_t *value)
{
	static const char *const shapes[] = {"openai", "ollama", "gemini",
					     "cohere"};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct lb_model model = {
			.protocol = &lb_openai_chat,
			.about = lb_json_pack("{s:s}", "embedding-protocol",
					      shapes[i]),
		};
		const json_t *rows[TEXTS] = {NULL};
		struct lb_error err;
		const struct lb_embed_shape *shape =
			lb_embed_shape_of(&model, &err);
		size_t dimensions = 0;

		if (shape->decode(value, rows, TEXTS, &err) == 0)
			for (size_t j = 0; j < TEXTS; j++)
				check_row(rows[j], &dimensions);
		lb_tokens_at(value, shape->usage);
		json_decref(model.about);
	}
}

static void check_ranks(const json_t *value, size_t top)
{
	struct lb_rank ranks[TEXTS];
	struct lb_error err;
	bool seen[TEXTS] = {false};
	size_t n = 0;

	if (lb_rerank_decode(value, TEXTS, top, ranks, &n, &err) < 0)
		return;
	if (n == 0 || n > TEXTS || (top > 0 && n > top))
		abort();
	for (size_t i = 0; i < n; i++) {
		if (ranks[i].index >= TEXTS || seen[ranks[i].index] ||
		    !isfinite(ranks[i].score) ||
		    (i > 0 && ranks[i].score > ranks[i - 1].score))
			abort();
		seen[ranks[i].index] = true;
	}
}

static void check_models(const json_t *value)
{
	json_t *rows = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(value, "data"), i, row)
	{
		const char *id = lb_json_str(row, "id");

		if (id)
			json_array_append_new(rows, lb_model_facts(id, row));
	}
	lb_models_sort(rows);
	json_array_foreach(rows, i, row)
	{
		if (!lb_json_str(row, "id") || !lb_json_str(row, "type"))
			abort();
	}
	json_decref(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autobuf struct lb_buf mended = {0};
	json_auto_t *value = NULL;

	lb_log_level(LB_ERROR);
	value = lb_record_load((const char *)data, size, &mended);
	if (!value)
		return 0;
	check_embeddings(value);
	check_ranks(value, size % 4);
	check_models(value);
	return 0;
}
