#include "llm/vectors-call.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

int lb_vectors_check(const json_t *texts, size_t most, const char *what,
		     struct lb_error *err)
{
	const json_t *text;
	size_t i;

	if (json_array_size(texts) == 0)
		return lb_fail(err, LB_USAGE, "there is no %s", what);
	if (json_array_size(texts) > most)
		return lb_fail(err, LB_USAGE, "there are more than %zu %ss",
			       most, what);
	json_array_foreach(texts, i, text)
	{
		if (!json_is_string(text))
			return lb_fail(err, LB_USAGE, "%s %zu is no string",
				       what, i);
		/* most services refuse the whole request for one of these */
		if (json_string_length(text) == 0)
			return lb_fail(err, LB_USAGE, "%s %zu is empty", what,
				       i);
		if (json_string_length(text) > LB_MAX_TEXT)
			return lb_fail(err, LB_USAGE,
				       "%s %zu is longer than %d bytes", what,
				       i, LB_MAX_TEXT);
	}
	return 0;
}

struct lb_vectors_call *lb_vectors_make(const struct lb_model *model,
					const json_t *texts,
					const json_t *options)
{
	struct lb_vectors_call *c = lb_alloc(sizeof(*c));

	c->model = model;
	c->texts = json_deep_copy(texts);
	c->options = json_is_object(options) ? json_deep_copy(options) : NULL;
	c->usage = (struct lb_usage){.input = -1, .output = -1, .cached = -1};
	return c;
}

static void release(struct lb_vectors_call *c)
{
	json_decref(c->texts);
	json_decref(c->options);
	free(c->vectors);
	free(c->asked);
	free(c);
}

void lb_vectors_cancel(struct lb_vectors_call *c)
{
	if (!c)
		return;
	lb_timer_cancel(lb_llm_loop(c->errand.llm), &c->timer);
	lb_exchange_cancel(c->exchange);
	lb_errand_remove(&c->errand);
	release(c);
}

static void cancel(struct lb_errand *errand)
{
	lb_vectors_cancel((struct lb_vectors_call *)errand);
}

void lb_vectors_begin(struct lb_vectors_call *c, struct lb_llm *llm,
		      lb_vectors_fn *fn, void *arg)
{
	c->fn = fn;
	c->arg = arg;
	lb_errand_add(llm, &c->errand, cancel);
}

void lb_vectors_play(struct lb_vectors_call *c, void (*fn)(void *arg))
{
	lb_timer_set(lb_llm_loop(c->errand.llm), &c->timer, lb_clock_mono(), fn,
		     c);
}

void lb_vectors_over(struct lb_vectors_call *c,
		     const struct lb_vectors_answer *answer)
{
	struct lb_vectors_answer whole = *answer;

	whole.usage = c->usage;
	lb_usage_price(&whole.usage, &c->model->price);
	if (!whole.failed)
		whole.retry_after_ms = -1;
	c->fn(c->arg, &whole);
	lb_errand_remove(&c->errand);
	release(c);
}

void lb_vectors_failed(struct lb_vectors_call *c, const struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};
	bool theirs = err->code == LB_PROTOCOL;

	lb_buf_printf(&text, "%s: %s", c->model->label, err->text);
	lb_hide_secrets(&text);
	lb_vectors_over(c, &(struct lb_vectors_answer){
				   .failed = true,
				   .code = theirs ? LB_CODE_MALFORMED
					   : err->code == LB_UNAVAILABLE
						   ? LB_CODE_LIMIT
						   : lb_code_of(err),
				   .message = text.data,
				   .retry_after_ms = -1});
}

void lb_vectors_refused(struct lb_vectors_call *c,
			const struct lb_answer *answer)
{
	lb_vectors_over(c, &(struct lb_vectors_answer){
				   .failed = true,
				   .code = answer->code,
				   .message = answer->message,
				   .status = answer->status,
				   .retry_after_ms = answer->retry_after_ms});
}

json_t *lb_vectors_dry_run(struct lb_vectors_call *c,
			   int (*encode)(struct lb_vectors_call *c,
					 struct lb_wire *wire,
					 struct lb_error *err),
			   struct lb_error *err)
{
	struct lb_wire wire = {0};
	json_t *out = NULL;

	if (c->model->protocol->play)
		lb_fail(err, LB_USAGE, "model '%s' sends nothing",
			c->model->label);
	else if (encode(c, &wire, err) == 0)
		out = lb_wire_shown(&wire);
	lb_wire_release(&wire);
	release(c);
	return out;
}
