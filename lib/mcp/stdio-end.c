/* stdio-end.c - how a program that is a server ends, and is ended. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "mcp/stage.h"
#include "mcp/stdio-in.h"

enum {
	TERM_MS = 1000,        /* from SIGTERM to SIGKILL */
	MAX_STATUS = 64 << 10, /* what lb-exec says of its end */
	MAX_READS = 16,        /* of its last words */
};

void lb_stdio_shut(struct lb_stdio *s, int *fd)
{
	if (*fd < 0)
		return;
	lb_loop_watch(s->t.loop, *fd, 0, NULL, NULL);
	close(*fd);
	*fd = -1;
}

/* What it wrote to standard error, by lines. false: that was the last. */
bool lb_stdio_words(struct lb_stdio *s)
{
	struct lb_line line;
	struct lb_error err;
	int more = lb_lines_fill(s->words, &err), got;

	while ((got = lb_lines_take(s->words, &line, &err)) != 0)
		s->t.events->on_words(s->t.arg, line.text, line.len);
	return more > 0;
}

void lb_stdio_let_go(struct lb_stdio *s)
{
	struct pollfd more = {.fd = s->log, .events = POLLIN};

	/* Its last words; what it left behind may go on for ever. */
	for (int i = 0; s->words && s->log >= 0 && i < MAX_READS &&
			poll(&more, 1, 0) > 0 && lb_stdio_words(s);
	     i++)
		;
	lb_stdio_shut(s, &s->in);
	lb_stdio_shut(s, &s->out);
	lb_stdio_shut(s, &s->log);
	lb_stdio_shut(s, &s->status);
	lb_stdio_shut(s, &s->watch);
	lb_timer_cancel(s->t.loop, &s->timer);
	lb_buf_release(&s->unsent);
}

/* Kill the group and what is left of it; how it ended. */
int lb_stdio_bury(struct lb_stdio *s)
{
	int status = 0;

	lb_guard_kill(s->guard, s->pid);
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
	return status;
}

/* Why lb-exec says that nothing ran, if it does. */
static bool read_status(struct lb_stdio *s, struct lb_error *why,
			enum lb_mcp_phase *phase)
{
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *record = NULL;
	const char *message;
	char part[4096];
	ssize_t n;

	while (s->status >= 0 && text.len < MAX_STATUS &&
	       (n = read(s->status, part, sizeof(part))) > 0)
		lb_buf_put(&text, part, (size_t)n);
	record = text.len ? json_loadb(text.data, text.len, 0, NULL) : NULL;
	message = lb_json_str(record, "message");
	if (!message || !lb_json_str(record, "code"))
		return false;
	lb_fail(why, LB_UNAVAILABLE, "%s", message);
	if (strcmp(lb_json_str(record, "code"), "not_found") == 0)
		*phase = LB_MCP_PROCESS_START;
	return true;
}

/* Of what installs, its end is all there is to know. */
static bool put_installed(struct lb_stdio *s, int code, struct lb_error *why,
			  enum lb_mcp_phase *phase)
{
	if (!s->installs)
		return false;
	*phase = LB_MCP_DEP_INSTALL;
	why->code = code == 0 ? LB_OK : LB_AGAIN;
	if (code != 69)
		return true;
	*phase = LB_MCP_BOX_UNAVAILABLE;
	read_status(s, why, phase);
	return true;
}

static void put_end(struct lb_stdio *s, int status, struct lb_error *why,
		    enum lb_mcp_phase *phase)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	bool boxed = s->status >= 0;

	*phase = s->heard ? LB_MCP_RUNTIME : LB_MCP_INIT;
	if (WIFSIGNALED(status))
		lb_fail(why, LB_AGAIN, "it died by signal %d",
			WTERMSIG(status));
	else
		lb_fail(why, LB_AGAIN, "it exited %d", code);
	if (put_installed(s, code, why, phase))
		return;
	if (!s->heard && boxed && code == LB_MCP_UNSTAGED)
		*phase = LB_MCP_DEP_INSTALL;
	if (!s->heard && (code == 126 || code == 127)) {
		*phase = LB_MCP_PROCESS_START; /* as a shell says it */
		lb_fail(why, LB_UNAVAILABLE, "it exited %d: %s", code,
			code == 127 ? "there is no such program"
				    : "it cannot be run");
	}
	if (!boxed || s->heard || code == LB_MCP_UNSTAGED)
		return;
	*phase = code == 69                   ? LB_MCP_BOX_UNAVAILABLE
		 : code == 126 || code == 127 ? LB_MCP_PROCESS_START
					      : LB_MCP_SESSION_CREATE;
	if (!read_status(s, why, phase) && *phase != LB_MCP_PROCESS_START)
		*phase = LB_MCP_INIT;
}

/* Its output came to an end, or it did, or it broke the rules. */
void lb_stdio_ended(struct lb_stdio *s)
{
	siginfo_t info = {0};
	struct lb_error why;
	enum lb_mcp_phase phase;
	bool dead = waitid(P_PID, (id_t)s->pid, &info,
			   WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_pid == s->pid;
	int status = lb_stdio_bury(s);

	put_end(s, status, &why, &phase);
	if (!dead && !s->installs)
		lb_fail(&why, LB_AGAIN, "it closed its output");
	lb_stdio_let_go(s);
	s->is_gone = true;
	s->t.events->on_gone(s->t.arg, phase, &why);
}

static bool is_dead(struct lb_stdio *s)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)s->pid, &info,
		      WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == s->pid;
}

/* Read and throw away what it says, so that it can end; true: it did. */
static bool wait_until(struct lb_stdio *s, int64_t until)
{
	char waste[4096];
	int64_t now;

	while (!is_dead(s)) {
		struct pollfd fds[] = {{.fd = s->watch, .events = POLLIN},
				       {.fd = s->out, .events = POLLIN}};

		now = lb_clock_mono();
		if (now >= until)
			return false;
		if (s->log >= 0 && !lb_stdio_words(s))
			lb_stdio_shut(s, &s->log);
		poll(fds, 2, until - now < 20 ? (int)(until - now) : 20);
		if (fds[1].revents && read(s->out, waste, sizeof(waste)) == 0)
			lb_stdio_shut(s, &s->out);
	}
	return true;
}

void lb_stdio_close(struct lb_mcp_transport *t, int64_t until)
{
	struct lb_stdio *s = (struct lb_stdio *)t;

	lb_mcp_end(t);
	if (s->pid > 0) {
		lb_stdio_shut(s, &s->in);
		if (!wait_until(s, until)) {
			kill(-s->pid, SIGTERM);
			wait_until(s, lb_clock_mono() + TERM_MS);
		}
		lb_stdio_bury(s);
	}
	lb_stdio_let_go(s);
	lb_lines_close(s->lines);
	lb_lines_close(s->words);
	free(s);
}
