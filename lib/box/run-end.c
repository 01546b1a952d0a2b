/* run-end.c - how a run ends: by itself, or killed. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "box/remote.h"
#include "box/run.h"

enum {
	DRAIN_MS = 150,    /* for what was written before the end */
	LATE_MS = 5000,    /* for a killed one to be gone */
	ENGINE_MS = 30000, /* for one that an engine removes */
};

/* More output than this, thrown away or not, ends it. */
#define MOST_OUTPUT (64ULL << 20)

static void kill_by(int fd, pid_t pid)
{
	if (fd >= 0)
		syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
	else if (pid > 0)
		kill(pid, SIGKILL);
}

/* All of it: the first process inside takes the others with it. */
static void kill_all(struct lb_box_run *run)
{
	run->killed = true;
	while (!run->report.child && lb_run_read_status(run))
		continue;
	if (run->child_fd >= 0)
		kill_by(run->child_fd, 0);
	if (run->exited)
		return;
	if (run->driver->is_tended) {
		if (run->x.ready >= 0)
			close(run->x.ready);
		run->x.ready = -1;
		return;
	}
	/* In a sandbox that is the first process as long as it mounts, too. */
	kill(-run->x.pid, SIGKILL);
	kill_by(run->pidfd, run->x.pid);
}

static void on_late(void *arg);
static void on_drained(void *arg);

void lb_run_wait_a_bit(struct lb_box_run *run)
{
	lb_timer_set(run->box->loop, &run->late,
		     lb_clock_mono() +
			     (run->driver->is_tended ? ENGINE_MS : LATE_MS),
		     on_late, run);
}

bool lb_run_has_ended(const struct lb_box_run *run)
{
	return run->exited && (run->child_fd < 0 || run->child_gone);
}

void lb_run_end_early(struct lb_box_run *run, const char *why)
{
	if (run->killed || run->over)
		return;
	run->killed_by = why;
	if (lb_run_has_ended(run)) { /* and its reader keeps us waiting */
		lb_timer_set(run->box->loop, &run->late, lb_clock_mono(),
			     on_drained, run);
		return;
	}
	kill_all(run);
	lb_run_wait_a_bit(run);
}

void lb_box_cancel(struct lb_box_run *run)
{
	lb_run_end_early(run, "cancelled");
}

/* Did it end without the command having begun? */
static bool has_not_run(const struct lb_box_run *run)
{
	if (run->killed || !run->driver->isolates || run->report.exit_code >= 0)
		return false;
	/* Whoever was killed for want of memory says nothing either. */
	return !WIFSIGNALED(run->status) || !run->report.child;
}

/* What it is like then, in words. */
static void explain(struct lb_box_run *run, struct lb_error *err)
{
	const struct lb_box_stream *s = run->is_one ? &run->out : &run->err;
	lb_autobuf struct lb_buf said = {NULL};
	bool truncated;

	if (s->sink < 0)
		lb_box_output_text(s->kept, &said, &truncated);
	else
		lb_buf_put(&said, lb_buf_str(&s->held), s->held.len);
	run->driver->explain(lb_buf_str(&said), err);
	run->result.exit_code = -1; /* what there is, is the backend's own */
	if (run->driver->is_remote)
		return;
	if (err->code == LB_NOINPUT)
		run->result.exit_code = 127;
	else if (err->code == LB_DENIED)
		run->result.exit_code = 126;
}

static int code_of(const struct lb_box_run *run)
{
	if (run->killed && run->driver->is_remote)
		return 128 + SIGKILL;
	if (run->report.exit_code >= 0)
		return run->report.exit_code;
	if (WIFSIGNALED(run->status))
		return 128 + WTERMSIG(run->status);
	return WEXITSTATUS(run->status);
}

static void fill_result(struct lb_box_run *run)
{
	struct lb_box_result *r = &run->result;

	r->end = run->timed_out ? LB_BOX_TIMED_OUT : LB_BOX_COMPLETED;
	r->exit_code = run->timed_out ? -1 : code_of(run);
	r->killed_by = run->killed_by;
	if (!run->killed)
		lb_remote_result(&run->report, r);
	r->duration_ms = lb_clock_mono() - run->started;
	r->cpu_ms = lb_cgroup_cpu_ms(&run->group);
	r->out.bytes = run->out.bytes;
	r->err.bytes = run->err.bytes;
	if (!r->killed_by && !run->timed_out &&
	    (run->report.short_of_memory || lb_cgroup_was_short(&run->group)))
		r->killed_by = "memory";
}

static void unwatch(struct lb_box_run *run)
{
	const int fds[] = {run->pidfd, run->child_fd, run->x.status,
			   run->x.ready};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			lb_loop_watch(run->box->loop, fds[i], 0, NULL, NULL);
	lb_timer_cancel(run->box->loop, &run->deadline);
	lb_timer_cancel(run->box->loop, &run->late);
	lb_timer_cancel(run->box->loop, &run->measure);
	lb_timer_cancel(run->box->loop, &run->spend);
}

static void finish(struct lb_box_run *run)
{
	struct lb_error why = run->error;

	run->over = true;
	unwatch(run);
	lb_bridge_end(&run->bridge); /* and what it refused is told */
	fill_result(run);
	if (why.code != LB_OK)
		run->result.exit_code = -1;
	else if (has_not_run(run))
		explain(run, &why);
	if (run->job.is_last)
		lb_run_dismiss_guard(run);
	run->job.done(run->job.arg, &run->result,
		      why.code == LB_OK ? NULL : &why);
	lb_run_free(run);
}

static void on_drained(void *arg)
{
	finish(arg);
}

/* It could not be written. A reader that left is known to the command. */
static void check_sink(struct lb_box_run *run, const struct lb_box_stream *s,
		       const char *name)
{
	if (!s->trouble || run->error.code != LB_OK)
		return;
	errno = s->trouble;
	lb_fail_sys(&run->error, LB_IO, "cannot write %s", name);
	lb_run_end_early(run, NULL);
}

static bool is_handing_on(const struct lb_box_stream *s)
{
	return s->text.len > 0;
}

/*
 * The command is over; what it wrote may not be. Of its own time nothing is
 * left to keep: whoever reads may be as slow as he likes, but not hold up the
 * end of one that was killed.
 */
static void wait_for_rest(struct lb_box_run *run)
{
	struct lb_loop *loop = run->box->loop;
	bool waits = is_handing_on(&run->out) || is_handing_on(&run->err);

	if (run->out.fd < 0 && run->err.fd < 0 && !waits)
		lb_timer_set(loop, &run->late, lb_clock_mono(), on_drained,
			     run);
	else if (waits && !run->killed)
		lb_timer_cancel(loop, &run->late);
	else if (run->late.slot == 0)
		lb_timer_set(loop, &run->late, lb_clock_mono() + DRAIN_MS,
			     on_drained, run);
}

/* Is it over? Called whenever something has happened. */
void lb_run_look(struct lb_box_run *run)
{
	if (run->over)
		return;
	if (run->out.bytes + run->err.bytes > MOST_OUTPUT && run->out.sink < 0)
		lb_run_end_early(run, "output");
	check_sink(run, &run->out, "standard output");
	check_sink(run, &run->err, "standard error");
	if (lb_run_has_ended(run))
		wait_for_rest(run);
}

/* Nothing runs any more: what was written before is still to be read. */
void lb_run_ended(struct lb_box_run *run)
{
	if (run->report.child > 0) /* ours, now that its parent is gone */
		waitpid(run->report.child, NULL, WNOHANG);
	lb_timer_cancel(run->box->loop, &run->late);
	lb_box_stream_drain(&run->out);
	lb_box_stream_drain(&run->err);
	/* What an engine said that was not let go is no output. */
	if (!has_not_run(run) &&
	    (!run->driver->is_tended || run->report.exit_code >= 0)) {
		lb_box_stream_let_go(&run->out);
		lb_box_stream_let_go(&run->err);
	}
	lb_run_look(run);
}

/* It was killed and does not go. */
static void on_late(void *arg)
{
	struct lb_box_run *run = arg;

	json_array_append_new(run->result.notes,
			      json_string("a process inside does not end; it "
					  "waits for the kernel"));
	if (!run->exited)
		run->status = SIGKILL;
	run->exited = true;
	finish(run);
}
