/* lb-run - a program that is kept running. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "super.h"

/* One that ran that long was well; the longest pause before a new start. */
enum { WELL_MS = 60 * 1000, PAUSE_MS = 1000, PAUSE_MAX_MS = 60 * 1000 };

void member_say(struct member *m, const char *state, const char *text)
{
	if (strcmp(m->state, state) != 0)
		m->since = lb_clock_now();
	m->state = state;
	if (text != m->said) {
		free(m->said);
		m->said = text ? lb_strdup(text) : NULL;
	}
	report_soon(m->super);
}

static void on_again(void *arg)
{
	member_start(arg);
}

/* For people; what it said itself stands in the log. */
static char *how_ended(int code)
{
	static const struct {
		int code;
		const char *what;
	} codes[] = {
		{LB_DATA, "a file is damaged"},
		{LB_OS, "no memory, process or descriptor was left"},
		{LB_IO, "a read or a write failed"},
		{LB_PROTOCOL, "an answer was none"},
	};

	if (code > 128)
		return lb_printf("signal %d", code - 128);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == code)
			return lb_printf("exit status %d: %s", code,
					 codes[i].what);
	return lb_printf("exit status %d", code);
}

/* It ended, or could not be started: when to try once more. */
void member_start_later(struct member *m)
{
	lb_autofree char *how = NULL;
	int64_t pause = PAUSE_MS;

	if (lb_clock_mono() - m->started >= WELL_MS)
		m->failures = 0;
	for (unsigned i = 0; i < m->failures && pause < PAUSE_MAX_MS; i++)
		pause *= 2;
	if (pause > PAUSE_MAX_MS)
		pause = PAUSE_MAX_MS;
	m->failures++;
	how = how_ended(m->code);
	lb_warn("%s ended (%s); it is started again in %lld s", m->name, how,
		(long long)(pause / 1000));
	member_say(m, "restarting", how);
	lb_timer_set(m->super->loop, &m->again, lb_clock_mono() + pause,
		     on_again, m);
}

static void on_exit_of(int fd, uint32_t events, void *arg)
{
	struct member *m = arg;
	int status = 0;

	(void)events;
	while (waitpid(m->pid, &status, 0) < 0 && errno == EINTR)
		;
	lb_loop_watch(m->super->loop, fd, 0, NULL, NULL);
	close(fd);
	m->watch = -1;
	m->last = m->pid;
	m->pid = 0;
	m->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				      : WEXITSTATUS(status);
	/* Whoever holds its output open would keep us waiting. */
	if (!m->super->chat)
		kill(-m->last, SIGKILL);
	member_gone(m);
}

static int make_pipe(int *ours, int *theirs, bool we_write,
		     struct lb_error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	*ours = ends[we_write];
	*theirs = ends[!we_write];
	return fcntl(*ours, F_SETFL, O_NONBLOCK);
}

/* Nobody would notice when it ends: then it must not run. */
static int watch(struct member *m, struct lb_error *err)
{
	m->watch = lb_proc_watch(m->pid);
	if (m->watch >= 0)
		return 0;
	lb_fail_sys(err, LB_OS, "cannot watch '%s'", m->words.at[0]);
	member_signal(m, SIGKILL);
	while (waitpid(m->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return -1;
}

static int spawn(struct member *m, struct lb_error *err)
{
	struct super *s = m->super;
	int fds[] = {m->by_hand ? STDIN_FILENO : -1, -1, STDERR_FILENO,
		     STDOUT_FILENO};
	const struct lb_child child = {
		.argv = m->words.at,
		.fds = fds,
		.n_fds = s->chat && m->kind == FLOW ? 4 : 3,
		.apart = !s->chat,
	};
	int r = 0;

	if (m->kind != GC)
		r = make_pipe(&m->from, &fds[1], false, err);
	if (r == 0 && m->kind == FLOW && s->no_queue)
		r = make_pipe(&m->to, &fds[0], true, err);
	if (r == 0)
		r = lb_child_start(&child, &m->pid, err);
	if (r == 0)
		r = watch(m, err);
	if (fds[1] >= 0)
		close(fds[1]);
	if (m->to >= 0)
		close(fds[0]);
	if (r < 0) {
		m->pid = 0;
		member_close_output(m);
		if (m->to >= 0)
			close(m->to);
		m->to = -1;
	}
	return r;
}

/* One that runs once is not waited for: cron tries again. */
static void not_started(struct member *m)
{
	if (m->to >= 0)
		close(m->to);
	m->to = -1;
	if (m->once)
		super_ended(m->super, m);
	else
		member_start_later(m);
}

void member_start(struct member *m)
{
	struct super *s = m->super;
	struct lb_error err;

	if (s->stopping || m->ended)
		return;
	m->started = lb_clock_mono();
	lb_lines_close(m->lines);
	m->lines = NULL;
	if (spawn(m, &err) < 0) {
		m->code = lb_report(&err);
		not_started(m);
		return;
	}
	if (m->from >= 0)
		m->lines = lb_lines_open(m->from, (size_t)lb_config_max_line());
	lb_loop_watch(s->loop, m->watch, EPOLLIN, on_exit_of, m);
	if (m->kind == FLOW) {
		member_say(m, "up", NULL);
		feed_write(s); /* what came while it was down */
	}
	report_soon(s);
}

void member_signal(const struct member *m, int signal)
{
	if (m->pid > 0)
		kill(m->super->chat ? m->pid : -m->pid, signal);
}

void member_free(struct member *m)
{
	lb_timer_cancel(m->super->loop, &m->again);
	member_close_output(m);
	if (m->to >= 0)
		close(m->to);
	lb_lines_close(m->lines);
	words_release(&m->words);
	json_decref(m->conf);
	free(m->name);
	free(m->adapter);
	free(m->said);
	free(m->self);
	free(m);
}
