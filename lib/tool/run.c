#include "tool/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "tool/args.h"
#include "tool/child.h"

/* What a result has at most, and what is read of it at once. */
enum { MAX_ANSWER = 2 * 1024 * 1024, PIECE = 64 * 1024 };

struct lb_tool_run {
	struct lb_tool_runner *runner;
	struct lb_tool_run *prev, *next;
	struct lb_tool_order order;
	struct lb_timer timer;
	struct lb_buf answer;
	pid_t pid; /* 0: it waits */
	int fd;
};

struct lb_tool_runner {
	struct lb_loop *loop;
	size_t most, running;
	struct lb_tool_run *first, *last; /* waiting and running */
};

struct lb_tool_runner *lb_tool_runner_open(struct lb_loop *loop, size_t most)
{
	struct lb_tool_runner *runner = lb_alloc(sizeof(*runner));

	runner->loop = loop;
	runner->most = most;
	return runner;
}

/* Its process ends, if it did not yet; how it ended, for waitpid(2). */
static int end_process(struct lb_tool_run *run)
{
	int status = 0;

	if (run->pid == 0)
		return 0;
	lb_loop_watch(run->runner->loop, run->fd, 0, NULL, NULL);
	close(run->fd);
	kill(run->pid, SIGKILL);
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	run->pid = 0;
	run->runner->running--;
	return status;
}

static void start_waiting(struct lb_tool_runner *runner);

static void release(struct lb_tool_run *run)
{
	struct lb_tool_runner *runner = run->runner;

	end_process(run);
	lb_timer_cancel(runner->loop, &run->timer);
	*(run->prev ? &run->prev->next : &runner->first) = run->next;
	*(run->next ? &run->next->prev : &runner->last) = run->prev;
	lb_buf_release(&run->answer);
	free(run);
}

void lb_tool_stop(struct lb_tool_run *run)
{
	struct lb_tool_runner *runner = run->runner;

	release(run);
	start_waiting(runner);
}

void lb_tool_runner_close(struct lb_tool_runner *runner)
{
	if (!runner)
		return;
	while (runner->first)
		release(runner->first);
	free(runner);
}

static void finish(struct lb_tool_run *run, json_t *take)
{
	struct lb_tool_order order = run->order;
	struct lb_tool_runner *runner = run->runner;

	release(run);
	order.done(order.arg, take);
	start_waiting(runner);
}

/* What it said, if that is a result; else why there is none. */
static json_t *result_of(struct lb_tool_run *run)
{
	json_t *result =
		json_loadb(lb_buf_str(&run->answer), run->answer.len,
			   JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	int status = end_process(run);

	if (json_is_object(result) &&
	    json_is_boolean(json_object_get(result, "ok")))
		return result;
	json_decref(result);
	lb_warn("the tool '%s' ended without a result (%s %d)",
		run->order.tool->name,
		WIFSIGNALED(status) ? "signal" : "status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return lb_tool_refuse("that took too much of the processor; "
				      "ask for less at once");
	return lb_tool_refuse("the tool ended without a result: it needed "
			      "more memory than it may have, or failed; ask "
			      "for less at once, or use exec");
}

static void on_answer(int fd, uint32_t events, void *arg)
{
	struct lb_tool_run *run = arg;
	ssize_t n;

	(void)events;
	lb_buf_reserve(&run->answer, PIECE);
	n = read(fd, run->answer.data + run->answer.len, PIECE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0) {
		run->answer.len += (size_t)n;
		run->answer.data[run->answer.len] = '\0';
		if (run->answer.len > MAX_ANSWER)
			finish(run, lb_tool_refuse("the result is too long; "
						   "ask for less at once"));
		return;
	}
	finish(run, result_of(run));
}

static void on_deadline(void *arg)
{
	finish(arg, lb_tool_refuse("that took too long and was ended; ask for "
				   "less at once, such as one folder of it"));
}

static void on_not_started(void *arg)
{
	finish(arg, lb_tool_refuse("no process can be started for it at this "
				   "moment; try again later"));
}

static bool start(struct lb_tool_run *run, struct lb_error *err)
{
	pid_t parent = getpid();
	pid_t pid = lb_proc_split(&run->fd, err);

	if (pid == 0)
		lb_tool_child(&run->order, parent);
	if (pid < 0)
		return false;
	run->pid = pid;
	run->runner->running++;
	lb_loop_watch(run->runner->loop, run->fd, EPOLLIN, on_answer, run);
	return true;
}

/* Of those that wait, as many as there is room for. */
static void start_waiting(struct lb_tool_runner *runner)
{
	struct lb_tool_run *run = runner->first, *next;
	struct lb_error err;

	for (; run && runner->running < runner->most; run = next) {
		next = run->next;
		if (run->pid > 0 || start(run, &err))
			continue;
		/* Said from the loop: whoever asked is not ready yet. */
		lb_complain("%s", err.text);
		lb_timer_set(runner->loop, &run->timer, lb_clock_mono(),
			     on_not_started, run);
	}
}

struct lb_tool_run *lb_tool_start(struct lb_tool_runner *runner,
				  const struct lb_tool_order *order)
{
	struct lb_tool_run *run = lb_alloc(sizeof(*run));
	int64_t most = lb_clock_mono() + LB_TOOL_CALL_MS;

	run->runner = runner;
	run->order = *order;
	run->fd = -1;
	if (run->order.deadline > most)
		run->order.deadline = most;
	run->prev = runner->last;
	*(runner->last ? &runner->last->next : &runner->first) = run;
	runner->last = run;
	lb_timer_set(runner->loop, &run->timer, run->order.deadline,
		     on_deadline, run);
	start_waiting(runner);
	return run;
}
