#include "tool/python.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/session.h"
#include "fs/lock.h"
#include "tool/args.h"
#include "tool/python-job.h"

enum {
	AGAIN_MS = 300,    /* another process makes it: is it there? */
	FORGET_MS = 60000, /* one that could not be made is tried again */
	CLOSE_MS = 3000,
	MOST = 4, /* that are made at a time */
};

struct lb_python {
	struct making *of;
	struct lb_python *next;
	struct lb_timer timer;
	void (*done)(void *arg, const struct lb_python_end *end);
	void *arg;
};

/* An environment that is made, or could not be. */
struct making {
	struct lb_pythons *p;
	struct making *next;
	char *path; /* of the skill */
	struct lb_python_job job;
	struct lb_box_skill skill;
	struct lb_box_spec spec;
	struct lb_box_run *run;
	int held; /* the lock, or -1 */
	struct lb_timer again;
	struct lb_python *waiting;
	int64_t began, forget; /* mono ms; 0: it is under way */
	char *why;             /* it could not */
};

struct lb_pythons {
	struct lb_loop *loop;
	struct lb_config *config;
	char *state;
	struct lb_box *box;
	struct making *first;
};

struct lb_pythons *lb_pythons_open(struct lb_loop *loop,
				   struct lb_config *config, const char *state)
{
	struct lb_pythons *p = lb_alloc(sizeof(*p));

	p->loop = loop;
	p->config = config;
	p->state = lb_strdup(state);
	p->box = lb_box_open(loop, config, state);
	return p;
}

static void drop(struct making *m)
{
	struct making **at = &m->p->first;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	lb_timer_cancel(m->p->loop, &m->again);
	if (m->held >= 0)
		close(m->held);
	lb_box_spec_release(&m->spec);
	free((char *)(uintptr_t)m->job.name);
	free(m->path);
	free((char *)(uintptr_t)m->job.session);
	free((char *)(uintptr_t)m->job.profile);
	free((char *)(uintptr_t)m->job.env);
	free(m->why);
	free(m);
}

void lb_pythons_close(struct lb_pythons *p)
{
	int64_t until = lb_clock_mono() + CLOSE_MS;
	bool runs = true;

	if (!p)
		return;
	for (struct making *m = p->first; m; m = m->next)
		if (m->run)
			lb_box_cancel(m->run);
	while (runs && lb_clock_mono() < until) {
		runs = false;
		for (struct making *m = p->first; m; m = m->next)
			runs = runs || m->run;
		if (runs)
			lb_loop_turn(p->loop, 100);
	}
	while (p->first)
		drop(p->first);
	lb_box_close(p->box);
	free(p->state);
	free(p);
}

void lb_python_leave(struct lb_python *w)
{
	struct lb_python **at = &w->of->waiting;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	lb_timer_cancel(w->of->p->loop, &w->timer);
	free(w);
}

static void tell(struct lb_python *w, const struct lb_python_end *end)
{
	void (*done)(void *, const struct lb_python_end *) = w->done;
	void *arg = w->arg;

	lb_python_leave(w);
	done(arg, end);
}

static void on_deadline(void *arg)
{
	struct lb_python *w = arg;
	lb_autofree char *why =
		lb_printf("the Python packages of skill '%s' are being "
			  "installed, which takes a while; make the same call "
			  "again",
			  w->of->job.name);

	tell(w, &(struct lb_python_end){.why = why});
}

/* It is over; `why` it could not be made, or NULL. */
static void finish(struct making *m, const char *why)
{
	struct lb_python_end end = {
		.folder = why ? NULL : m->job.env,
		.why = why,
		.took_ms = m->run || m->began == 0 ? 0
						   : lb_clock_mono() - m->began,
	};

	if (m->held >= 0)
		close(m->held);
	m->held = -1;
	m->why = why ? lb_strdup(why) : NULL;
	end.why = m->why;
	m->forget = lb_clock_mono() + FORGET_MS;
	while (m->waiting)
		tell(m->waiting, &end);
	if (!m->why)
		drop(m);
}

static int remember(struct making *m, struct lb_error *err)
{
	struct lb_box_session s;
	int r = lb_python_session(&m->job, &s, err);

	if (r < 0)
		return -1;

	r = lb_python_made(&s, m->job.name, m->job.need.digest, err);
	lb_box_session_close(&s);
	return r;
}

static void on_made(void *arg, struct lb_box_result *r,
		    const struct lb_error *error)
{
	struct making *m = arg;
	lb_autofree char *why = NULL;
	struct lb_error err;

	m->run = NULL;
	if (!error && r->end == LB_BOX_COMPLETED && r->exit_code == 0 &&
	    !r->killed_by) {
		if (remember(m, &err) < 0)
			error = &err;
	} else {
		why = lb_python_why(&m->job, &m->spec, r, error);
	}
	if (!why && error)
		why = lb_python_why(&m->job, &m->spec, r, error);
	if (why)
		lb_warn("%s", why);
	else
		lb_log(LB_INFO, NULL,
		       "the Python packages of skill '%s' were installed in "
		       "%lld "
		       "ms",
		       m->job.name, (long long)r->duration_ms);
	finish(m, why);
}

static int begin(struct making *m, struct lb_error *err)
{
	json_auto_t *request = lb_python_request(&m->job, err);
	const struct lb_box_job job = {
		.spec = &m->spec,
		.asker = LB_BOX_BY_POLICY,
		.skills = &m->skill,
		.n_skills = 1,
		.in = -1,
		.out = -1,
		.err = -1,
		.done = on_made,
		.arg = m,
	};

	if (!request || lb_box_spec_read(&m->spec, request, err) < 0)
		return -1;
	m->began = lb_clock_mono();
	m->run = lb_box_start(m->p->box, &job, err);
	return m->run ? 0 : -1;
}

static bool is_busy(const struct lb_pythons *p)
{
	int n = 0;

	for (const struct making *m = p->first; m; m = m->next)
		n += m->run != NULL;
	return n >= MOST;
}

/* 1: it is there; 0: it is being made, here or elsewhere, or will be; -1. */
static int look(struct making *m, struct lb_error *err)
{
	struct lb_box_session s;
	lb_autofree char *lock = NULL;
	pid_t holder;
	int r = lb_python_session(&m->job, &s, err);

	if (r < 0)
		return -1;
	if (lb_python_is_made(&s, m->job.name, m->job.need.digest)) {
		r = 1;
	} else if (!is_busy(m->p)) {
		lock = lb_python_lock(&s, m->job.name);
		m->held = lb_lock_hold(lock, &holder, err);
		if (m->held < 0)
			r = err->code == LB_AGAIN ? 0 : -1;
		else if (lb_python_is_made(&s, m->job.name, m->job.need.digest))
			r = 1; /* just now */
		else
			r = begin(m, err);
	}
	lb_box_session_close(&s);
	return r;
}

static void look_again(void *arg)
{
	struct making *m = arg;
	struct lb_error err;
	int r = look(m, &err);

	if (r != 0)
		finish(m, r < 0 ? lb_tool_told(&err, m->p->state) : NULL);
	else if (!m->run)
		lb_timer_set(m->p->loop, &m->again, lb_clock_mono() + AGAIN_MS,
			     look_again, m);
}

/* The one of the same skill, session and packages; what failed is forgotten
 * after a while. */
static struct making *find(struct lb_pythons *p,
			   const struct lb_python_order *o,
			   const struct lb_python_need *need)
{
	struct making *m = p->first, *next;
	int64_t now = lb_clock_mono();

	for (; m; m = next) {
		next = m->next;
		if (m->forget && m->forget <= now && !m->waiting)
			drop(m);
		else if (strcmp(m->job.name, o->name) == 0 &&
			 strcmp(m->job.session, o->session) == 0 &&
			 strcmp(m->job.need.digest, need->digest) == 0)
			return m;
	}
	return NULL;
}

static struct making *add(struct lb_pythons *p, const struct lb_python_order *o,
			  const struct lb_python_need *need)
{
	struct making *m = lb_alloc(sizeof(*m));

	m->p = p;
	m->job.config = p->config;
	m->job.state = p->state;
	m->next = p->first;
	p->first = m;
	m->job.name = lb_strdup(o->name);
	m->path = lb_strdup(o->path);
	m->job.session = lb_strdup(o->session);
	m->job.profile = lb_strdup(o->profile);
	m->job.need = *need;
	m->job.env = lb_printf(LB_BOX_WORKSPACE "/" LB_PYTHON_ENVS "/%s.%s",
			       o->name, need->digest);
	m->skill = (struct lb_box_skill){.name = m->job.name, .path = m->path};
	m->held = -1;
	lb_timer_set(p->loop, &m->again, lb_clock_mono(), look_again, m);
	return m;
}

static void tell_failed(void *arg)
{
	struct lb_python *w = arg;

	tell(w, &(struct lb_python_end){.why = w->of->why});
}

struct lb_python *lb_python_start(struct lb_pythons *p,
				  const struct lb_python_order *o,
				  struct lb_error *err)
{
	struct lb_python_need need;
	struct lb_python *w;
	struct making *m;

	if (lb_python_need(o->folder, &need, err) < 0)
		return NULL;
	m = find(p, o, &need);
	if (!m)
		m = add(p, o, &need);
	w = lb_alloc(sizeof(*w));
	w->of = m;
	w->next = m->waiting;
	m->waiting = w;
	w->done = o->done;
	w->arg = o->arg;
	if (m->why)
		lb_timer_set(p->loop, &w->timer, lb_clock_mono(), tell_failed,
			     w);
	else
		lb_timer_set(p->loop, &w->timer, o->deadline, on_deadline, w);
	return w;
}
