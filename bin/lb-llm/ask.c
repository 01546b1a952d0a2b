/* ask.c - one request, gathered. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/stop.h"
#include "llm.h"
#include "record/record.h"

void ask_event(void *arg, const struct lb_llm_event *e)
{
	struct ask *a = arg;

	switch (e->kind) {
	case LB_LLM_TEXT:
		lb_buf_put(&a->text, e->text, e->len);
		if (a->on_text)
			a->on_text(a->arg, e->text, e->len);
		return;
	case LB_LLM_REASONING:
		lb_buf_put(&a->reasoning, e->text, e->len);
		return;
	case LB_LLM_TOOL_CALL:
		if (!a->calls)
			a->calls = json_array();
		json_array_append_new(a->calls,
				      lb_json_pack("{s:s, s:s, s:s}", "id",
						   e->call_id, "name", e->name,
						   "arguments", e->text));
		return;
	case LB_LLM_KEEP:
		json_decref(a->keep);
		a->keep = json_deep_copy(e->keep);
		return;
	case LB_LLM_USAGE:
		a->usage = e->usage;
		return;
	case LB_LLM_END:
		a->finish = lb_strdup(e->finish);
		break;
	case LB_LLM_FAILED:
		a->failed = true;
		a->code = e->code;
		a->message = lb_strdup(e->message);
		break;
	}
	a->model = e->model;
	a->passed = e->passed ? json_deep_copy(e->passed) : NULL;
	a->over = true;
	if (a->on_over)
		a->on_over(a->arg);
}

void ask_release(struct ask *a)
{
	lb_buf_release(&a->text);
	lb_buf_release(&a->reasoning);
	json_decref(a->calls);
	json_decref(a->passed);
	json_decref(a->keep);
	free(a->finish);
	free(a->message);
}

void ask_reset(struct ask *a)
{
	struct ask fresh = {.on_text = a->on_text,
			    .on_over = a->on_over,
			    .arg = a->arg,
			    .usage = {-1, -1, -1}};

	ask_release(a);
	*a = fresh;
}

static void on_time(void *arg)
{
	struct ask *a = arg;

	a->failed = a->over = true;
	a->code = LB_CODE_TIMEOUT;
	a->message = lb_strdup("no whole answer within --timeout");
}

/* What came so far is still written and kept; then the signal is obeyed. */
static void on_stop(void *arg)
{
	struct ask *a = arg;

	a->failed = a->over = true;
	a->code = LB_CODE_LOST;
	a->message = lb_strdup("interrupted");
}

static int request_for(void *arg, const struct lb_model *model,
		       struct lb_llm_request *request, struct lb_error *err)
{
	const struct ask *a = arg;

	(void)model;
	(void)err;
	*request = *a->request;
	return 0;
}

struct lb_failover *ask_start(struct ask *a, const struct lineup *models,
			      struct lb_loop *loop, struct lb_llm *llm,
			      const struct lb_llm_request *request,
			      struct lb_error *err)
{
	a->request = request;
	return lb_failover_start(
		&(struct lb_failover_plan){
			.loop = loop,
			.llm = llm,
			.models = models->at,
			.n = models->n,
			.memo = models->limits ? &models->memo : NULL,
			.bounds = models->bounds,
			.request = request_for,
			.event = ask_event,
			.arg = a,
		},
		err);
}

int ask_wait(struct ask *a, struct lb_model *model,
	     const struct lb_llm_request *request, int64_t timeout_ms,
	     struct lb_error *err)
{
	return ask_models(a, &(struct lineup){.at = {model}, .n = 1}, request,
			  timeout_ms, err);
}

int ask_models(struct ask *a, const struct lineup *models,
	       const struct lb_llm_request *request, int64_t timeout_ms,
	       struct lb_error *err)
{
	struct lb_loop *loop = lb_loop_open();
	struct lb_llm *llm = lb_llm_open(loop);
	struct lb_timer timer = {0};
	struct lb_failover *asked;

	ask_reset(a);
	lb_stop_watch(loop, on_stop, a);
	if (timeout_ms > 0 && timeout_ms < INT64_MAX)
		lb_timer_set(loop, &timer, lb_clock_mono() + timeout_ms,
			     on_time, a);
	asked = ask_start(a, models, loop, llm, request, err);
	while (asked && !a->over && lb_loop_turn(loop, -1))
		;
	if (asked && !a->model) /* it did not end by itself */
		lb_failover_cancel(asked);
	if (!a->model)
		a->model = models->at[0];
	lb_llm_close(llm);
	lb_stop_forget(loop);
	lb_loop_close(loop);
	return asked ? 0 : -1;
}

void ask_put(struct lb_buf *b, const struct ask *a)
{
	lb_put_str(b, "model", a->model->label);
	if (a->passed)
		lb_put_json(b, "passed_over", a->passed);
	lb_put_strn(b, "text", lb_buf_str(&a->text), a->text.len);
	if (a->reasoning.len > 0)
		lb_put_strn(b, "reasoning", a->reasoning.data,
			    a->reasoning.len);
	if (a->calls)
		lb_put_json(b, "tool_calls", a->calls);
	if (a->keep)
		lb_put_json(b, "keep", a->keep);
	if (a->usage.input >= 0 || a->usage.output >= 0)
		lb_put_usage(b, &a->usage);
	if (a->finish)
		lb_put_str(b, "finish", a->finish);
}
