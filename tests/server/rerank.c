/*
 * rerank.c - endpoints of rerank, and Cohere's of embeddings. The more letters
 * of the query a document has, the higher is its score.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "double.h"

static double score_of(const char *query, const char *text)
{
	size_t found = 0;

	for (const char *p = query; *p; p++)
		found += strchr(text, *p) != NULL;
	return (double)found / (double)strlen(query);
}

/* A list of texts, none empty. */
static bool texts_ok(const json_t *body, const char *key, size_t most,
		     struct fault *f)
{
	const json_t *list = json_object_get(body, key), *text;
	size_t i;

	if (json_array_size(list) == 0 || json_array_size(list) > most)
		return wrong(f, key, "%s must be a list of 1 to %zu texts", key,
			     most);
	json_array_foreach(list, i, text)
	{
		if (json_string_length(text) == 0)
			return wrong(f, key, "%s must not be empty", key);
	}
	return true;
}

static bool common_ok(const json_t *body, const char *top, struct fault *f)
{
	const char *query = lb_json_str(body, "query");
	int64_t n;

	if (!lb_json_str(body, "model"))
		return wrong(f, "model", "model is required");
	if (!query || !*query)
		return wrong(f, "query", "query is required");
	if (json_object_get(body, top) &&
	    (!lb_json_int(body, top, &n) || n < 1))
		return wrong(f, top, "%s must be at least 1", top);
	return texts_ok(body, "documents", 1000, f);
}

static const char *last(const json_t *body, bool *tools)
{
	(void)tools;
	return lb_json_str(body, "query");
}

static bool no_stream(const struct request *r, const json_t *body)
{
	(void)r;
	(void)body;
	return false;
}

struct hit {
	int index;
	double score;
};

static int better(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return x->index - y->index;
}

/* As many as wanted, the best first. */
static json_t *ranks(const json_t *body, const char *top)
{
	const json_t *documents = json_object_get(body, "documents");
	size_t n = json_array_size(documents);
	lb_autofree struct hit *hits = lb_alloc(n * sizeof(*hits));
	int64_t most = (int64_t)n;
	json_t *out = json_array();

	lb_json_int(body, top, &most);
	for (size_t i = 0; i < n; i++)
		hits[i] =
			(struct hit){(int)i,
				     score_of(lb_json_str(body, "query"),
					      json_string_value(
						      json_array_get(documents,
								     i)))};
	qsort(hits, n, sizeof(*hits), better);
	for (size_t i = 0; i < n && (int64_t)i < most; i++)
		json_array_append_new(out, lb_json_pack("{s:i, s:f}", "index",
							hits[i].index,
							"relevance_score",
							hits[i].score));
	return out;
}

/* ---- POST /v2/rerank and /v2/embed of Cohere --------------------------- */

static json_t *message(const struct fault *f)
{
	return lb_json_pack("{s:s}", "message", f->message);
}

static bool cohere_ok(const struct request *r, const json_t *body,
		      struct fault *f)
{
	static const char *const known[] = {"model",
					    "query",
					    "documents",
					    "top_n",
					    "max_tokens_per_doc",
					    "priority",
					    NULL};

	(void)r;
	return knows_all(body, known, f) && common_ok(body, "top_n", f);
}

static void cohere_whole(struct turn *t)
{
	send_json(t,
		  lb_json_pack("{s:s, s:o, s:{s:{s:i}}}", "id", "r-1",
			       "results", ranks(t->body, "top_n"), "meta",
			       "billed_units", "search_units", 1),
		  FRAME_VALUE, 0);
}

const struct service cohere_rerank_service = {
	.name = "cohere-rerank",
	.key_ok = bearer_ok,
	.ok = cohere_ok,
	.refuse = message,
	.last = last,
	.wants_stream = no_stream,
	.whole = cohere_whole,
};

static bool embed_ok(const struct request *r, const json_t *body,
		     struct fault *f)
{
	static const char *const types[] = {"search_document", "search_query",
					    "classification", "clustering",
					    NULL};

	(void)r;
	if (!lb_json_str(body, "model"))
		return wrong(f, "model", "model is required");
	if (!is_one_of(lb_json_str(body, "input_type"), types))
		return wrong(f, "input_type",
			     "valid input_type must be provided with the "
			     "provided model");
	if (json_array_size(json_object_get(body, "embedding_types")) == 0)
		return wrong(f, "embedding_types",
			     "embedding_types is required");
	return texts_ok(body, "texts", 96, f);
}

static const char *embed_last(const json_t *body, bool *tools)
{
	const json_t *texts = json_object_get(body, "texts");

	(void)tools;
	return json_string_value(
		json_array_get(texts, json_array_size(texts) - 1));
}

static void embed_whole(struct turn *t)
{
	const json_t *texts = json_object_get(t->body, "texts"), *text;
	json_t *rows = json_array();
	size_t i;

	json_array_foreach(texts, i, text)
	{
		json_array_append_new(rows,
				      lb_json_pack("[f, f]",
						   (double)json_string_length(
							   text) /
							   256,
						   -0.5));
	}
	send_json(t,
		  lb_json_pack("{s:s, s:{s:o}, s:O, s:{s:{s:i}}}", "id", "e-1",
			       "embeddings", "float", rows, "texts", texts,
			       "meta", "billed_units", "input_tokens", 4),
		  FRAME_VALUE, 0);
}

const struct service cohere_embed_service = {
	.name = "cohere-embed",
	.key_ok = bearer_ok,
	.ok = embed_ok,
	.refuse = message,
	.last = embed_last,
	.wants_stream = no_stream,
	.whole = embed_whole,
};

/* ---- POST /v1/rerank of Voyage ----------------------------------------- */

static json_t *detail(const struct fault *f)
{
	return lb_json_pack("{s:s}", "detail", f->message);
}

static bool voyage_ok(const struct request *r, const json_t *body,
		      struct fault *f)
{
	static const char *const known[] = {"model",
					    "query",
					    "documents",
					    "top_k",
					    "return_documents",
					    "truncation",
					    NULL};

	(void)r;
	return knows_all(body, known, f) && common_ok(body, "top_k", f);
}

static void voyage_whole(struct turn *t)
{
	send_json(t,
		  lb_json_pack("{s:s, s:o, s:s, s:{s:i}}", "object", "list",
			       "data", ranks(t->body, "top_k"), "model",
			       lb_json_str(t->body, "model"), "usage",
			       "total_tokens", 5),
		  FRAME_VALUE, 0);
}

const struct service voyage_rerank_service = {
	.name = "voyage-rerank",
	.key_ok = bearer_ok,
	.ok = voyage_ok,
	.refuse = detail,
	.last = last,
	.wants_stream = no_stream,
	.whole = voyage_whole,
};
