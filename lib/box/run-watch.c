/* run-watch.c - what a run says, its time, and its end. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/proc.h"
#include "box/run.h"

enum {
	DRAIN_MS = 150, /* for what was written before the end */
	LATE_MS = 5000, /* for a killed one to be gone */
	FIRST_LOOK_MS = 50,
	INIT_SLACK = 2, /* processes of the backend's own inside */
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
	if (run->child_fd >= 0)
		kill_by(run->child_fd, 0);
	if (run->exited)
		return;
	if (!run->driver->isolates)
		kill(-run->x.pid, SIGKILL);
	kill_by(run->pidfd, run->x.pid);
}

static void on_late(void *arg);

static void end_early(struct lb_box_run *run, const char *why)
{
	if (run->killed || run->over)
		return;
	run->killed_by = why;
	kill_all(run);
	lb_timer_set(run->box->loop, &run->late, lb_clock_mono() + LATE_MS,
		     on_late, run);
}

static void on_deadline(void *arg)
{
	struct lb_box_run *run = arg;

	run->timed_out = true;
	end_early(run, NULL);
}

void lb_box_cancel(struct lb_box_run *run)
{
	end_early(run, "cancelled");
}

/* What it is like when the command did not run. */
static int no_command(struct lb_box_run *run, struct lb_error *err)
{
	lb_autobuf struct lb_buf said = {NULL};
	bool truncated;

	lb_box_output_text(&run->result.err, &said, &truncated);
	return run->driver->explain(lb_buf_str(&said), err);
}

static int code_of(const struct lb_box_run *run)
{
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
	r->duration_ms = lb_clock_mono() - run->started;
	r->out.bytes = run->out.bytes;
	r->err.bytes = run->err.bytes;
	if (!r->killed_by && !run->timed_out &&
	    lb_cgroup_was_short(&run->group))
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
}

static void finish(struct lb_box_run *run)
{
	struct lb_error why = run->error;

	run->over = true;
	unwatch(run);
	fill_result(run);
	if (why.code == LB_OK && !run->killed && run->driver->isolates &&
	    run->report.exit_code < 0)
		no_command(run, &why);
	run->job.done(run->job.arg, &run->result,
		      why.code == LB_OK ? NULL : &why);
	lb_run_free(run);
}

static bool has_ended(const struct lb_box_run *run)
{
	return run->exited && (run->child_fd < 0 || run->child_gone);
}

static void on_drained(void *arg)
{
	finish(arg);
}

/* Is it over? Called whenever something has happened. */
void lb_run_look(struct lb_box_run *run)
{
	if (run->over)
		return;
	if (run->out.bytes + run->err.bytes > MOST_OUTPUT && run->out.sink < 0)
		end_early(run, "output");
	if (!has_ended(run))
		return;
	if (run->out.fd < 0 && run->err.fd < 0 && run->out.text.len == 0 &&
	    run->err.text.len == 0)
		lb_timer_set(run->box->loop, &run->late, lb_clock_mono(),
			     on_drained, run);
}

/* Nothing runs any more: what was written before is still to be read. */
static void ended(struct lb_box_run *run)
{
	if (run->report.child > 0) /* ours, now that its parent is gone */
		waitpid(run->report.child, NULL, WNOHANG);
	lb_stream_drain(&run->out);
	lb_stream_drain(&run->err);
	lb_timer_set(run->box->loop, &run->late, lb_clock_mono() + DRAIN_MS,
		     on_drained, run);
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

static void on_child(int fd, uint32_t events, void *arg)
{
	struct lb_box_run *run = arg;

	(void)events;
	lb_loop_watch(run->box->loop, fd, 0, NULL, NULL);
	run->child_gone = true;
	if (run->exited)
		ended(run);
}

static void read_line(struct lb_box_run *run, const char *line)
{
	pid_t before = run->report.child;

	run->driver->read(line, &run->report);
	if (before || !run->report.child)
		return;
	run->child_fd = lb_proc_watch(run->report.child);
	if (run->child_fd >= 0)
		lb_loop_watch(run->box->loop, run->child_fd, EPOLLIN, on_child,
			      run);
}

/* The backend's own report, line by line. */
static void read_status(struct lb_box_run *run)
{
	ssize_t got;
	char *end;

	if (run->x.status < 0)
		return;
	got = read(run->x.status, run->said + run->n_said,
		   sizeof(run->said) - 1 - run->n_said);
	if (got <= 0) {
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		lb_loop_watch(run->box->loop, run->x.status, 0, NULL, NULL);
		close(run->x.status);
		run->x.status = -1;
		return;
	}
	run->n_said += (size_t)got;
	run->said[run->n_said] = '\0';
	while ((end = strchr(run->said, '\n')) != NULL) {
		*end = '\0';
		read_line(run, run->said);
		run->n_said -= (size_t)(end + 1 - run->said);
		memmove(run->said, end + 1, run->n_said + 1);
	}
}

static void on_status(int fd, uint32_t events, void *arg)
{
	(void)fd;
	(void)events;
	read_status(arg);
}

static void on_ended(int fd, uint32_t events, void *arg)
{
	struct lb_box_run *run = arg;

	(void)events;
	if (waitpid(run->x.pid, &run->status, WNOHANG) != run->x.pid)
		return;
	run->exited = true;
	lb_loop_watch(run->box->loop, fd, 0, NULL, NULL);
	while (run->x.status >= 0)
		read_status(run);
	if (!run->driver->isolates)
		kill(-run->x.pid, SIGKILL); /* what it left behind */
	lb_timer_cancel(run->box->loop, &run->deadline);
	lb_timer_set(run->box->loop, &run->late, lb_clock_mono() + LATE_MS,
		     on_late, run);
	if (has_ended(run))
		ended(run);
}

/* Is what is mounted what was judged? */
static bool is_mounted(const struct lb_box_run *run,
		       const struct lb_box_source *s)
{
	lb_autofree char *seen =
		run->driver->inside(run->report.child, s->target);
	struct stat st;

	return stat(seen, &st) == 0 && st.st_dev == s->dev &&
	       st.st_ino == s->ino;
}

static int check_mounts(struct lb_box_run *run, struct lb_error *err)
{
	uint64_t most = (uint64_t)run->job.spec->pids_limit + INIT_SLACK;
	const struct rlimit processes = {most, most};

	for (int i = 0; i < run->x.n_sources; i++)
		if (!is_mounted(run, &run->sources[i]))
			return lb_fail(err, LB_DENIED,
				       "'%s' was changed while it was mounted; "
				       "nothing was run",
				       run->sources[i].path);
	/* It counts within the namespace that the process is in by now. */
	if (prlimit(run->report.child, RLIMIT_NPROC, &processes, NULL) < 0)
		return lb_fail_sys(err, LB_UNAVAILABLE,
				   "cannot limit the processes of a sandbox");
	return 0;
}

/* All is mounted, and nothing runs before we let it. */
static void on_ready(int fd, uint32_t events, void *arg)
{
	struct lb_box_run *run = arg;

	lb_loop_watch(run->box->loop, fd, 0, NULL, NULL);
	if (!run->report.child)
		read_status(run);
	if (!(events & EPOLLERR) && !run->killed &&
	    check_mounts(run, &run->error) < 0)
		end_early(run, NULL);
	close(run->x.ready);
	run->x.ready = -1;
}

static void on_measure(void *arg)
{
	struct lb_box_run *run = arg;

	if (!lb_run_measure(run, &run->measure_ms)) {
		end_early(run, "quota");
		return;
	}
	lb_timer_set(run->box->loop, &run->measure,
		     lb_clock_mono() + run->measure_ms, on_measure, run);
}

void lb_run_watch(struct lb_box_run *run)
{
	struct lb_loop *loop = run->box->loop;

	if (run->result.quota == LB_BOX_QUOTA_SOFT)
		lb_run_measure_first(run);
	run->pidfd = lb_proc_watch(run->x.pid);
	lb_loop_watch(loop, run->pidfd, EPOLLIN, on_ended, run);
	if (run->x.status >= 0)
		lb_loop_watch(loop, run->x.status, EPOLLIN, on_status, run);
	if (run->x.ready >= 0)
		lb_loop_watch(loop, run->x.ready, EPOLLOUT, on_ready, run);
	if (run->job.spec->timeout_ms < INT64_MAX / 2)
		lb_timer_set(loop, &run->deadline,
			     run->started + run->job.spec->timeout_ms,
			     on_deadline, run);
	run->measure_ms = FIRST_LOOK_MS;
	if (run->result.quota == LB_BOX_QUOTA_SOFT)
		lb_timer_set(loop, &run->measure,
			     lb_clock_mono() + run->measure_ms, on_measure,
			     run);
}
