/* rounds.c - the model, the tools it calls, the model again. */
#include <string.h>

#include "agent/local.h"
#include "agent/turn.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "config/notice.h"
#include "llm/model.h"
#include "provider/names.h"

/* A model whose calls are no JSON is told so once. */
enum { MAX_BAD_ROUNDS = 2 };

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

/* The limits of the turn's pipeline. */
static const json_t *limits_of(const struct turn *t)
{
	return lb_json_path(lb_config_pipeline(agent_of(t)->options->config,
					       t->pipeline),
			    "ai.local-agent.limits");
}

static int64_t limit(const struct turn *t, const char *name, int64_t otherwise)
{
	int64_t value = otherwise;

	lb_json_int(limits_of(t), name, &value);
	return value;
}

void turn_put_message(struct turn *t)
{
	bool calls = json_array_size(t->calls) > 0;
	json_t *m;

	if (t->said.len > 0 || calls) {
		m = lb_json_pack("{s:s, s:o}", "role", "assistant", "content",
				 t->said.len > 0 ? lb_json_text(t->said.data,
								t->said.len)
						 : json_null());
		if (calls)
			json_object_set(m, "tool_calls", t->calls);
		if (t->keep)
			json_object_set(m, "keep", t->keep);
		json_array_append_new(t->made, m);
	}
	lb_buf_reset(&t->said);
	json_decref(t->calls);
	json_decref(t->keep);
	t->calls = t->keep = NULL;
}

void turn_be_still(struct turn *t)
{
	struct lb_loop *loop = agent_of(t)->loop;

	lb_failover_cancel(t->asked);
	t->asked = NULL;
	listing_cancel(t->listing);
	t->listing = NULL;
	attach_cancel(t);
	active_cancel(t);
	preload_cancel(t);
	calls_cancel(t, "cancelled");
	lb_timer_cancel(loop, &t->step);
	lb_timer_cancel(loop, &t->clock);
}

/* What the user reads of an end that the model did not make. */
static void say_notice(struct turn *t, const char *key, int64_t value)
{
	lb_autobuf struct lb_buf notice = {0}, number = {0};

	lb_buf_printf(&number, "%lld", (long long)value);
	lb_notice_put(&notice, agent_of(t)->options->config, key, "limit",
		      lb_buf_str(&number), NULL);
	turn_say(t, lb_buf_str(&notice), notice.len);
}

/*
 * A limit ends the turn: what was said stays, and the user is told. In the
 * history the notice stands for the model's answer.
 */
static void stop(struct turn *t, const char *why)
{
	static const char *const counted[] = {"rounds", "calls", "tokens",
					      NULL};
	const struct lb_subject of = lb_record_subject(t->query);
	lb_autobuf struct lb_buf key = {0};
	int64_t value = 0;

	turn_be_still(t);
	calls_gather(t);
	json_decref(t->calls); /* those that were not begun */
	t->calls = NULL;
	turn_put_message(t);
	for (size_t i = 0; counted[i]; i++)
		if (strcmp(counted[i], why) == 0)
			value = limit(t, why, 0);
	t->ended = why;
	lb_log(LB_WARNING, &of, "stopped by the limit of '%s'", why);
	lb_buf_printf(&key, "stopped-%s", why);
	say_notice(t, lb_buf_str(&key), value);
	turn_put_message(t);
	if (t->too_long)
		turn_failed(t, LB_CODE_LIMIT, "the answer is too long");
	else
		turn_answered(t);
}

static void out_of_time(void *arg)
{
	stop(arg, "time");
}

void turn_begin_clock(struct turn *t)
{
	int64_t ms = limit(t, "time", 0);

	if (ms > 0 && ms < INT32_MAX) /* none is no limit */
		lb_timer_set(agent_of(t)->loop, &t->clock, lb_clock_mono() + ms,
			     out_of_time, t);
}

/* The limit that a further round would be beyond, or NULL. */
static const char *limit_reached(const struct turn *t)
{
	int64_t used = (t->usage.input > 0 ? t->usage.input : 0) +
		       (t->usage.output > 0 ? t->usage.output : 0);
	int64_t tokens = limit(t, "tokens", 0);
	double cost = json_number_value(json_object_get(limits_of(t), "cost"));

	if (t->stop)
		return t->stop;
	if (t->rounds >= limit(t, "rounds", 128))
		return "rounds";
	if (tokens > 0 && used >= tokens)
		return "tokens";
	if (cost > 0 && (double)turn_cost(t) >= cost * 1e6)
		return "cost";
	return NULL;
}

static void next_round(void *arg)
{
	struct turn *t = arg;
	const char *reached;
	struct lb_error err;

	calls_gather(t);
	t->bad_rounds = t->bad_call ? t->bad_rounds + 1 : 0;
	t->bad_call = false;
	if (t->bad_rounds >= MAX_BAD_ROUNDS) {
		turn_failed(t, LB_CODE_MALFORMED,
			    "the model's calls of tools are not JSON, even "
			    "after it was told so");
		return;
	}
	reached = limit_reached(t);
	if (reached) {
		stop(t, reached);
		return;
	}
	t->rounds++;
	if (runner_local_ask(t, &err) < 0)
		turn_failed(t, lb_code_of(&err), err.text);
}

void turn_called(struct turn *t)
{
	/* not from inside of what called us */
	lb_timer_set(agent_of(t)->loop, &t->step, lb_clock_mono(), next_round,
		     t);
}

static void stop_calls(void *arg)
{
	stop(arg, "calls");
}

static void take_call(struct turn *t, const struct lb_llm_event *e)
{
	lb_autobuf struct lb_buf name = {0};

	if (!t->calls)
		t->calls = json_array();
	/* A name that is none would have every later request refused. */
	lb_tool_name(&name, NULL, e->name);
	json_array_append_new(t->calls,
			      lb_json_pack("{s:s, s:s, s:{s:s, s:o}}", "id",
					   e->call_id, "type", "function",
					   "function", "name",
					   lb_buf_str(&name), "arguments",
					   lb_json_text(e->text, e->len)));
}

/* The model's answer is whole: it calls tools, or that was it. */
static void round_ended(struct turn *t, const char *finish)
{
	int64_t n = (int64_t)json_array_size(t->calls);

	if (t->too_long) {
		turn_failed(t, LB_CODE_LIMIT, "the answer is too long");
	} else if (n > 0 && t->tally.n + n > limit(t, "calls", 512)) {
		lb_timer_set(agent_of(t)->loop, &t->step, lb_clock_mono(),
			     stop_calls, t);
	} else if (n > 0) {
		turn_say_calls(t);
		if (!attach_outbox(t, calls_run))
			calls_run(t);
	} else {
		turn_put_message(t);
		if (finish && strcmp(finish, "length") == 0) {
			t->ended = finish;
			say_notice(t, "cut-length", 0);
			lb_buf_reset(&t->said);
		}
		turn_answered(t);
	}
}

static void shorten(void *arg)
{
	struct turn *t = arg;
	struct lb_error err;

	if (runner_local_shorten(t, &err) < 0)
		turn_failed(t, lb_code_of(&err), err.text);
}

static void simplify(void *arg)
{
	struct turn *t = arg;
	struct lb_error err;

	if (runner_local_simplify(t, &err) < 0)
		turn_failed(t, lb_code_of(&err), err.text);
}

static void round_failed(struct turn *t, const struct lb_llm_event *e)
{
	bool refused =
		e->code == LB_CODE_BAD_REQUEST || e->code == LB_CODE_USAGE;
	lb_timer_fn *again = NULL;

	if (e->code == LB_CODE_CONTEXT_LENGTH && t->history > 0)
		again = shorten;
	else if (refused && runner_local_may_simplify(t))
		again = simplify;
	if (again && t->said.len == 0)
		/* not from inside the client that called us */
		lb_timer_set(agent_of(t)->loop, &t->step, lb_clock_mono(),
			     again, t);
	else
		turn_failed(t, e->code, e->message);
}

void turn_event(void *arg, const struct lb_llm_event *e)
{
	struct turn *t = arg;

	switch (e->kind) {
	case LB_LLM_TEXT:
		turn_say(t, e->text, e->len);
		break;
	case LB_LLM_REASONING:
		turn_think(t, e->text, e->len);
		break;
	case LB_LLM_TOOL_CALL:
		take_call(t, e);
		break;
	case LB_LLM_KEEP:
		json_decref(t->keep);
		t->keep = json_deep_copy(e->keep);
		break;
	case LB_LLM_USAGE:
		lb_usage_add(&t->usage, &e->usage);
		break;
	case LB_LLM_END:
		runner_local_answered(t, e);
		round_ended(t, e->finish);
		break;
	case LB_LLM_FAILED:
		runner_local_answered(t, e);
		round_failed(t, e);
		break;
	}
}
