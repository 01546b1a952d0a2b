/* lb-run flow - start the programs, wait for them, end them all.
 *
 * They stand in our process group; nothing passes through this process. When
 * one dies those before it are killed, and those behind it may finish what
 * they have.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/stop.h"
#include "flow.h"

/* A program that ended before the one it reads from may have read the end of
 * its input a moment before that one is gone. */
enum { ORDER_MS = 1000 };

static void kill_parts(struct flow *f, int from, int to, int signal)
{
	for (int i = from; i < to; i++)
		if (f->parts[i].pid > 0)
			kill(f->parts[i].pid, signal);
}

static void on_end(void *arg)
{
	struct flow *f = arg;

	kill_parts(f, 0, f->n, SIGKILL);
}

static void give_time(struct flow *f)
{
	if (f->end.slot == 0)
		lb_timer_set(f->loop, &f->end, lb_clock_mono() + f->plan.grace,
			     on_end, f);
}

/* The flow ends: what is behind the dead one may finish. */
static void die(struct flow *f, int i)
{
	const struct part *p = &f->parts[i];

	if (f->dead >= 0 || lb_stop_signal())
		return;
	f->dead = i;
	if (WIFSIGNALED(p->status))
		lb_complain("%s died of signal %d; the flow ends", p->name,
			    WTERMSIG(p->status));
	else
		lb_complain("%s ended early (exit status %d); the flow ends",
			    p->name, WEXITSTATUS(p->status));
	kill_parts(f, 0, i, SIGKILL);
	give_time(f);
}

/* Those that ended early had a reason of their own. */
static void on_order(void *arg)
{
	struct flow *f = arg;
	bool before = false; /* does one before it run? */

	for (int i = 0; i < f->n; i++) {
		before =
			before || (f->parts[i].pid > 0 && !f->parts[i].lingers);
		if (f->parts[i].early && before) {
			die(f, i);
			return;
		}
	}
}

bool part_reader_left(const struct part *p)
{
	return WIFSIGNALED(p->status) && WTERMSIG(p->status) == SIGPIPE;
}

static void on_exit_of(int fd, uint32_t events, void *arg)
{
	struct part *p = arg;
	struct flow *f = p->flow;
	bool before = false;

	(void)events;
	while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
		;
	lb_loop_watch(f->loop, fd, 0, NULL, NULL);
	close(fd);
	p->pid = 0;
	f->running--;
	for (const struct part *q = f->parts; q < p; q++)
		before = before || (q->pid > 0 && !q->lingers);
	/* SIGPIPE: the one it writes to is gone, and will say why. */
	if (WIFSIGNALED(p->status) && !part_reader_left(p)) {
		die(f, (int)(p - f->parts));
	} else if (before) {
		p->early = true;
		lb_timer_set(f->loop, &f->order, lb_clock_mono() + ORDER_MS,
			     on_order, f);
	}
}

/* A signal: what drains does, what feeds it stops. */
static void on_stop(void *arg)
{
	struct flow *f = arg;

	for (int i = 0; i < f->n; i++)
		if (f->parts[i].stops)
			kill_parts(f, i, i + 1, SIGTERM);
	give_time(f);
}

static int start_part(struct part *p, int in, int out, struct lb_error *err)
{
	/* lb-send: what adapters print, and the records. */
	const int last[] = {in, (int)p->flow->plan.text, STDERR_FILENO, out};
	const int other[] = {in, out, STDERR_FILENO};
	const struct lb_child child = {
		.argv = p->words.at,
		.fds = p->records ? last : other,
		.n_fds = p->records ? 4 : 3,
	};

	if (lb_child_start(&child, &p->pid, err) < 0) {
		p->pid = 0;
		return -1;
	}
	p->flow->running++;
	p->watch = lb_proc_watch(p->pid);
	if (p->watch < 0)
		return lb_fail_sys(err, LB_OS, "cannot watch '%s'", p->name);
	lb_loop_watch(p->flow->loop, p->watch, EPOLLIN, on_exit_of, p);
	return 0;
}

static int start(struct flow *f, struct lb_error *err)
{
	int in = STDIN_FILENO, r = 0;

	for (int i = 0; i < f->n && r == 0; i++) {
		int ends[2] = {-1, STDOUT_FILENO};

		if (i < f->n - 1 && pipe2(ends, O_CLOEXEC) < 0)
			r = lb_fail_sys(err, LB_OS, "cannot make a pipe");
		if (r == 0)
			r = start_part(&f->parts[i], in, ends[1], err);
		if (in > STDERR_FILENO)
			close(in);
		if (ends[1] > STDERR_FILENO)
			close(ends[1]);
		in = ends[0];
	}
	return r;
}

/* Of the one that died; else of the first that has something to say. */
static int exit_code(const struct flow *f)
{
	int code = LB_OK;

	for (int i = 0; i < f->n && code == LB_OK; i++)
		if (WIFEXITED(f->parts[i].status))
			code = WEXITSTATUS(f->parts[i].status);
	if (f->dead < 0)
		return code;
	if (WIFEXITED(f->parts[f->dead].status) &&
	    WEXITSTATUS(f->parts[f->dead].status) != 0)
		return WEXITSTATUS(f->parts[f->dead].status);
	return LB_AGAIN;
}

int parts_run(struct flow *f, struct lb_error *err)
{
	f->loop = lb_loop_open();
	lb_stop_watch(f->loop, on_stop, f);
	if (start(f, err) < 0) {
		kill_parts(f, 0, f->n, SIGKILL);
		return -1;
	}
	/* While we hold it, whoever writes to it does not see us gone. */
	close(STDIN_FILENO);
	open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (f->running > 0)
		lb_loop_turn(f->loop, -1);
	return exit_code(f);
}
