#include "provider/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

/* Its words for the log: bytes of a line, and lines in ten seconds. */
enum { MAX_WORDS = 4096, MAX_SAID = 50, SAID_MS = 10 * 1000 };

/* Reads in one turn of the loop: others want to be heard, too. */
enum { MAX_READS = 16 };

/* From the end of its output to its own, ms. */
enum { LAST_MS = 200 };

static void close_fd(struct lb_provider *p, int *fd)
{
	if (*fd < 0)
		return;
	lb_loop_watch(p->loop, *fd, 0, NULL, NULL);
	close(*fd);
	*fd = -1;
}

/* Lines of its standard error, as long as they are few. */
static void on_words(int fd, uint32_t events, void *arg)
{
	struct lb_provider *p = arg;
	struct lb_line line;
	struct lb_error err;
	int64_t now = lb_clock_mono();
	int more = lb_lines_fill(p->words, &err), got;

	(void)fd;
	(void)events;
	while ((got = lb_lines_take(p->words, &line, &err)) != 0) {
		if (now - p->said_since > SAID_MS) {
			p->said_since = now;
			p->said = 0;
		}
		if (p->said++ < MAX_SAID)
			lb_warn("%s: %.*s", p->name, (int)line.len, line.text);
		else if (p->said == MAX_SAID + 1)
			lb_warn("%s: it says too much; some is left out",
				p->name);
	}
	if (more <= 0)
		close_fd(p, &p->log);
}

/* How it ended, in words. */
static void put_end(int status, char *out, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(out, size, "it died by signal %d", WTERMSIG(status));
	else
		snprintf(out, size, "it exited %d", WEXITSTATUS(status));
}

/* Kill the group and what is left of it; how it ended. */
static int bury(struct lb_provider *p)
{
	int status = 0;

	lb_guard_kill(p->guard, p->pid);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	return status;
}

static void let_go(struct lb_provider *p)
{
	if (p->words && p->log >= 0)
		on_words(p->log, 0, p); /* its last words */
	close_fd(p, &p->in);
	close_fd(p, &p->out);
	close_fd(p, &p->log);
	close_fd(p, &p->watch);
	lb_lines_close(p->lines);
	lb_lines_close(p->words);
	p->lines = p->words = NULL;
	lb_buf_release(&p->unsent);
	lb_timer_cancel(p->loop, &p->timer);
	p->state = DOWN;
}

static int64_t pause_of(const struct lb_provider *p)
{
	int64_t ms = 1000;

	for (int i = 1; i < p->failures && ms < MAX_BACKOFF_MS; i++)
		ms *= 2;
	return ms < MAX_BACKOFF_MS ? ms : MAX_BACKOFF_MS;
}

static void start(void *arg);

/* It is no more: everything asked fails, and it starts again in a while. */
static void lose(struct lb_provider *p, const char *why)
{
	int64_t now = lb_clock_mono();

	p->failures = p->started && now - p->started > SETTLED_MS
			      ? 1
			      : p->failures + 1;
	if (!p->ending)
		lb_complain("provider '%s': %s; it starts again in %lld s",
			    p->name, why, (long long)pause_of(p) / 1000);
	let_go(p);
	if (!p->ending)
		lb_timer_set(p->loop, &p->timer, now + pause_of(p), start, p);
	lb_client_lost(p, why);
}

void lb_process_break(struct lb_provider *p, const char *why)
{
	if (p->pid > 0)
		bury(p);
	lose(p, why);
}

/* Its output came to an end, or it did. */
static void ended(struct lb_provider *p)
{
	char why[64];
	siginfo_t info = {0};
	bool dead = waitid(P_PID, (id_t)p->pid, &info,
			   WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_pid == p->pid;
	int status = bury(p);

	put_end(status, why, sizeof(why));
	lose(p, dead ? why : "it closed its output");
}

/* 1: go on; 0: the end of its output; -1: it is gone already. */
static int read_some(struct lb_provider *p)
{
	struct lb_line line;
	struct lb_error err;
	int more = lb_lines_fill(p->lines, &err), got;

	while ((got = lb_lines_take(p->lines, &line, &err)) > 0)
		if (lb_client_line(p, line.text, line.len, &err) < 0) {
			lb_process_break(p, err.text);
			return -1;
		}
	if (got < 0) {
		lb_process_break(p, "it wrote a line that is too long");
		return -1;
	}
	return more > 0;
}

static void closed(void *arg)
{
	ended(arg);
}

/* Most that close their output are about to end: how is worth knowing. */
static void out_closed(struct lb_provider *p)
{
	lb_loop_watch(p->loop, p->out, 0, NULL, NULL);
	lb_timer_set(p->loop, &p->timer,
		     lb_clock_mono() + (p->watch < 0 ? 0 : LAST_MS), closed, p);
}

static void on_out(int fd, uint32_t events, void *arg)
{
	struct lb_provider *p = arg;
	struct pollfd more = {.fd = fd, .events = POLLIN};

	(void)events;
	for (int i = 0; i < MAX_READS; i++) {
		int r = read_some(p);

		if (r == 0)
			out_closed(p);
		if (r <= 0 || poll(&more, 1, 0) <= 0)
			return;
	}
}

/* It ended, maybe with children that hold its output open. */
static void on_end(int fd, uint32_t events, void *arg)
{
	struct lb_provider *p = arg;
	struct pollfd more = {.fd = p->out, .events = POLLIN};
	int r = 1;

	(void)fd;
	(void)events;
	for (int i = 0; r > 0 && i < MAX_READS && poll(&more, 1, 0) > 0; i++)
		r = read_some(p);
	if (r >= 0)
		ended(p);
}

static void on_in(int fd, uint32_t events, void *arg)
{
	struct lb_provider *p = arg;
	ssize_t put = write(fd, lb_buf_str(&p->unsent), p->unsent.len);

	(void)events;
	if (put > 0)
		lb_buf_shift(&p->unsent, (size_t)put);
	else if (put < 0 && errno != EAGAIN && errno != EINTR)
		lb_buf_reset(&p->unsent); /* it closed it; its end tells */
	if (p->unsent.len > 0)
		return;
	lb_loop_watch(p->loop, fd, 0, NULL, NULL);
	if (p->ending)
		close_fd(p, &p->in);
	else if (p->unsent.cap > 1 << 20)
		lb_buf_release(&p->unsent);
}

int lb_process_send(struct lb_provider *p, const char *line, size_t len,
		    struct lb_error *err)
{
	if (p->in < 0 || p->unsent.len + len > MAX_UNSENT)
		return lb_fail(err, LB_AGAIN, "it does not read");
	if (p->unsent.len == 0)
		lb_loop_watch(p->loop, p->in, EPOLLOUT, on_in, p);
	lb_buf_put(&p->unsent, line, len);
	return 0;
}

static void no_hello(void *arg)
{
	lb_process_break(arg, "it did not answer hello in time (does it "
			      "flush each line?)");
}

static int spawn(struct lb_provider *p, struct lb_error *err)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1}, log[2] = {-1, -1};
	struct lb_guarded what;
	int r = -1;

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0 ||
	    pipe2(log, O_CLOEXEC) < 0) {
		lb_fail_sys(err, LB_OS, "cannot make a pipe");
	} else {
		what = (struct lb_guarded){(char *const *)p->argv,
					   (char *const *)p->env, to[0],
					   from[1], log[1]};
		r = lb_guard_spawn(p->guard, &what, &p->pid, err);
	}
	close(to[0]);
	close(from[1]);
	close(log[1]);
	p->in = to[1];
	p->out = from[0];
	p->log = log[0];
	if (r == 0)
		return 0;
	p->pid = 0;
	close_fd(p, &p->in);
	close_fd(p, &p->out);
	close_fd(p, &p->log);
	return -1;
}

static void start(void *arg)
{
	static const char hello[] = "{\"op\":\"hello\",\"version\":1}\n";
	struct lb_provider *p = arg;
	struct lb_error err;

	p->started = lb_clock_mono();
	if (spawn(p, &err) < 0) {
		lose(p, err.text);
		return;
	}
	p->state = STARTING;
	p->warned = false;
	fcntl(p->in, F_SETFL, O_NONBLOCK);
	fcntl(p->out, F_SETFL, O_NONBLOCK);
	fcntl(p->log, F_SETFL, O_NONBLOCK);
	p->lines = lb_lines_open(p->out, p->max_line);
	p->words = lb_lines_open(p->log, MAX_WORDS);
	lb_loop_watch(p->loop, p->out, EPOLLIN, on_out, p);
	lb_loop_watch(p->loop, p->log, EPOLLIN, on_words, p);
	p->watch = lb_proc_watch(p->pid);
	if (p->watch >= 0)
		lb_loop_watch(p->loop, p->watch, EPOLLIN, on_end, p);
	lb_process_send(p, hello, sizeof(hello) - 1, &err);
	lb_timer_set(p->loop, &p->timer, p->started + p->hello_ms, no_hello, p);
}

int64_t lb_process_need(struct lb_provider *p)
{
	int64_t now = lb_clock_mono();

	if (p->ending)
		return -1;
	if (p->state != DOWN)
		return 0;
	if (p->timer.slot == 0)
		lb_timer_set(p->loop, &p->timer, now, start, p);
	return p->timer.at > now ? p->timer.at - now : 0;
}

void lb_provider_end(struct lb_provider *p)
{
	if (p->ending)
		return;
	p->ending = true;
	if (p->state == DOWN)
		lb_timer_cancel(p->loop, &p->timer);
	else if (p->unsent.len > 0)
		on_in(p->in, 0, p); /* what it still is to be told */
	close_fd(p, &p->in);
}

void lb_process_stop(struct lb_provider *p, int64_t until)
{
	siginfo_t info = {0};
	bool dead = false;

	while (p->pid > 0 && !dead) {
		dead = waitid(P_PID, (id_t)p->pid, &info,
			      WEXITED | WNOHANG | WNOWAIT) == 0 &&
		       info.si_pid == p->pid;
		if (!dead && lb_clock_mono() >= until)
			break;
		if (!dead)
			poll(NULL, 0, 5);
	}
	if (p->pid > 0)
		bury(p);
	let_go(p);
}
