/*
 * record.c - the backend exec:CMD: another lb-exec, on another machine or as
 * somebody else, that is asked by an exec record and answers by a result. It
 * has the sessions' files.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/proc.h"
#include "box/engine.h"
#include "box/remote.h"
#include "record/line.h"

enum {
	SAID = 4096,
	READ_SIZE = 64 * 1024,
	LONGEST_S = 31622400,
	REST_MS = 200,
	GONE_MS = 1000
};

#define PREFIX "exec:"

/* More than a result and what is passed over. */
#define MOST_READ (LB_LINE_MAX + (1UL << 20))

struct asking {
	char id[LB_ID_SIZE];
	struct lb_argv argv, env;
	struct lb_buf line; /* the record */
	size_t written;
	struct lb_buf got;  /* what it answered, from the last line's start */
	size_t seen, total; /* of `got` there is no line's end; bytes in all */
	struct lb_buf said; /* the end of what it said on standard error */
	int to, from, heard;
	pid_t pid;
	json_t *answer;
};

/* Its words; none of them is for a shell. */
static void split(struct lb_argv *argv, const char *text)
{
	static const char blanks[] = " \t";

	for (text += strspn(text, blanks); *text;
	     text += strspn(text, blanks)) {
		size_t len = strcspn(text, blanks);
		lb_autofree char *word = lb_strndup(text, len);

		lb_argv_add(argv, word, NULL);
		text += len;
	}
}

static json_t *command_of(const struct lb_box_spec *spec)
{
	lb_autobuf struct lb_buf words = {NULL};

	if (!spec->argv)
		return lb_json_text(spec->cmd, strlen(spec->cmd));
	lb_buf_puts(&words, "exec");
	lb_engine_quote_all(&words, (const char *const *)spec->argv);
	return lb_json_text(lb_buf_str(&words), words.len);
}

static json_t *environment_of(const struct lb_box_spec *spec)
{
	json_t *env = json_object();

	for (char **one = spec->env; one && *one; one++) {
		char *is = strchr(*one, '=');
		lb_autofree char *name = NULL;

		if (!is)
			continue;
		name = lb_strndup(*one, (size_t)(is - *one));
		json_object_set_new(env, name,
				    lb_json_text(is + 1, strlen(is + 1)));
	}
	return env;
}

static json_t *network_of(const struct lb_box_spec *spec)
{
	json_t *hosts;

	if (spec->network != LB_BOX_LISTED)
		return json_string(spec->network == LB_BOX_ON ? "on" : "off");
	hosts = json_array();
	for (char **one = spec->hosts; one && *one; one++)
		json_array_append_new(hosts, lb_json_text(*one, strlen(*one)));
	return lb_json_pack("{s:o}", "allow", hosts);
}

/* All that was asked for here is asked for there. */
static void put_record(struct asking *a, const struct lb_box_spec *spec)
{
	int64_t seconds = (spec->timeout_ms + 999) / 1000;
	json_auto_t *o = lb_json_pack(
		"{s:s, s:s, s:o, s:s, s:I, s:o, s:o, s:f, s:I, s:I, s:b}",
		"kind", "exec", "id", a->id, "cmd", command_of(spec), "workdir",
		spec->workdir, "timeout_sec",
		(json_int_t)(seconds < LONGEST_S ? seconds : LONGEST_S),
		"network", network_of(spec), "env", environment_of(spec),
		"cpus", spec->cpus, "memory_mb", (json_int_t)spec->memory_mb,
		"pids_limit", (json_int_t)spec->pids_limit, "read_only_rootfs",
		(int)spec->read_only_rootfs);

	if (spec->session)
		lb_json_set_str(o, "session_id", spec->session,
				strlen(spec->session));
	if (spec->quota_mb > 0)
		json_object_set_new(o, "workspace_quota_mb",
				    json_integer(spec->quota_mb));
	lb_buf_json(&a->line, o);
	lb_buf_putc(&a->line, '\n');
}

/* Is that line the answer? Else it is somebody's who talks too much. */
static void read_line(struct asking *a, const char *text, size_t len)
{
	json_auto_t *o =
		json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
			   NULL);
	const char *id = lb_json_str(o, "id"), *kind = lb_json_str(o, "kind");

	if (!id || !kind || a->answer || strcmp(id, a->id) != 0)
		return;
	if (strcmp(kind, "result") == 0 || strcmp(kind, "error") == 0)
		a->answer = json_incref(o);
}

/* False: it is over. */
static bool read_answer(struct asking *a)
{
	char text[READ_SIZE];
	ssize_t got = read(a->from, text, sizeof(text));
	size_t begins = 0;
	char *end;

	if (got < 0 && errno == EINTR)
		return true;
	if (got <= 0)
		return false;
	a->total += (size_t)got;
	lb_buf_put(&a->got, text, (size_t)got);
	while ((end = memchr(a->got.data + a->seen, '\n',
			     a->got.len - a->seen)) != NULL) {
		read_line(a, a->got.data + begins,
			  (size_t)(end - a->got.data) - begins);
		begins = a->seen = (size_t)(end + 1 - a->got.data);
	}
	lb_buf_shift(&a->got, begins);
	a->seen = a->got.len;
	return !a->answer && a->got.len < LB_LINE_MAX && a->total < MOST_READ;
}

static void read_words(struct asking *a)
{
	char text[SAID];
	ssize_t got = read(a->heard, text, sizeof(text));

	if (got <= 0) {
		close(a->heard);
		a->heard = -1;
		return;
	}
	lb_buf_put(&a->said, text, (size_t)got);
	if (a->said.len > SAID)
		lb_buf_shift(&a->said, a->said.len - SAID);
}

/* Of one that gave up: its reason may be on its way still. */
static void read_rest(struct asking *a)
{
	for (int i = 0; a->heard >= 0 && i < 64; i++) {
		struct pollfd p = {.fd = a->heard, .events = POLLIN};

		if (poll(&p, 1, REST_MS) <= 0)
			break;
		read_words(a);
	}
}

/* What follows is nothing: it ends when it has done that one. */
static void write_record(struct asking *a)
{
	ssize_t n = write(a->to, a->line.data + a->written,
			  a->line.len - a->written);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		a->written += (size_t)n;
	if (n > 0 && a->written < a->line.len)
		return;
	close(a->to);
	a->to = -1;
}

/* False: we are told to stop. */
static bool ask(struct asking *a)
{
	for (;;) {
		struct pollfd p[] = {
			{.fd = LB_REMOTE_ORDERS, .events = POLLIN},
			{.fd = a->heard, .events = POLLIN},
			{.fd = a->to, .events = POLLOUT},
			{.fd = a->from, .events = POLLIN},
		};

		if (poll(p, 4, -1) < 0)
			continue;
		if (p[0].revents)
			return false;
		if (p[1].revents)
			read_words(a);
		if (p[2].revents)
			write_record(a);
		if (p[3].revents && !read_answer(a))
			return true;
	}
}

static int start(struct asking *a, struct lb_error *err)
{
	int in[2], out[2], heard[2];
	int result;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
	    pipe2(heard, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	result = lb_child_start(
		&(struct lb_child){
			.argv = a->argv.at,
			.fds = (const int[]){in[0], out[1], heard[1]},
			.n_fds = 3,
			.apart = true,
			.env = a->env.at,
		},
		&a->pid, err);
	close(in[0]);
	close(out[1]);
	close(heard[1]);
	a->to = in[1];
	a->from = out[0];
	a->heard = heard[0];
	fcntl(a->to, F_SETFL, O_NONBLOCK);
	return result;
}

static void put_stream(const json_t *o, const char *name, int fd)
{
	lb_autofree char *encoding = lb_printf("%s_encoding", name);
	const json_t *text = json_object_get(o, name);
	lb_autobuf struct lb_buf bytes = {NULL};

	if (lb_json_str(o, encoding) &&
	    lb_base64_decode(&bytes, json_string_value(text),
			     json_string_length(text)))
		lb_remote_write(fd, bytes.data, bytes.len);
	else if (json_is_string(text))
		lb_remote_write(fd, json_string_value(text),
				json_string_length(text));
}

/* It says of itself why it did not run that. */
static void refused(const json_t *error)
{
	static const struct {
		const char *name;
		enum lb_exit code;
	} codes[] = {
		{"denied", LB_DENIED},
		{"data", LB_DATA},
		{"limit", LB_AGAIN},
		{"lost", LB_AGAIN},
	};
	const char *code = lb_json_str(error, "code");
	const char *message = lb_json_str(error, "message");
	struct lb_error err;

	lb_fail(&err, LB_UNAVAILABLE, "the other side: %.400s",
		message ? message : "no reason");
	for (size_t i = 0; code && i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strcmp(codes[i].name, code) == 0)
			err.code = codes[i].code;
	lb_remote_fail(&err);
}

static void no_answer(const struct asking *a)
{
	lb_autofree char *said = lb_strdup(lb_buf_str(&a->said));
	struct lb_error err;
	char *end = said + strlen(said), *line;

	while (end > said && (end[-1] == '\n' || end[-1] == '\r'))
		*--end = '\0';
	line = strrchr(said, '\n');
	line = line ? line + 1 : said;
	lb_fail(&err, LB_UNAVAILABLE,
		"there is no sandbox: '%.100s' of box.backend gave no result: "
		"%.300s",
		a->argv.at[0], *line ? line : "it said nothing");
	lb_remote_fail(&err);
}

static void tend(void *arg)
{
	struct asking *a = arg;
	struct lb_error err;

	if (start(a, &err) < 0) {
		err.code =
			LB_UNAVAILABLE; /* it is no program of the command's */
		lb_error_wrap(&err, "there is no sandbox");
		lb_remote_fail(&err);
		return;
	}
	if (ask(a)) {
		if (!a->answer) {
			read_rest(a);
			no_answer(a);
		} else if (strcmp(lb_json_str(a->answer, "kind"), "error") ==
			   0) {
			refused(a->answer);
		} else {
			put_stream(a->answer, "stdout", STDOUT_FILENO);
			put_stream(a->answer, "stderr", STDERR_FILENO);
			lb_remote_answer(a->answer);
		}
	}
	kill(-a->pid, SIGKILL);
	lb_tender_wait(a->pid, GONE_MS);
}

static int record_exec(struct lb_box *box, struct lb_box_exec *x,
		       struct lb_error *err)
{
	const char *command = lb_config_str(box->config, "box.backend");
	struct asking a = {.to = -1, .from = -1, .heard = -1};
	int result = -1;

	split(&a.argv, command + sizeof(PREFIX) - 1);
	lb_engine_env(&a.env);
	lb_id_new(lb_clock_now(), a.id);
	if (lb_remote_check(x, err) == 0) {
		put_record(&a, x->spec);
		result = lb_remote_start(x, -1, tend, &a, err);
	}
	lb_buf_release(&a.line);
	lb_argv_release(&a.argv);
	lb_argv_release(&a.env);
	return result;
}

const struct lb_box_driver lb_box_record = {
	.name = "exec",
	.isolates = true,
	.says = "",
	.is_tended = true,
	.has_limits = true,
	.is_remote = true,
	.exec = record_exec,
	.read = lb_remote_read,
	.explain = lb_remote_explain,
};
