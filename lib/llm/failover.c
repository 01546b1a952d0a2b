#include "llm/failover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "llm/cooling.h"

enum { MAX_CHANGES = 4, MAX_WHY = 200 };
/* A refused key is one for longer than a limit of rate lasts. */
enum { KEY_COOLDOWN_MS = 10 * 60 * 1000 };
static const int64_t change_ms = 30LL * 24 * 3600 * 1000;

/* What is known of one of the models. */
struct candidate {
	struct lb_model *model;
	json_t *changes; /* of parameters; or NULL */
	int n_changes;
	size_t key; /* of the model's: others who share it may use another */
	bool key_tried[LB_MODEL_KEYS]; /* and refused */
};

struct lb_failover {
	struct lb_failover_plan plan;
	struct candidate at[LB_FAILOVER_MODELS];
	size_t n, now;
	struct lb_llm_call *call;
	struct lb_timer timer; /* for the next try */
	json_t *passed;        /* those who failed or are left alone */
	long tries;            /* of the last model */
	int64_t began;
	bool spoke; /* something was handed on */
};

/* A time that sums of it can be made with; none of it is `none`. */
static int64_t time_of(struct lb_config *config, const char *key, int64_t none)
{
	static const int64_t most = 365LL * 24 * 3600 * 1000;
	int64_t ms = lb_config_ms(config, key);

	if (ms == INT64_MAX)
		ms = none;
	return ms < most ? ms : most;
}

void lb_failover_bounds(struct lb_failover_bounds *bounds,
			struct lb_config *config)
{
	int64_t tries = 3;

	lb_json_int(lb_config_section(config, "llm"), "retry.tries", &tries);
	*bounds = (struct lb_failover_bounds){
		.tries = (long)tries,
		.backoff_ms = time_of(config, "llm.retry.backoff", 0),
		.budget_ms = time_of(config, "llm.retry.budget", INT64_MAX),
		.cooldown_ms = time_of(config, "llm.retry.cool-down", 0),
	};
}

static void release(struct lb_failover *f)
{
	lb_timer_cancel(f->plan.loop, &f->timer);
	for (size_t i = 0; i < f->n; i++)
		json_decref(f->at[i].changes);
	json_decref(f->passed);
	free(f);
}

void lb_failover_cancel(struct lb_failover *f)
{
	if (!f)
		return;
	lb_llm_cancel(f->call);
	release(f);
}

static void pass_over(struct lb_failover *f, const struct lb_model *model,
		      const char *code, const char *why)
{
	size_t len = lb_utf8_cut(why, strlen(why), MAX_WHY);

	json_array_append_new(f->passed,
			      lb_json_pack("{s:s, s:s, s:o}", "model",
					   model->label, "code", code,
					   "message", lb_json_text(why, len)));
}

/* ---- the last event ---- */

/* Who answered or failed last, and who did before. */
static void end(struct lb_failover *f, const struct lb_llm_event *event)
{
	struct lb_llm_event last = *event;
	lb_llm_fn *fn = f->plan.event;
	void *arg = f->plan.arg;
	json_auto_t *passed = json_incref(f->passed);

	last.model = f->at[f->now].model;
	last.passed = json_array_size(passed) > 0 ? passed : NULL;
	release(f);
	fn(arg, &last);
}

/* Between two tries: there is no event that says it. */
static void fail(struct lb_failover *f, enum lb_code code, const char *why)
{
	end(f, &(struct lb_llm_event){.kind = LB_LLM_FAILED,
				      .code = code,
				      .message = why,
				      .retry_after_ms = -1});
}

/* ---- asking ---- */

static void on_event(void *arg, const struct lb_llm_event *event);

static int ask(struct lb_failover *f, struct lb_error *err)
{
	struct candidate *c = &f->at[f->now];
	struct lb_llm_request request = {0};

	if (f->plan.request(f->plan.arg, c->model, &request, err) < 0)
		return -1;
	request.changes = c->changes;
	if (c->model->n_keys > 0)
		lb_model_use_key(c->model, c->key);
	f->call =
		lb_llm_start(f->plan.llm, c->model, &request, on_event, f, err);
	return f->call ? 0 : -1;
}

static void on_timer(void *arg)
{
	struct lb_failover *f = arg;
	struct lb_error err;

	if (ask(f, &err) < 0)
		fail(f, lb_code_of(&err), err.text);
}

/* Never from inside the client that called us. */
static void ask_in(struct lb_failover *f, int64_t ms)
{
	lb_timer_set(f->plan.loop, &f->timer, lb_clock_mono() + ms, on_timer,
		     f);
}

/* ---- what to do about a failure ---- */

/* The request without the parameter that was refused. */
static bool change(struct lb_failover *f, const struct lb_llm_event *e)
{
	struct candidate *c = &f->at[f->now];
	json_auto_t *change = lb_llm_change(e);
	const char *name, *instead;
	json_t *value;

	if (!change || f->plan.bounds.strict_params ||
	    c->n_changes++ >= MAX_CHANGES)
		return false;
	if (!c->changes)
		c->changes = json_object();
	json_object_foreach(change, name, value)
	{
		instead = json_string_value(value);
		lb_warn("%s does not take '%s': it is %s%s from now on",
			c->model->label, name,
			instead ? "sent as " : "left out",
			instead ? instead : "");
	}
	json_object_update(c->changes, change);
	lb_cooling_note_changes(f->plan.memo, c->model, c->changes,
				lb_clock_now() + change_ms);
	ask_in(f, 0);
	return true;
}

/* What the provider asks for, else that. */
static int64_t pause_of(const struct lb_llm_event *e, int64_t otherwise)
{
	return e->retry_after_ms >= 0 ? e->retry_after_ms : otherwise;
}

/* Another key of the same provider, that nobody was refused with. */
static bool next_key(struct lb_failover *f, const struct lb_llm_event *e)
{
	struct candidate *c = &f->at[f->now];
	struct lb_model *m = c->model;
	bool refused = e->code == LB_CODE_AUTH;
	size_t used = c->key;
	const char *why;

	if ((!refused && e->code != LB_CODE_RATE) || m->n_keys < 2)
		return false;
	lb_cooling_key(f->plan.memo, m, used, lb_code_name(e->code),
		       lb_clock_now() +
			       pause_of(e,
					refused ? KEY_COOLDOWN_MS
						: f->plan.bounds.cooldown_ms));
	c->key_tried[used] = true;
	c->key = m->key_in_use; /* which others may have found by now */
	if (!lb_cooling_pick_key(f->plan.memo, m, c->key_tried, &c->key, &why))
		return false;
	/* a limit passes by itself, a refusal somebody must mend */
	lb_log(refused ? LB_WARNING : LB_INFO, NULL,
	       "%s; asking with key %zu of %zu instead of %zu", e->message,
	       c->key + 1, m->n_keys, used + 1);
	ask_in(f, 0);
	return true;
}

/* Malformed is an empty answer, too. */
static bool is_worth_another_try(const struct lb_llm_event *e)
{
	return lb_code_is_passing(e->code) || e->code == LB_CODE_MALFORMED;
}

/* Can another model cure it? */
static bool is_curable(const struct lb_failover *f,
		       const struct lb_llm_event *e, const struct lb_model *by)
{
	if (e->code == LB_CODE_AUTH)
		return strcmp(by->provider, f->at[f->now].model->provider) != 0;
	return is_worth_another_try(e);
}

static bool next_model(struct lb_failover *f, const struct lb_llm_event *e)
{
	const struct lb_model *m = f->at[f->now].model;
	size_t next = f->now + 1;

	while (next < f->n && !is_curable(f, e, f->at[next].model))
		next++;
	if (next == f->n)
		return false;
	pass_over(f, m, lb_code_name(e->code), e->message);
	lb_cooling_model(f->plan.memo, m, lb_code_name(e->code),
			 lb_clock_now() +
				 pause_of(e, f->plan.bounds.cooldown_ms));
	lb_warn("%s; asking %s", e->message, f->at[next].model->label);
	f->now = next;
	f->tries = 0;
	ask_in(f, 0);
	return true;
}

/* A pause that grows; several who fail at once do not come back at once. */
static int64_t backoff(const struct lb_failover *f,
		       const struct lb_llm_event *e)
{
	long doubled = f->tries < 10 ? f->tries : 10;
	int64_t ms = f->plan.bounds.backoff_ms << doubled;
	int64_t least = pause_of(e, ms / 2);

	return least + (int64_t)(lb_random() % (uint64_t)(ms / 2 + 1));
}

static bool again(struct lb_failover *f, const struct lb_llm_event *e)
{
	const struct lb_model *m = f->at[f->now].model;
	int64_t spent = lb_clock_mono() - f->began;
	int64_t left = f->plan.bounds.budget_ms - spent, ms;

	if (!is_worth_another_try(e) || f->tries + 1 >= f->plan.bounds.tries)
		return false;
	ms = backoff(f, e);
	if (ms > left) {
		lb_log(LB_INFO, NULL,
		       "%s: asked again not before %lld ms: that is too late",
		       m->label, (long long)ms);
		return false;
	}
	f->tries++;
	lb_log(LB_WARNING, NULL, "%s; asking again in %.1f s", e->message,
	       (double)ms / 1000);
	ask_in(f, ms);
	return true;
}

static void put_end_of_patience(struct lb_buf *b, const struct lb_failover *f,
				const struct lb_llm_event *e)
{
	lb_buf_puts(b, e->message);
	if (e->retry_after_ms > f->plan.bounds.budget_ms)
		lb_buf_printf(b,
			      " (it wants to be asked again in %lld s, longer "
			      "than llm.retry.budget)",
			      (long long)(e->retry_after_ms / 1000));
	else if (f->tries > 0)
		lb_buf_printf(b, " (asked %ld times)", f->tries + 1);
}

static void on_failure(struct lb_failover *f, const struct lb_llm_event *e)
{
	lb_autobuf struct lb_buf text = {0};
	struct lb_llm_event last = *e;

	if (!f->spoke &&
	    (change(f, e) || next_key(f, e) || next_model(f, e) || again(f, e)))
		return;
	put_end_of_patience(&text, f, e);
	last.message = text.data;
	end(f, &last);
}

static void on_event(void *arg, const struct lb_llm_event *e)
{
	struct lb_failover *f = arg;

	switch (e->kind) {
	case LB_LLM_FAILED:
		f->call = NULL;
		on_failure(f, e);
		return;
	case LB_LLM_END:
		f->call = NULL;
		end(f, e);
		return;
	case LB_LLM_USAGE:
	case LB_LLM_KEEP:
		break;
	case LB_LLM_TEXT:
	case LB_LLM_REASONING:
	case LB_LLM_TOOL_CALL:
		f->spoke = true;
		break;
	}
	f->plan.event(f->plan.arg, e);
}

/* ---- the order in which they are asked ---- */

/* Those that are to be left alone come last: better than nobody. */
static void line_up(struct lb_failover *f, const struct lb_failover_plan *plan)
{
	struct lb_model *late[LB_FAILOVER_MODELS];
	size_t n_late = 0, n = plan->n;

	if (n > LB_FAILOVER_MODELS)
		n = LB_FAILOVER_MODELS;
	for (size_t i = 0; i < n; i++) {
		struct lb_model *m = plan->models[i];
		static const bool none[LB_MODEL_KEYS];
		const char *why = NULL, *cold;
		size_t key = m->key_in_use;

		if (n > 1)
			why = lb_cooling_is_model(plan->memo, m);
		if (lb_cooling_pick_key(plan->memo, m, none, &key, &cold))
			lb_model_use_key(m, key);
		else if (n > 1 && !why)
			why = cold;
		if (why)
			late[n_late++] = m;
		else
			f->at[f->n++].model = m;
		if (why)
			pass_over(f, m, why, "left alone after a failure");
	}
	if (f->n == 0) /* all of them: then in the order that was asked for */
		json_array_clear(f->passed);
	for (size_t i = 0; i < n_late; i++)
		f->at[f->n++].model = late[i];
	for (size_t i = 0; i < f->n; i++) {
		f->at[i].key = f->at[i].model->key_in_use;
		f->at[i].changes =
			lb_cooling_changes(plan->memo, f->at[i].model);
	}
}

struct lb_failover *lb_failover_start(const struct lb_failover_plan *plan,
				      struct lb_error *err)
{
	struct lb_failover *f = lb_alloc(sizeof(*f));

	f->plan = *plan;
	f->plan.models = NULL;
	f->passed = json_array();
	f->began = lb_clock_mono();
	line_up(f, plan);
	if (ask(f, err) == 0)
		return f;
	release(f);
	return NULL;
}
