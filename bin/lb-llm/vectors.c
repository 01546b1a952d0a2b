/* vectors.c - asking for vectors and ranks, one request after the other. */
#include "vectors.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"

static void on_answer(void *arg, const struct lb_vectors_answer *answer)
{
	struct vectors *v = arg;

	v->over = true;
	if (answer->failed) {
		lb_complain("%s: %s", lb_code_name(answer->code),
			    answer->message);
		v->code = (int)lb_code_exit(answer->code);
	} else {
		v->code = LB_OK;
		v->fn(v->arg, answer);
	}
}

static void on_time(void *arg)
{
	struct vectors *v = arg;

	v->over = true;
	lb_complain("timeout: no whole answer within --timeout");
	v->code = (int)lb_code_exit(LB_CODE_TIMEOUT);
}

static void open_once(struct vectors *v)
{
	v->over = false;
	if (v->loop)
		return;
	v->loop = lb_loop_open();
	v->llm = lb_llm_open(v->loop);
}

/* The answer, or the time is over, or it could not be asked. */
static int wait_for(struct vectors *v, struct lb_vectors_call *call,
		    int64_t timeout_ms, const struct lb_error *err)
{
	struct lb_timer timer = {0};

	if (!call)
		return lb_report(err);
	if (timeout_ms > 0 && timeout_ms < INT64_MAX)
		lb_timer_set(v->loop, &timer, lb_clock_mono() + timeout_ms,
			     on_time, v);
	while (!v->over && lb_loop_turn(v->loop, -1))
		;
	lb_timer_cancel(v->loop, &timer);
	return v->code;
}

int vectors_embed(struct vectors *v, const struct lb_model *model,
		  const struct lb_embed_request *request, int64_t timeout_ms)
{
	struct lb_error err;

	open_once(v);
	return wait_for(v,
			lb_embed_start(v->llm, model, request, on_answer, v,
				       &err),
			timeout_ms, &err);
}

int vectors_rerank(struct vectors *v, const struct lb_model *model,
		   const struct lb_rerank_request *request, int64_t timeout_ms)
{
	struct lb_error err;

	open_once(v);
	return wait_for(v,
			lb_rerank_start(v->llm, model, request, on_answer, v,
					&err),
			timeout_ms, &err);
}

void vectors_release(struct vectors *v)
{
	lb_llm_close(v->llm);
	lb_loop_close(v->loop);
}

int vectors_show(json_t *take, const struct lb_error *err)
{
	if (!take)
		return lb_report(err);
	json_dumpf(take, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(take);
	return LB_OK;
}

int vectors_flush(struct lb_out *out)
{
	struct lb_error err;

	if (lb_out_flush(out, &err) == 0)
		return LB_OK;
	if (lb_out_left(out))
		lb_die_of_sigpipe();
	return lb_report(&err);
}
