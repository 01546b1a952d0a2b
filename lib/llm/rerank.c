/*
 * rerank.c - documents by how well they answer a query. Cohere, Jina, Voyage
 * and the rest differ in names alone: POST {base}/rerank.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "llm/embed.h"
#include "llm/rerank.h"
#include "llm/vectors-call.h"

static const char *const usage_places[] = {"usage.prompt_tokens",
					   "usage.total_tokens",
					   "meta.tokens.input_tokens", NULL};

static void put_url(const struct lb_model *model, struct lb_buf *url)
{
	const char *whole = lb_json_str(model->about, "rerank-url");
	const char *path = lb_json_str(model->about, "rerank-path");

	if (whole && *whole)
		lb_buf_puts(url, whole);
	else
		lb_buf_printf(url, "%s/%s", model->base_url,
			      path && *path ? path + strspn(path, "/")
					    : "rerank");
}

static int encode(struct lb_vectors_call *c, struct lb_wire *wire,
		  struct lb_error *err)
{
	const char *top = lb_json_str(c->model->about, "rerank-top");
	const json_t *own = json_object_get(c->model->about, "rerank-args");
	json_auto_t *body =
		lb_json_pack("{s:s, s:s, s:O}", "model", c->model->name,
			     "query", c->asked, "documents", c->texts);

	/* all of them is what every service does unasked */
	if (c->top > 0 && c->top < json_array_size(c->texts))
		json_object_set_new(body, top ? top : "top_n",
				    json_integer((json_int_t)c->top));
	if (own)
		lb_json_merge(body, own);
	if (c->options)
		lb_json_merge(body, c->options);
	lb_wire_header(wire, "Content-Type", "application/json", err);
	lb_wire_header(wire, "Accept", "application/json", err);
	lb_wire_bearer(c->model, wire);
	put_url(c->model, &wire->url);
	lb_buf_json(&wire->body, body);
	return 0;
}

static int by_score(const void *a, const void *b)
{
	const struct lb_rank *x = a, *y = b;

	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int take_one(const json_t *item, size_t n, bool *seen,
		    struct lb_rank *rank, struct lb_error *err)
{
	const json_t *score = json_object_get(item, "relevance_score");
	int64_t index;

	if (!score)
		score = json_object_get(item, "score");
	if (!lb_json_int(item, "index", &index) || index < 0 ||
	    (size_t)index >= n || seen[index])
		return lb_fail(err, LB_PROTOCOL,
			       "a result is of no document, or of one that "
			       "has its own");
	if (!json_is_number(score) || !isfinite(json_number_value(score)))
		return lb_fail(err, LB_PROTOCOL, "a result has no score");
	seen[index] = true;
	*rank = (struct lb_rank){(size_t)index, json_number_value(score)};
	return 0;
}

int lb_rerank_decode(const json_t *value, size_t n, size_t top,
		     struct lb_rank *ranks, size_t *got, struct lb_error *err)
{
	const json_t *list = json_object_get(value, "results"), *item;
	lb_autofree bool *seen = lb_alloc(n);
	size_t i;

	if (!json_is_array(list))
		list = json_object_get(value, "data");
	if (!json_is_array(list))
		list = lb_json_path(value, "output.results");
	if (json_array_size(list) == 0)
		return lb_fail(err, LB_PROTOCOL, "the answer has no results");
	if (json_array_size(list) > n)
		return lb_fail(err, LB_PROTOCOL,
			       "there are more results than documents");
	json_array_foreach(list, i, item)
	{
		if (take_one(item, n, seen, &ranks[i], err) < 0)
			return -1;
	}
	qsort(ranks, i, sizeof(*ranks), by_score);
	*got = top > 0 && top < i ? top : i;
	return 0;
}

static void on_answer(void *arg, const struct lb_answer *answer)
{
	struct lb_vectors_call *c = arg;
	size_t n = json_array_size(c->texts), got = 0;
	lb_autofree struct lb_rank *ranks = lb_alloc(n * sizeof(*ranks));
	struct lb_error err;

	c->exchange = NULL;
	if (!answer->value) {
		lb_vectors_refused(c, answer);
	} else if (lb_rerank_decode(answer->value, n, c->top, ranks, &got,
				    &err) < 0) {
		lb_vectors_failed(c, &err);
	} else {
		c->usage.input = lb_tokens_at(answer->value, usage_places);
		lb_vectors_over(c, &(struct lb_vectors_answer){.ranks = ranks,
							       .n_ranks = got});
	}
}

static void play(void *arg)
{
	struct lb_vectors_call *c = arg;
	size_t n = json_array_size(c->texts);
	lb_autofree struct lb_rank *ranks = lb_alloc(n * sizeof(*ranks));

	for (size_t i = 0; i < n; i++)
		ranks[i] = (struct lb_rank){
			i,
			lb_offline_score(c->asked,
					 json_string_value(
						 json_array_get(c->texts, i)))};
	qsort(ranks, n, sizeof(*ranks), by_score);
	lb_vectors_over(c, &(struct lb_vectors_answer){
				   .ranks = ranks,
				   .n_ranks = c->top > 0 && c->top < n ? c->top
								       : n});
}

static struct lb_vectors_call *begin(const struct lb_model *model,
				     const struct lb_rerank_request *request,
				     struct lb_error *err)
{
	struct lb_vectors_call *c;
	size_t len = request->query ? strlen(request->query) : 0;

	if (len == 0 || len > LB_MAX_TEXT) {
		lb_fail(err, LB_USAGE,
			len ? "the query is longer than %d bytes"
			    : "there is no query",
			LB_MAX_TEXT);
		return NULL;
	}
	if (lb_vectors_check(request->documents, LB_MAX_DOCUMENTS, "document",
			     err) < 0)
		return NULL;
	c = lb_vectors_make(model, request->documents, request->options);
	c->asked = lb_strdup(request->query);
	c->top = request->top;
	return c;
}

struct lb_vectors_call *lb_rerank_start(struct lb_llm *llm,
					const struct lb_model *model,
					const struct lb_rerank_request *request,
					lb_vectors_fn *fn, void *arg,
					struct lb_error *err)
{
	struct lb_vectors_call *c = begin(model, request, err);
	struct lb_wire wire = {0};

	if (!c)
		return NULL;
	lb_vectors_begin(c, llm, fn, arg);
	if (model->protocol->play) {
		lb_vectors_play(c, play);
		return c;
	}
	if (encode(c, &wire, err) == 0)
		c->exchange = lb_exchange_start(lb_llm_http(llm), model, &wire,
						on_answer, c, err);
	lb_wire_release(&wire);
	if (c->exchange)
		return c;
	lb_vectors_cancel(c);
	return NULL;
}

json_t *lb_rerank_dry_run(const struct lb_model *model,
			  const struct lb_rerank_request *request,
			  struct lb_error *err)
{
	struct lb_vectors_call *c = begin(model, request, err);

	return c ? lb_vectors_dry_run(c, encode, err) : NULL;
}
