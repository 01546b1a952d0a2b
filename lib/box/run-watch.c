/* run-watch.c - what a run says, its time, and its quota. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/proc.h"
#include "box/remote.h"
#include "box/run.h"

enum {
	FIRST_LOOK_MS = 50,
	SPEND_MS = 20, /* between two looks at what the processors did */
};

static void on_child(int fd, uint32_t events, void *arg)
{
	struct lb_box_run *run = arg;

	(void)events;
	lb_loop_watch(run->box->loop, fd, 0, NULL, NULL);
	run->child_gone = true;
	if (run->exited)
		lb_run_ended(run);
}

/*
 * It ends when we do: a guard sees to that, where there is no control group that
 * the next one would sweep. It is started while the backend is, as nothing runs
 * before it is let go.
 */
static int guard(struct lb_box_run *run, pid_t pid, struct lb_error *err)
{
	struct lb_box *box = run->box;

	if (run->x.group || run->driver->is_tended)
		return 0;
	if (!box->guard)
		box->guard = lb_guard_open(err);
	return box->guard ? lb_guard_add(box->guard, pid, err) : -1;
}

static void make_ready(struct lb_box_run *run);
static void on_deadline(void *arg);

static void set_deadline(struct lb_box_run *run, int slack)
{
	if (run->job.spec->timeout_ms < INT64_MAX / 2)
		lb_timer_set(run->box->loop, &run->deadline,
			     run->started + run->job.spec->timeout_ms + slack,
			     on_deadline, run);
}

/* It was brought up somewhere: from now on time and output are the command's
 * own. */
static void begin(struct lb_box_run *run)
{
	if (run->killed || run->exited)
		return;
	run->started = lb_clock_mono();
	set_deadline(run, LB_REMOTE_SLACK_MS);
	lb_box_stream_let_go(&run->out);
	lb_box_stream_let_go(&run->err);
}

static void read_line(struct lb_box_run *run, const char *line)
{
	pid_t before = run->report.child;

	bool began = run->report.began;

	run->driver->read(line, &run->report);
	if (!began && run->report.began)
		begin(run);
	if (before || !run->report.child)
		return;
	if (guard(run, run->report.child, &run->error) < 0)
		lb_run_end_early(run, NULL);
	run->child_fd = lb_proc_watch(run->report.child);
	if (run->child_fd >= 0)
		lb_loop_watch(run->box->loop, run->child_fd, EPOLLIN, on_child,
			      run);
	if (run->driver->is_tended && !run->killed)
		make_ready(run);
}

/* The backend's own report, line by line, as far as it is there. */
bool lb_run_read_status(struct lb_box_run *run)
{
	ssize_t got;
	char *end;

	if (run->x.status < 0)
		return false;
	got = read(run->x.status, run->said + run->n_said,
		   sizeof(run->said) - 1 - run->n_said);
	if (got < 0)
		return errno == EINTR;
	if (got == 0) { /* or a line that is longer than any of its own */
		if (run->driver->is_tended)
			lb_loop_watch(run->box->loop, run->x.status, 0, NULL,
				      NULL);
		close(run->x.status);
		run->x.status = -1;
		return false;
	}
	run->n_said += (size_t)got;
	run->said[run->n_said] = '\0';
	while ((end = strchr(run->said, '\n')) != NULL) {
		*end = '\0';
		read_line(run, run->said);
		run->n_said -= (size_t)(end + 1 - run->said);
		memmove(run->said, end + 1, run->n_said + 1);
	}
	return true;
}

static void on_status(int fd, uint32_t events, void *arg)
{
	(void)fd;
	(void)events;
	lb_run_read_status(arg);
}

static void on_ended(int fd, uint32_t events, void *arg)
{
	struct lb_box_run *run = arg;

	(void)events;
	if (waitpid(run->x.pid, &run->status, WNOHANG) != run->x.pid)
		return;
	run->exited = true;
	lb_loop_watch(run->box->loop, fd, 0, NULL, NULL);
	/* Its child went with it, seen by us or not. */
	run->child_gone |= run->driver->is_tended;
	/* It has said all by now; others may hold the pipe still. */
	while (lb_run_read_status(run))
		continue;
	if (!run->driver->isolates)
		kill(-run->x.pid, SIGKILL); /* what it left behind */
	lb_timer_cancel(run->box->loop, &run->deadline);
	lb_run_wait_a_bit(run);
	if (lb_run_has_ended(run))
		lb_run_ended(run);
}

/* The same for one that says when that is so; what is closed ends it. */
static void make_ready(struct lb_box_run *run)
{
	if (lb_run_let_go(run, &run->error) < 0)
		lb_run_end_early(run, NULL);
}

/* What was not let go by now never is. */
static void stay(struct lb_box_run *run)
{
	close(run->x.ready);
	run->x.ready = -1;
}

static void go_on(struct lb_box_run *run)
{
	if (!run->killed && lb_run_let_go(run, &run->error) < 0)
		lb_run_end_early(run, NULL);
	stay(run);
}

/* Its network is there, or cannot be. */
static void on_network(void *arg, const struct lb_error *why)
{
	struct lb_box_run *run = arg;

	if (!why) {
		go_on(run);
	} else if (!run->killed) {
		run->error = *why;
		lb_run_end_early(run, NULL);
	}
}

static int open_network(struct lb_box_run *run, struct lb_error *err)
{
	struct lb_bridge *b = &run->bridge;

	b->loop = run->box->loop;
	b->opened = on_network;
	b->arg = run;
	b->notes = run->result.notes;
	b->refused = run->result.refused;
	return lb_bridge_start(b,
			       &(struct lb_bridge_order){
				       .config = run->box->config,
				       .spec = run->job.spec,
				       .helper = run->job.helper,
				       .pid = run->report.child,
				       .pidfd = run->child_fd,
				       .drop = run->x.drop,
				       .uid = run->x.uid,
				       .gid = run->x.gid,
			       },
			       err);
}

/* All is mounted, and nothing runs before we let it. */
static void on_ready(int fd, uint32_t events, void *arg)
{
	struct lb_box_run *run = arg;

	lb_loop_watch(run->box->loop, fd, 0, NULL, NULL);
	while (!run->report.child && lb_run_read_status(run))
		continue;
	if (events & EPOLLERR)
		stay(run);
	else if (run->job.spec->network == LB_BOX_OFF || run->killed ||
		 run->child_fd < 0)
		go_on(run);
	else if (open_network(run, &run->error) < 0)
		lb_run_end_early(run, NULL);
}

static void on_measure(void *arg)
{
	struct lb_box_run *run = arg;
	int again = INT_MAX;

	if (!lb_run_disk(run, &run->measure_ms)) {
		lb_run_end_early(run, "disk");
		return;
	}
	if (run->measured >= 0 && !lb_run_measure(run, &again)) {
		lb_run_end_early(run, "quota");
		return;
	}
	if (again < run->measure_ms)
		run->measure_ms = again;
	lb_timer_set(run->box->loop, &run->measure,
		     lb_clock_mono() + run->measure_ms, on_measure, run);
}

/* Before it can have used what is left, nobody need look. */
static void on_spend(void *arg)
{
	struct lb_box_run *run = arg;
	double cpus = run->job.spec->cpus > 0 ? run->job.spec->cpus : 1;
	int64_t now = lb_clock_mono(), used = lb_cgroup_cpu_ms(&run->group),
		nap;

	if (used < 0)
		used = (int64_t)((double)(now - run->started) * cpus);
	if (used >= run->job.most_cpu_ms) {
		lb_run_end_early(run, "cpu");
		return;
	}
	nap = (int64_t)((double)(run->job.most_cpu_ms - used) / cpus);
	lb_timer_set(run->box->loop, &run->spend,
		     now + (nap > SPEND_MS ? nap : SPEND_MS), on_spend, run);
}

static void on_deadline(void *arg)
{
	struct lb_box_run *run = arg;

	run->timed_out = !run->killed;
	lb_run_end_early(run, NULL);
}

/* We hear of its end. */
static int keep(struct lb_box_run *run, struct lb_error *err)
{
	if (guard(run, run->x.pid, err) == 0) {
		run->pidfd = lb_proc_watch(run->x.pid);
		if (run->pidfd >= 0)
			return 0;
		lb_fail_sys(err, LB_OS, "cannot watch a process");
	}
	if (run->driver->is_tended && run->x.ready >= 0) {
		close(run->x.ready);
		run->x.ready = -1;
	} else {
		kill(-run->x.pid, SIGKILL);
	}
	waitpid(run->x.pid, NULL, 0);
	return -1;
}

int lb_run_watch(struct lb_box_run *run, struct lb_error *err)
{
	struct lb_loop *loop = run->box->loop;
	int slack = run->driver->is_remote ? LB_REMOTE_SLACK_MS : 0;

	if (keep(run, err) < 0)
		return -1;
	/* Its time is its own: what was made ready before does not count. */
	run->started = lb_clock_mono();
	lb_run_measure_first(run);
	lb_run_disk_first(run);
	lb_loop_watch(loop, run->pidfd, EPOLLIN, on_ended, run);
	/* What it says is read when it matters: it says it word by word. */
	if (run->x.status >= 0)
		fcntl(run->x.status, F_SETFL, O_NONBLOCK);
	/* but for one that says with it that all is mounted */
	if (run->driver->is_tended)
		lb_loop_watch(loop, run->x.status, EPOLLIN, on_status, run);
	else if (run->x.ready >= 0)
		lb_loop_watch(loop, run->x.ready, EPOLLOUT, on_ready, run);
	set_deadline(run, slack + run->driver->begin_ms);
	if (run->job.most_cpu_ms > 0)
		on_spend(run);
	lb_run_disk(run, &run->measure_ms);
	if (run->measure_ms > FIRST_LOOK_MS)
		run->measure_ms = FIRST_LOOK_MS;
	if (run->measured >= 0 || run->disk >= 0)
		lb_timer_set(loop, &run->measure,
			     lb_clock_mono() + run->measure_ms, on_measure,
			     run);
	return 0;
}
