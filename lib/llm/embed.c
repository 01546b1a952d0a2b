/* embed.c - a request for embeddings, in as many pieces as it needs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/embed.h"
#include "llm/exchange.h"
#include "llm/vectors-call.h"

/* Texts in a request where the provider does not say; bytes of them. */
enum { USUAL_BATCH = 64, MAX_BATCH = 2048, MAX_BATCH_BYTES = 512 << 10 };

static int decode_base64(const json_t *row, struct lb_buf *raw)
{
	const char *text = json_string_value(row);

	if (!text || !lb_base64_decode(raw, text, json_string_length(row)))
		return -1;
	return raw->len % sizeof(float) == 0 ? 0 : -1;
}

static float float_of(const char *raw)
{
	const unsigned char *p = (const unsigned char *)raw;
	uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 |
			(uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

int lb_embed_row(const json_t *row, float **at, size_t *dimensions,
		 struct lb_error *err)
{
	lb_autobuf struct lb_buf raw = {0};
	bool array = json_is_array(row);
	size_t n = json_array_size(row);

	if (!array && decode_base64(row, &raw) < 0)
		return lb_fail(err, LB_PROTOCOL, "a text has no vector");
	if (!array)
		n = raw.len / sizeof(float);
	if (n == 0 || n > LB_MAX_DIMENSIONS)
		return lb_fail(err, LB_PROTOCOL, "a vector has %zu dimensions",
			       n);
	if (*dimensions && n != *dimensions)
		return lb_fail(err, LB_PROTOCOL,
			       "vectors have %zu and %zu dimensions",
			       *dimensions, n);
	if (!*at)
		*at = lb_alloc(n * sizeof(float));
	*dimensions = n;
	for (size_t i = 0; i < n; i++) {
		const json_t *x = array ? json_array_get(row, i) : NULL;

		if (array && !json_is_number(x))
			return lb_fail(err, LB_PROTOCOL,
				       "a vector holds what is no number");
		(*at)[i] = array ? (float)json_number_value(x)
				 : float_of(raw.data + i * sizeof(float));
		if (!isfinite((*at)[i]))
			return lb_fail(err, LB_PROTOCOL,
				       "a vector holds what is not finite");
	}
	return 0;
}

/* How many texts from `first` on go into one request. */
static size_t batch_size(const struct lb_vectors_call *c, size_t first)
{
	size_t left = json_array_size(c->texts) - first, n, bytes = 0;
	int64_t most = USUAL_BATCH;

	lb_json_int(c->model->about, "embedding-batch", &most);
	if (most < 1)
		most = 1;
	if (most > MAX_BATCH)
		most = MAX_BATCH;
	for (n = 0; n < left && n < (size_t)most; n++) {
		bytes +=
			json_string_length(json_array_get(c->texts, first + n));
		if (n > 0 && bytes > MAX_BATCH_BYTES)
			break;
	}
	return n;
}

static int encode(struct lb_vectors_call *c, struct lb_wire *wire,
		  struct lb_error *err)
{
	const struct lb_embed_shape *shape = lb_embed_shape_of(c->model, err);
	const json_t *own = json_object_get(c->model->about,
					    c->query ? "embedding-query"
						     : "embedding-document");
	json_auto_t *texts = json_array(), *options = json_object();

	if (!shape)
		return -1;
	c->batch = batch_size(c, c->done);
	for (size_t i = 0; i < c->batch; i++)
		json_array_append(texts, json_array_get(c->texts, c->done + i));
	if (own)
		lb_json_merge(options, own);
	if (c->options)
		lb_json_merge(options, c->options);
	lb_wire_header(wire, "Content-Type", "application/json", err);
	lb_wire_header(wire, "Accept", "application/json", err);
	shape->authorize(c->model, wire);
	shape->encode(&(struct lb_batch){.model = c->model,
					 .texts = texts,
					 .query = c->query,
					 .options = options},
		      wire);
	return 0;
}

static void on_answer(void *arg, const struct lb_answer *answer);

static int ask(struct lb_vectors_call *c, struct lb_error *err)
{
	struct lb_wire wire = {0};
	int r = encode(c, &wire, err);

	if (r == 0) {
		c->exchange =
			lb_exchange_start(lb_llm_http(c->errand.llm), c->model,
					  &wire, on_answer, c, err);
		r = c->exchange ? 0 : -1;
	}
	lb_wire_release(&wire);
	return r;
}

/* Room for all vectors, once their length is known. */
static int make_room(struct lb_vectors_call *c, size_t dimensions,
		     struct lb_error *err)
{
	size_t n = json_array_size(c->texts);

	if (dimensions > LB_MAX_FLOATS / n)
		return lb_fail(err, LB_UNAVAILABLE,
			       "%zu vectors of %zu dimensions are too many", n,
			       dimensions);
	c->vectors = lb_alloc(n * dimensions * sizeof(float));
	return 0;
}

static int take_row(struct lb_vectors_call *c, size_t i, const json_t *row,
		    struct lb_error *err)
{
	float *at = c->vectors ? c->vectors + i * c->dimensions : NULL;
	float *first = at;

	if (lb_embed_row(row, &at, &c->dimensions, err) < 0 ||
	    (!first && make_room(c, c->dimensions, err) < 0)) {
		if (!first)
			free(at);
		return -1;
	}
	if (!first) {
		memcpy(c->vectors + i * c->dimensions, at,
		       c->dimensions * sizeof(float));
		free(at);
	}
	return 0;
}

static int take(struct lb_vectors_call *c, const json_t *value,
		struct lb_error *err)
{
	const struct lb_embed_shape *shape = lb_embed_shape_of(c->model, err);
	lb_autofree const json_t **rows = lb_alloc(c->batch * sizeof(*rows));
	int64_t tokens;

	if (!shape || shape->decode(value, rows, c->batch, err) < 0)
		return -1;
	for (size_t i = 0; i < c->batch; i++)
		if (take_row(c, c->done + i, rows[i], err) < 0)
			return -1;
	tokens = lb_tokens_at(value, shape->usage);
	if (tokens >= 0)
		c->usage.input =
			(c->usage.input < 0 ? 0 : c->usage.input) + tokens;
	c->done += c->batch;
	return 0;
}

static void on_answer(void *arg, const struct lb_answer *answer)
{
	struct lb_vectors_call *c = arg;
	struct lb_error err;

	c->exchange = NULL;
	if (!answer->value)
		lb_vectors_refused(c, answer);
	else if (take(c, answer->value, &err) < 0 ||
		 (c->done < json_array_size(c->texts) && ask(c, &err) < 0))
		lb_vectors_failed(c, &err);
	else if (c->done == json_array_size(c->texts))
		lb_vectors_over(c, &(struct lb_vectors_answer){
					   .vectors = c->vectors,
					   .n = c->done,
					   .dimensions = c->dimensions});
}

/* Offline: made here, told from the loop. */
static void play(void *arg)
{
	struct lb_vectors_call *c = arg;
	size_t n = json_array_size(c->texts), size = LB_OFFLINE_DIMENSIONS;

	c->vectors = lb_alloc(n * size * sizeof(float));
	for (size_t i = 0; i < n; i++)
		lb_offline_vector(json_string_value(
					  json_array_get(c->texts, i)),
				  c->vectors + i * size);
	lb_vectors_over(c, &(struct lb_vectors_answer){.vectors = c->vectors,
						       .n = n,
						       .dimensions = size});
}

static struct lb_vectors_call *begin(const struct lb_model *model,
				     const struct lb_embed_request *request,
				     struct lb_error *err)
{
	struct lb_vectors_call *c;

	if (lb_vectors_check(request->texts, LB_MAX_TEXTS, "text", err) < 0)
		return NULL;
	c = lb_vectors_make(model, request->texts, request->options);
	c->query = request->query;
	return c;
}

struct lb_vectors_call *lb_embed_start(struct lb_llm *llm,
				       const struct lb_model *model,
				       const struct lb_embed_request *request,
				       lb_vectors_fn *fn, void *arg,
				       struct lb_error *err)
{
	struct lb_vectors_call *c = begin(model, request, err);

	if (!c)
		return NULL;
	lb_vectors_begin(c, llm, fn, arg);
	if (model->protocol->play) {
		lb_vectors_play(c, play);
	} else if (ask(c, err) < 0) {
		lb_vectors_cancel(c);
		return NULL;
	}
	return c;
}

json_t *lb_embed_dry_run(const struct lb_model *model,
			 const struct lb_embed_request *request,
			 struct lb_error *err)
{
	struct lb_vectors_call *c = begin(model, request, err);

	return c ? lb_vectors_dry_run(c, encode, err) : NULL;
}

void lb_put_vector(struct lb_buf *b, const float *at, size_t dimensions)
{
	lb_buf_putc(b, '[');
	for (size_t i = 0; i < dimensions; i++) {
		char text[32];

		/* as short as it can be */
		for (int digits = 6; digits <= 9; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits,
				 (double)at[i]);
			if (strtof(text, NULL) == at[i])
				break;
		}
		lb_buf_printf(b, "%s%s", i ? "," : "", text);
	}
	lb_buf_putc(b, ']');
}
