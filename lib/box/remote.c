#include "box/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/utf8.h"
#include "box/tender.h"

enum {
	PIECE = 4096, /* what a pipe takes that poll(2) says has room */
	MOST_NOTES = 8,
	NOTE = 300,    /* bytes of one */
	ANSWER = 3500, /* bytes of a line; see LB_RUN_LINE */
	ODD_STATUS = 255,
};

int lb_remote_check(const struct lb_box_exec *x, struct lb_error *err)
{
	if (x->terminal)
		return lb_fail(err, LB_DENIED,
			       "a sandbox on another machine has no terminal");
	if (x->n_sources > 0)
		return lb_fail(err, LB_DENIED,
			       "'%s' is on this machine, and the sandbox is "
			       "on another one: nothing can be mounted there",
			       x->sources[0].path);
	return 0;
}

int lb_remote_start(struct lb_box_exec *x, int lock, void (*tend)(void *arg),
		    void *arg, struct lb_error *err)
{
	pid_t pid = lb_tender_split(x, lock, err);

	if (pid != 0)
		return pid < 0 ? -1 : 0;
	fcntl(LB_REMOTE_STATUS, F_SETFD, FD_CLOEXEC);
	fcntl(LB_REMOTE_ORDERS, F_SETFD, FD_CLOEXEC);
	fcntl(LB_REMOTE_LOCK, F_SETFD, FD_CLOEXEC);
	prctl(PR_SET_NAME, "lb-tender");
	signal(SIGPIPE, SIG_IGN);
	tend(arg);
	_exit(0);
}

/* A reader may be slow, and we are told to stop meanwhile. */
static bool may_write(int fd)
{
	struct pollfd p[] = {
		{.fd = fd, .events = POLLOUT},
		{.fd = LB_REMOTE_ORDERS, .events = POLLIN},
	};

	while (poll(p, 2, -1) < 0)
		continue;
	return (p[0].revents & POLLOUT) != 0;
}

bool lb_remote_write(int fd, const char *text, size_t len)
{
	while (len > 0) {
		size_t piece = len < PIECE ? len : PIECE;
		ssize_t n = may_write(fd) ? write(fd, text, piece) : -1;

		if (n < 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

void lb_remote_begin(void)
{
	static const char line[] = "{\"began\":true}\n";

	lb_remote_write(LB_REMOTE_STATUS, line, sizeof(line) - 1);
}

/* Somebody else's words, as much as has room. */
static void add_note(json_t *notes, const json_t *note)
{
	const char *text = json_string_value(note);
	size_t len = json_string_length(note);

	if (!text || json_array_size(notes) >= MOST_NOTES)
		return;
	len = len > NOTE ? NOTE : len;
	json_array_append_new(notes, lb_json_text(text, len));
}

void lb_remote_answer(const json_t *result)
{
	static const char *const names[] = {"status", "exit_code", "killed_by",
					    "isolated", "limits_backend"};
	json_auto_t *answer = json_object();
	json_t *notes = json_array();
	lb_autobuf struct lb_buf line = {NULL};
	const json_t *note;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		json_object_set(answer, names[i],
				json_object_get(result, names[i]));
	json_array_foreach(json_object_get(result, "notes"), i, note)
	{
		add_note(notes, note);
	}
	json_object_set_new(answer, "notes", notes);
	lb_buf_json(&line, answer);
	if (line.len > ANSWER) {
		json_object_del(answer, "notes");
		lb_buf_reset(&line);
		lb_buf_json(&line, answer);
	}
	lb_buf_putc(&line, '\n');
	lb_remote_write(LB_REMOTE_STATUS, line.data, line.len);
}

void lb_remote_fail(const struct lb_error *err)
{
	lb_autofree char *text = lb_printf("%d %s", (int)err->code, err->text);

	lb_remote_write(STDERR_FILENO, text, strlen(text));
}

int lb_remote_explain(const char *said, struct lb_error *err)
{
	char *text;
	long code = strtol(said, &text, 10);
	lb_autofree char *words = lb_strdup(*text == ' ' ? text + 1 : text);

	words[strcspn(words, "\r\n")] = '\0';
	if (!*words || code <= LB_OK)
		return lb_fail(err, LB_UNAVAILABLE,
			       "there is no sandbox: what was to ask for one "
			       "ended without a word");
	return lb_fail(err, (enum lb_exit)code, "%s", words);
}

void lb_remote_read(const char *line, struct lb_box_report *report)
{
	json_t *answer = json_loads(line, JSON_ALLOW_NUL, NULL);
	const char *status = lb_json_str(answer, "status");
	int64_t code = -1;

	report->began |= lb_json_bool(answer, "began", false);
	if (!json_object_get(answer, "exit_code") || report->answer) {
		json_decref(answer);
		return;
	}
	report->answer = answer;
	lb_json_int(answer, "exit_code", &code);
	/* One that timed out has none, and ran. What else is no status of a
	 * command does not say that all went well. */
	report->exit_code = code >= 0 && code <= 255 ? (int)code
			    : status && strcmp(status, "timed_out") == 0
				    ? 0
				    : ODD_STATUS;
}

static enum lb_box_limits limits_of(const char *name)
{
	for (int i = LB_BOX_NO_LIMITS; name && i <= LB_BOX_CGROUP; i++)
		if (strcmp(lb_box_limits_name((enum lb_box_limits)i), name) ==
		    0)
			return (enum lb_box_limits)i;
	return LB_BOX_NO_LIMITS;
}

void lb_remote_result(const struct lb_box_report *report,
		      struct lb_box_result *r)
{
	static const char *const reasons[] = {"output", "quota", "memory",
					      "cancelled"};
	const json_t *a = report->answer;
	const char *killed = lb_json_str(a, "killed_by");
	const char *status = lb_json_str(a, "status");
	const json_t *note;
	size_t i;

	if (!a)
		return;
	if (status && strcmp(status, "timed_out") == 0) {
		r->end = LB_BOX_TIMED_OUT;
		r->exit_code = -1;
	}
	for (i = 0; killed && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(killed, reasons[i]) == 0)
			r->killed_by = reasons[i];
	r->isolated = lb_json_bool(a, "isolated", false);
	r->limits = limits_of(lb_json_str(a, "limits_backend"));
	json_array_foreach(json_object_get(a, "notes"), i, note)
	{
		json_array_append(r->notes, (json_t *)(uintptr_t)note);
	}
}
