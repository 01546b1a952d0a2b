#include "meter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "box/meter.h"
#include "record/code.h"
#include "record/line.h"

enum { MAX_LINE = 64 * 1024, ANSWER_MS = 15000 };

static struct {
	pid_t pid; /* 0: it is not there */
	int to, from;
	struct lb_lines *lines;
} meter;

static int start(struct lb_error *err)
{
	lb_autofree char *folder = lb_path_program();
	lb_autofree char *program = lb_printf("%s/lb-box", folder);
	char verb[] = "meter", option[] = "--config";
	char *argv[] = {program, verb, NULL, NULL, NULL};
	int to[2], from[2], bad;

	if (options.config) {
		argv[2] = option;
		argv[3] = (char *)(uintptr_t)options.config;
	}
	if (pipe2(to, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	if (pipe2(from, O_CLOEXEC) < 0) {
		lb_fail_sys(err, LB_OS, "cannot make a pipe");
		close(to[0]);
		close(to[1]);
		return -1;
	}
	bad = lb_child_start(
		&(struct lb_child){.argv = argv,
				   .fds = (const int[]){to[0], from[1],
							STDERR_FILENO},
				   .n_fds = 3,
				   .apart = true},
		&meter.pid, err);
	close(to[0]);
	close(from[1]);
	meter.to = to[1];
	meter.from = from[0];
	if (bad < 0) {
		close(meter.to);
		close(meter.from);
		meter.pid = 0;
		return -1;
	}
	meter.lines = lb_lines_open(meter.from, MAX_LINE);
	return 0;
}

void meter_close(void)
{
	if (meter.pid == 0)
		return;
	close(meter.to);
	lb_lines_close(meter.lines);
	close(meter.from);
	kill(meter.pid, SIGKILL); /* whatever it was asked it has answered */
	while (waitpid(meter.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	meter.pid = 0;
}

static int write_line(const json_t *o)
{
	lb_autobuf struct lb_buf line = {NULL};
	size_t done = 0;
	ssize_t n;

	lb_buf_json(&line, o);
	lb_buf_putc(&line, '\n');
	while (done < line.len) {
		n = write(meter.to, line.data + done, line.len - done);
		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Its next line; NULL: there is none in time. */
static json_t *read_line(void)
{
	int64_t until = lb_clock_mono() + ANSWER_MS;
	struct pollfd p = {.fd = meter.from, .events = POLLIN};
	struct lb_line line;
	struct lb_error err;

	for (;;) {
		int64_t left = until - lb_clock_mono();

		if (lb_lines_take(meter.lines, &line, &err) > 0)
			return json_loadb(line.text, line.len, 0, NULL);
		if (left <= 0 || (poll(&p, 1, (int)left) < 0 && errno != EINTR))
			return NULL;
		if ((p.revents & (POLLIN | POLLHUP)) &&
		    lb_lines_fill(meter.lines, &err) <= 0)
			return NULL;
	}
}

/* What it answers; NULL: it does not, and is not there any more. */
static json_t *ask(const json_t *o)
{
	json_t *answer = write_line(o) == 0 ? read_line() : NULL;

	if (!answer)
		meter_close();
	return answer;
}

static void set_text(json_t *o, const char *key, const char *text)
{
	if (text)
		lb_json_set_str(o, key, text, strlen(text));
}

static json_t *request_for(struct work *w, const json_t *record,
			   const struct lb_box_spec *spec)
{
	struct lb_box_whose whose;
	json_t *o = lb_json_pack("{s:s, s:f, s:I}", "op", "take", "cpus",
				 spec->cpus, "timeout_ms",
				 (json_int_t)spec->timeout_ms);

	lb_box_whose_of(&whose, w->config, record, spec->session);
	set_text(o, "bot", whose.bot);
	set_text(o, "sender_id", whose.sender);
	set_text(o, "session", whose.session);
	return o;
}

int meter_take(struct work *w, const json_t *record, struct lb_box_job *job,
	       int64_t *ticket, struct lb_error *err)
{
	json_auto_t *o = NULL, *answer = NULL;
	const char *code, *why;

	*ticket = METER_NONE;
	if (!lb_box_meter_is_set(w->config))
		return 0;
	o = request_for(w, record, job->spec);
	if (meter.pid == 0 && start(err) < 0)
		return -1;
	answer = ask(o);
	if (lb_json_bool(answer, "ok", false) &&
	    lb_json_int(answer, "ticket", ticket) &&
	    lb_json_int(answer, "cpu_ms", &job->most_cpu_ms)) {
		job->counts_cpu = true;
		return 0;
	}
	code = lb_json_str(answer, "code");
	why = lb_json_str(answer, "error");
	return lb_fail(err,
		       code && lb_code_find(code) == LB_CODE_DENIED ? LB_DENIED
								    : LB_AGAIN,
		       "%s",
		       why ? why
			   : "quotas cannot be counted, so nothing runs: "
			     "'lb-box meter' does not answer");
}

void meter_settle(int64_t *ticket, const struct lb_box_result *r,
		  const struct lb_error *error)
{
	json_auto_t *o = NULL, *answer = NULL;
	bool ran = r && (!error || error->code == LB_IO);

	if (*ticket == METER_NONE || meter.pid == 0)
		return;
	o = lb_json_pack("{s:s, s:I, s:I, s:I, s:b}", "op", "settle", "ticket",
			 (json_int_t)*ticket, "cpu_ms",
			 (json_int_t)(r ? r->cpu_ms : 0), "duration_ms",
			 (json_int_t)(r ? r->duration_ms : 0), "ran", ran);
	*ticket = METER_NONE;
	answer = ask(o);
	if (!lb_json_bool(answer, "ok", false))
		lb_warn("a quota was not settled");
}
