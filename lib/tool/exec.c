#include "tool/exec.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/admit.h"
#include "box/attach.h"
#include "box/audit.h"
#include "box/backend.h"
#include "box/box.h"
#include "box/meter.h"
#include "box/profile.h"
#include "tool/args.h"
#include "tool/elevated.h"
#include "tool/preview.h"

enum {
	LEAVE_MS = 1000, /* of a call's time, to answer in */
};

struct lb_execs {
	struct lb_loop *loop;
	struct lb_config *config;
	char *state;
	struct lb_box *box;
	struct lb_store *store;     /* opened when somebody has to be asked */
	struct lb_box_meter *meter; /* NULL: there are no quotas */
	size_t running;
	struct lb_exec *first, **end; /* those that wait */
};

struct lb_exec {
	struct lb_execs *execs;
	struct lb_exec_order order;
	char *session; /* the order's; owned */
	struct lb_box_spec spec;
	size_t ours; /* of its variables, the first */
	struct lb_box_run *run;
	struct lb_box_ticket ticket;
	json_t *notes;
	json_t *refusal; /* to be told from the loop */
	struct lb_timer timer;
	bool waits;
	struct lb_exec *next; /* then */
};

struct lb_execs *lb_execs_open(struct lb_loop *loop, struct lb_config *config,
			       const char *state)
{
	struct lb_execs *e = lb_alloc(sizeof(*e));

	e->loop = loop;
	e->config = config;
	e->state = lb_strdup(state);
	e->box = lb_box_open(loop, config, state);
	e->meter = lb_box_meter_open(config, state);
	e->end = &e->first;
	return e;
}

void lb_execs_close(struct lb_execs *e)
{
	if (!e)
		return;
	lb_box_close(e->box);
	lb_box_meter_close(e->meter);
	lb_store_close(e->store);
	free(e->state);
	free(e);
}

static void release(struct lb_exec *x)
{
	lb_timer_cancel(x->execs->loop, &x->timer);
	lb_box_spec_release(&x->spec);
	json_decref(x->notes);
	json_decref(x->refusal);
	free(x->session);
	free(x);
}

static void audit(const struct lb_exec *x, const struct lb_box_result *r,
		  enum lb_box_decision decision, const char *reason)
{
	struct lb_box_audit row = {
		.time = lb_clock_now() - (r ? r->duration_ms : 0),
		.tool = "exec",
		.description = lb_json_str(x->order.arguments, "description"),
		.decision = decision,
		.reason = reason,
		.command = lb_json_str(x->order.arguments, "command"),
		.env = x->spec.env ? x->spec.env + x->ours : NULL,
		.profile = x->order.policy.profile,
		.exit_code = -1,
		.duration_ms = -1,
		.spec = &x->spec,
	};

	lb_box_audit_context(&row, x->execs->config, x->order.context);
	if (!row.session)
		row.session = x->order.session;
	if (r)
		lb_box_audit_result(&row, r);
	lb_box_audit_write(x->execs->state, &row);
}

static void start_waiting(struct lb_execs *e);

static void on_done(void *arg, struct lb_box_result *r,
		    const struct lb_error *error)
{
	struct lb_exec *x = arg;
	struct lb_execs *e = x->execs;
	json_t *result, *note;
	size_t i;

	x->run = NULL;
	lb_box_meter_settle(e->meter, &x->ticket, r->cpu_ms, r->duration_ms,
			    !error || error->code == LB_IO);
	json_array_foreach(x->notes, i, note) json_array_append(r->notes, note);
	if (error && error->code == LB_UNAVAILABLE)
		lb_box_doubt();
	if (error) {
		audit(x, NULL,
		      error->code == LB_DENIED ? LB_BOX_DENIED : LB_BOX_ALLOWED,
		      error->text);
		result = lb_tool_trouble(error, e->state);
	} else {
		audit(x, r, LB_BOX_ALLOWED, NULL);
		result = lb_box_result_json(r, false);
		lb_exec_preview(result);
	}
	e->running--;
	x->order.done(x->order.arg, result);
	release(x);
	start_waiting(e);
}

/* No longer than whoever asked waits. */
static int fit_deadline(struct lb_exec *x, struct lb_error *err)
{
	int64_t left = x->order.deadline - lb_clock_mono() - LEAVE_MS;

	if (left <= -LEAVE_MS)
		return lb_fail(err, LB_AGAIN, "there is no time left for it");
	if (x->spec.timeout_ms <= left)
		return 0;
	x->spec.timeout_ms = left > LEAVE_MS ? left : LEAVE_MS;
	json_array_append_new(
		x->notes,
		json_sprintf("timeout_sec was cut to %lld: a call of a tool "
			     "may not take longer",
			     (long long)x->spec.timeout_ms / 1000));
	return 0;
}

static int ask(struct lb_exec *x, json_t **refusal, struct lb_error *err)
{
	struct lb_execs *e = x->execs;

	return lb_elevated_ask(&(struct lb_elevated){.config = e->config,
						     .state = e->state,
						     .store = &e->store,
						     .spec = &x->spec,
						     .session =
							     x->order.session,
						     .context =
							     x->order.context},
			       refusal, err);
}

/* Is there something left for whoever asks? */
static int reserve(struct lb_exec *x, struct lb_box_job *job,
		   struct lb_error *err)
{
	struct lb_execs *e = x->execs;
	struct lb_box_whose whose;

	if (!e->meter)
		return 0;
	lb_box_whose_of(&whose, e->config, x->order.context, x->order.session);
	if (lb_box_meter_take(e->meter, &whose, x->spec.cpus,
			      x->spec.timeout_ms, &x->ticket, err) < 0)
		return -1;
	job->counts_cpu = true;
	job->most_cpu_ms = x->ticket.cpu_ms;
	return 0;
}

static int begin(struct lb_exec *x, struct lb_error *err)
{
	struct lb_execs *e = x->execs;
	json_auto_t *request = lb_exec_request(&x->order), *whole = NULL;
	struct lb_box_job job = {
		.spec = &x->spec,
		.asker = x->order.folder ? LB_BOX_BY_PERSON : LB_BOX_BY_POLICY,
		.on_host = x->order.policy.place == LB_ON_HOST,
		.skills = x->order.skills,
		.n_skills = x->order.n_skills,
		.in = -1,
		.out = -1,
		.err = -1,
		.done = on_done,
		.arg = x,
	};
	int may = 1;

	if (lb_args_check(lb_exec_schema, x->order.arguments, err) < 0)
		return -1;
	if (!job.on_host &&
	    json_is_false(lb_config_get(e->config, "box.enabled")))
		return lb_fail(err, LB_UNAVAILABLE,
			       "the sandbox is switched off (box.enabled: "
			       "false)");
	whole = lb_box_profile_apply(e->config, x->order.policy.profile,
				     request, x->notes, err);
	if (!whole || lb_box_spec_read(&x->spec, whole, err) < 0)
		return -1;
	if (x->order.policy.ask)
		may = ask(x, &x->refusal, err);
	if (may <= 0)
		return may;
	if (fit_deadline(x, err) < 0 || reserve(x, &job, err) < 0)
		return -1;
	/* Not a part of what is approved: it is another for each message. */
	if (!job.on_host && x->order.session && lb_box_has_files(e->config))
		x->ours = lb_attach_env(&x->spec,
					lb_json_str(x->order.context, "id"));
	x->run = lb_box_start(e->box, &job, err);
	if (!x->run)
		lb_box_meter_settle(e->meter, &x->ticket, 0, 0, false);
	e->running += x->run != NULL;
	return x->run ? 1 : -1;
}

static void tell_refusal(void *arg)
{
	struct lb_exec *x = arg;
	json_t *refusal = x->refusal;

	x->refusal = NULL;
	x->order.done(x->order.arg, refusal);
	release(x);
}

static void refuse(struct lb_exec *x, json_t *take)
{
	lb_timer_cancel(x->execs->loop, &x->timer);
	x->refusal = take;
	lb_timer_set(x->execs->loop, &x->timer, lb_clock_mono(), tell_refusal,
		     x);
}

static void launch(struct lb_exec *x)
{
	struct lb_error err;
	int begun = begin(x, &err);

	if (begun > 0)
		return;
	if (begun < 0) {
		audit(x, NULL,
		      err.code == LB_DENIED ? LB_BOX_DENIED : LB_BOX_ALLOWED,
		      err.text);
		refuse(x, lb_tool_trouble(&err, x->execs->state));
		return;
	}
	audit(x, NULL, LB_BOX_PENDING, "waits for an operator");
	refuse(x, x->refusal);
}

/* It does not wait any more. */
static void leave(struct lb_exec *x)
{
	struct lb_execs *e = x->execs;
	struct lb_exec **at = &e->first;

	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
	if (!x->next)
		e->end = at;
	x->waits = false;
	lb_timer_cancel(e->loop, &x->timer);
}

static void start_waiting(struct lb_execs *e)
{
	while (e->first && e->running < LB_EXECS) {
		struct lb_exec *x = e->first;

		leave(x);
		launch(x);
	}
}

static void on_too_late(void *arg)
{
	struct lb_exec *x = arg;
	struct lb_error err;

	leave(x);
	lb_fail(&err, LB_AGAIN,
		"too many commands run at this moment; try again later");
	audit(x, NULL, LB_BOX_ALLOWED, err.text);
	refuse(x, lb_tool_trouble(&err, x->execs->state));
}

struct lb_exec *lb_exec_start(struct lb_execs *execs,
			      const struct lb_exec_order *order)
{
	struct lb_exec *x = lb_alloc(sizeof(*x));

	x->execs = execs;
	x->order = *order;
	if (order->session)
		x->order.session = x->session = lb_strdup(order->session);
	x->notes = json_array();
	if (execs->running < LB_EXECS && !execs->first) {
		launch(x);
		return x;
	}
	x->waits = true;
	*execs->end = x;
	execs->end = &x->next;
	lb_timer_set(execs->loop, &x->timer, order->deadline - LEAVE_MS,
		     on_too_late, x);
	return x;
}

void lb_exec_stop(struct lb_exec *x)
{
	if (x->run) {
		lb_box_cancel(x->run);
	} else if (x->waits) {
		leave(x);
		refuse(x, lb_tool_refuse("the call was cancelled"));
	}
}
