#include "agent/attach.h"

#include <stdlib.h>
#include <string.h>

#include "agent/turn.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/backend.h"
#include "box/key.h"
#include "box/profile.h"
#include "pipeline/policy.h"
#include "platform/media.h"

/* How long a file that is on its way is waited for, and how old its message
 * may be for that; how often we look. */
enum { COMING_MS = 10 * 1000, YOUNG_MS = 60 * 1000, LOOK_MS = 50 };

/* Of a component, beside its path. */
enum { COMPONENT = 512, DIGITS = 80 };

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

/* The sandbox where the turn's commands run; false: nowhere on this machine. */
static int find_sandbox(struct turn *t, struct lb_error *err)
{
	struct lb_config *config = agent_of(t)->options->config;
	const struct asker who = turn_asker(t);
	json_auto_t *context = asker_context(&who);
	struct lb_policy policy;

	if (lb_policy_decide(config, context,
			     &(struct lb_policy_call){.tool = "exec"}, &policy,
			     err) < 0)
		return -1;
	if (policy.place != LB_IN_SANDBOX)
		return lb_fail(err, LB_UNAVAILABLE, "commands run on the host");
	if (!lb_box_has_files(config))
		return lb_fail(err, LB_UNAVAILABLE,
			       "its files are on another machine");
	t->attach.quota_mb = lb_box_profile_quota(config, policy.profile, err);
	if (t->attach.quota_mb < 0)
		return -1;
	t->attach.session = lb_box_session(lb_box_template(config, t->pipeline),
					   context, err);
	return t->attach.session ? 0 : -1;
}

static void look_for_sandbox(struct turn *t)
{
	const struct tool *exec = toolset_find(&t->tools, "exec");
	const struct lb_subject of = lb_record_subject(t->query);
	size_t room;
	struct lb_error err;

	if (!exec || t->attach.key || !native_is_ours(agent_of(t), exec))
		return;
	if (find_sandbox(t, &err) < 0) {
		lb_log(LB_INFO, &of, "no files go into a sandbox: %s",
		       err.text);
		return;
	}
	t->attach.key = lb_attach_key(t->id);
	/* What is streamed must leave room for what comes with it. */
	room = attach_room(t);
	t->room = t->room > room ? t->room - room : 0;
}

size_t attach_room(const struct turn *t)
{
	return LB_ATTACH_OUT_FILES *
	       (strlen(agent_of(t)->options->state) + DIGITS + COMPONENT);
}

/* Where a file of the answer is kept: the same place when it is made again. */
static char *place(void *arg, const char *name, size_t i)
{
	const struct turn *t = arg;
	lb_autofree char *ref = lb_printf("outbox/%s/%s/%zu", t->session->name,
					  t->attach.key, i);

	return lb_media_path(agent_of(t)->options->state, t->bot, ref, name);
}

static void on_done(void *arg, json_t *files, const struct lb_error *err);

static bool start(struct turn *t, enum lb_attach_what what, attach_fn *then)
{
	const struct agent *a = agent_of(t);
	const struct lb_subject of = lb_record_subject(t->query);
	const struct lb_attach_job job = {
		.what = what,
		.loop = a->loop,
		.config = a->options->config,
		.state = a->options->state,
		.session = t->attach.session,
		.key = t->attach.key,
		.quota_mb = t->attach.quota_mb,
		.files = t->attach.files,
		.n = what == LB_ATTACH_PUT ? t->attach.n : 0,
		.place = what == LB_ATTACH_COLLECT ? place : NULL,
		.done = on_done,
		.arg = t,
	};
	struct lb_error err;

	t->attach.then = then;
	t->attach.what = what;
	t->attach.job = lb_attach_start(&job, &err);
	if (!t->attach.job)
		lb_log(LB_WARNING, &of, "no files go through the sandbox: %s",
		       err.text);
	return t->attach.job != NULL;
}

/* What was collected becomes components of the reply. */
static void take_out(struct turn *t, const json_t *files, bool failed)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)files, i, one)
	{
		if (!json_object_get(one, "path"))
			continue;
		if (!t->attach.out)
			t->attach.out = json_array();
		json_array_append(t->attach.out, one);
	}
	attach_say_left(t, files, failed);
}

static void on_done(void *arg, json_t *files, const struct lb_error *err)
{
	struct turn *t = arg;
	const struct lb_subject of = lb_record_subject(t->query);

	t->attach.job = NULL;
	if (err)
		lb_log(LB_WARNING, &of, "files of the sandbox: %s", err->text);
	switch (t->attach.what) {
	case LB_ATTACH_PUT:
		attach_note(t, files, err != NULL);
		attach_free_files(t);
		break;
	case LB_ATTACH_MAKE:
		break;
	case LB_ATTACH_COLLECT:
		take_out(t, files, err != NULL);
		break;
	}
	t->attach.then(t);
}

/* What is here goes in. False: it cannot, and the model is told. */
static bool put(struct turn *t, attach_fn *then)
{
	if (start(t, LB_ATTACH_PUT, then))
		return true;
	attach_note(t, NULL, true);
	attach_free_files(t);
	return false;
}

static void put_later(void *arg)
{
	struct turn *t = arg;

	if (!put(t, t->attach.go_on))
		t->attach.go_on(t);
}

/* Not from inside of the last one that came. */
static void fetched(struct turn *t)
{
	lb_timer_set(agent_of(t)->loop, &t->step, lb_clock_mono(), put_later,
		     t);
}

static void look_again(void *arg);

/* Put what is there in, or wait for it. False: there is none, or it cannot be,
 * and then the model is told. */
static bool put_in(struct turn *t, attach_fn *then)
{
	const struct lb_subject of = lb_record_subject(t->query);

	if (!attach_read(t)) {
		attach_free_files(t);
		if (t->attach.then != then)
			lb_log(LB_INFO, &of, "waits for a file of the message");
		t->attach.then = then;
		lb_timer_set(agent_of(t)->loop, &t->step,
			     lb_clock_mono() + LOOK_MS, look_again, t);
		return true;
	}
	if (t->attach.n == 0)
		return false;
	t->attach.go_on = then;
	return attach_fetch(t, fetched) || put(t, then);
}

static void look_again(void *arg)
{
	struct turn *t = arg;
	attach_fn *then = t->attach.then;

	if (!put_in(t, then))
		then(t);
}

bool attach_in(struct turn *t, attach_fn *then)
{
	int64_t sent = 0;

	look_for_sandbox(t);
	if (!t->attach.key)
		return false;
	lb_json_int(t->query->json, "time", &sent);
	if (lb_clock_now() - sent < YOUNG_MS)
		t->attach.until = lb_clock_mono() + COMING_MS;
	return put_in(t, then);
}

/* May it leave files there? */
static bool writes(const struct turn *t, const json_t *call)
{
	static const char *const those[] = {"exec", "write", "edit"};
	const char *name =
		lb_json_str(json_object_get(call, "function"), "name");
	const struct tool *tool = name ? toolset_find(&t->tools, name) : NULL;

	if (!tool || !native_is_ours(agent_of(t), tool))
		return false;
	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++)
		if (strcmp(tool->own, those[i]) == 0)
			return true;
	return false;
}

bool attach_outbox(struct turn *t, attach_fn *then)
{
	const json_t *call;
	size_t i;

	if (!t->attach.key || t->attach.made)
		return false;
	json_array_foreach(t->calls, i, call)
	{
		t->attach.made = writes(t, call);
		if (t->attach.made)
			return start(t, LB_ATTACH_MAKE, then);
	}
	return false;
}

bool attach_collect(struct turn *t, attach_fn *then)
{
	if (!t->attach.made)
		return false;
	t->attach.made = false;
	if (start(t, LB_ATTACH_COLLECT, then))
		return true;
	take_out(t, NULL, true);
	return false;
}

void attach_cancel(struct turn *t)
{
	lb_attach_cancel(t->attach.job);
	t->attach.job = NULL;
	attach_free_files(t);
}

void attach_release(struct turn *t)
{
	attach_cancel(t);
	json_decref(t->attach.user);
	json_decref(t->attach.out);
	free(t->attach.session);
	free(t->attach.key);
}
