/* vectors-request.c - request records for embeddings and rerank. */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "llm/vectors.h"
#include "work.h"

bool entry_is_vectors(const struct entry *e)
{
	return json_object_get(e->record.json, "input") ||
	       json_object_get(e->record.json, "documents");
}

static void put_embeddings(struct lb_buf *line,
			   const struct lb_vectors_answer *a)
{
	lb_buf_puts(line, ",\"embeddings\":[");
	for (size_t i = 0; i < a->n; i++) {
		if (i > 0)
			lb_buf_putc(line, ',');
		lb_put_vector(line, a->vectors + i * a->dimensions,
			      a->dimensions);
	}
	lb_buf_putc(line, ']');
}

static void put_results(struct lb_buf *line, const struct lb_vectors_answer *a)
{
	lb_buf_puts(line, ",\"results\":[");
	for (size_t i = 0; i < a->n_ranks; i++)
		lb_buf_printf(line, "%s{\"index\":%zu,\"score\":%.9g}",
			      i ? "," : "", a->ranks[i].index,
			      a->ranks[i].score);
	lb_buf_putc(line, ']');
}

static void on_answer(void *arg, const struct lb_vectors_answer *a)
{
	static const char *const without[] = {
		"input",   "query", "documents", "top",     "embeddings",
		"results", "model", "usage",     "options", NULL,
	};
	struct entry *e = arg;

	e->work->in_flight--;
	e->done = true;
	if (a->failed) {
		entry_fail(e, a->code, a->message);
		return;
	}
	lb_splice(&e->line, &e->record, "response", without);
	lb_put_str(&e->line, "model", e->model->label);
	if (a->ranks)
		put_results(&e->line, a);
	else
		put_embeddings(&e->line, a);
	if (a->usage.input >= 0)
		lb_put_usage(&e->line, &a->usage);
	lb_put_end(&e->line);
	if (e->line.len <= e->work->how->max_line)
		return;
	lb_buf_reset(&e->line);
	entry_fail(e, LB_CODE_LIMIT,
		   "the response would be longer than a line may be: ask for "
		   "fewer at once");
}

/* A text, or a list of them. */
static json_t *texts_of(const json_t *input)
{
	if (json_is_string(input))
		return lb_json_pack("[O]", input);
	return json_is_array(input) ? json_incref((json_t *)(uintptr_t)input)
				    : json_array();
}

static void ask_rerank(struct entry *e, const json_t *options)
{
	const json_t *o = e->record.json;
	struct lb_rerank_request request = {
		.query = lb_json_str(o, "query"),
		.documents = json_object_get(o, "documents"),
		.options = options,
	};
	struct lb_error err;
	int64_t top = 0;

	if (lb_json_int(o, "top", &top) && top > 0)
		request.top = (size_t)top;
	if (e->work->how->dry_run)
		entry_show(e, lb_rerank_dry_run(e->model, &request, &err),
			   &err);
	else if (lb_rerank_start(e->work->llm, e->model, &request, on_answer, e,
				 &err))
		e->work->in_flight++;
	else
		entry_fail(e, lb_code_of(&err), err.text);
}

static void ask_embed(struct entry *e, const json_t *options)
{
	const json_t *o = e->record.json;
	json_auto_t *texts = texts_of(json_object_get(o, "input"));
	struct lb_embed_request request = {
		.texts = texts,
		.query = lb_json_bool(o, "query", false),
		.options = options,
	};
	struct lb_error err;

	if (e->work->how->dry_run)
		entry_show(e, lb_embed_dry_run(e->model, &request, &err), &err);
	else if (lb_embed_start(e->work->llm, e->model, &request, on_answer, e,
				&err))
		e->work->in_flight++;
	else
		entry_fail(e, lb_code_of(&err), err.text);
}

void entry_vectors(struct entry *e)
{
	bool rerank = json_object_get(e->record.json, "documents") != NULL;
	json_auto_t *options = entry_options(e);
	struct lb_error err;

	e->model =
		entry_model(e, rerank ? LB_FOR_RERANK : LB_FOR_EMBEDDING, &err);
	if (!e->model)
		entry_fail(e, lb_code_of(&err), err.text);
	else if (rerank)
		ask_rerank(e, options);
	else
		ask_embed(e, options);
}
