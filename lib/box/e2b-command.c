/* e2b-command.c - a command in a machine, and its streams. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/e2b-input.h"
#include "box/e2b-vm.h"
#include "box/remote.h"
#include "net/envelope.h"
#include "net/multipart.h"

enum {
	IDLE_MS = 240000, /* it says something every 50 s, if nothing else */
	LATE_MS = 10000,  /* for its end, when its time is over */
	MOST_SAID = 4096,
	UPLOAD_MS = 60000,
	KILL_MS = 5000,
};

/* The longest time that the protocol can name. */
#define LONGEST_MS 9999999999LL

#define CONNECT "Connect-Protocol-Version: 1"

/*
 * What belongs to a command has a mark in its environment, and ends with it: all
 * of it that is there, and what that started meanwhile. Whoever takes the mark
 * off goes on, in a machine that is the session's own.
 */
#define SWEEP                                                                  \
	"lb_n=0; while [ $lb_n -lt 8 ]; do "                                   \
	"lb_p=$(grep -azlxF -e \"$lb_mark\" /proc/[0-9]*/environ "             \
	"2> /dev/null | tr -dc '0-9\\n'); "                                    \
	"[ -n \"$lb_p\" ] || break; kill -9 $lb_p 2> /dev/null; "              \
	"lb_n=$((lb_n + 1)); done; "
#define AND_SWEEP "lb_mark=$1; sh -c \"$0\"; lb_s=$?; " SWEEP "exit $lb_s"
#define ONLY_SWEEP "lb_mark=$1; " SWEEP

struct running {
	struct lb_e2b *e;
	struct lb_e2b_command *c;
	struct lb_http_call *call;
	struct lb_envelope stream;
	struct lb_e2b_input input;
	struct lb_e2b_answer refusal;
	struct lb_error *err;
	bool done, failed;
};

static void fail(struct running *r)
{
	r->done = r->failed = true;
}

static void put_stream(struct running *r, const json_t *data, const char *name,
		       int fd)
{
	const json_t *text = json_object_get(data, name);
	lb_autobuf struct lb_buf bytes = {NULL};

	if (fd >= 0 && json_is_string(text) &&
	    lb_base64_decode(&bytes, json_string_value(text),
			     json_string_length(text)) &&
	    !lb_remote_write(fd, bytes.data, bytes.len))
		r->c->unread = r->done = true;
}

/* What is 0 or false is left out of it. */
static void read_end(struct lb_e2b_command *c, const json_t *end)
{
	int64_t code = 0;

	lb_json_int(end, "exitCode", &code);
	c->ended = true;
	if (!lb_json_bool(end, "exited", false))
		code = 128 + 9;
	c->exit_code = code >= 0 && code <= 255 ? (int)code : 255;
}

static void read_event(struct running *r, const json_t *event)
{
	const json_t *data = json_object_get(event, "data");
	const json_t *start = json_object_get(event, "start");
	const json_t *end = json_object_get(event, "end");

	if (start && r->c->pid == 0 && lb_json_int(start, "pid", &r->c->pid)) {
		if (r->c->begun)
			r->c->begun();
		if (r->c->in >= 0)
			lb_e2b_input_start(&r->input, r->c->in, r->c->pid);
	}
	put_stream(r, data, "stdout", r->c->out);
	put_stream(r, data, "stderr", r->c->err);
	if (end) {
		read_end(r->c, end);
		r->done = true;
	}
}

/* The last message says how the stream ended, not the command. */
static int read_last(struct running *r, const json_t *o, struct lb_error *err)
{
	const json_t *error = json_object_get(o, "error");
	const char *code = lb_json_str(error, "code");
	const char *words = lb_json_str(error, "message");

	r->done = true;
	if (r->c->ended)
		return 0;
	if (code && strcmp(code, "deadline_exceeded") == 0) {
		r->c->timed_out = true;
		return 0;
	}
	return lb_fail(err,
		       code && strcmp(code, "invalid_argument") == 0
			       ? LB_UNAVAILABLE
			       : LB_AGAIN,
		       "e2b does not say how the command ended: %.40s: %.300s",
		       code ? code : "no reason", words ? words : "no words");
}

static int on_message(void *arg, bool is_last, const char *text, size_t len,
		      struct lb_error *err)
{
	struct running *r = arg;
	json_auto_t *o = json_loadb(text, len, JSON_ALLOW_NUL, NULL);

	if (!json_is_object(o))
		return lb_fail(err, LB_PROTOCOL,
			       "a message of e2b is no JSON object");
	if (is_last)
		return read_last(r, o, err);
	read_event(r, json_object_get(o, "event"));
	return 0;
}

static void on_head(void *arg, struct lb_http_call *call, int status)
{
	struct running *r = arg;

	(void)call;
	r->refusal.status = status;
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct running *r = arg;
	struct lb_buf *said = &r->refusal.body;

	if (r->refusal.status != 200) {
		if (said->len + len <= MOST_SAID)
			lb_buf_put(said, data, len);
		return 0;
	}
	if (lb_envelope_feed(&r->stream, data, len, on_message, r, r->err) < 0)
		fail(r);
	return r->done ? -1 : 0;
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct running *r = arg;

	r->call = NULL;
	if (r->done)
		return;
	if (end->cause == LB_HTTP_ENDLESS && r->c->pid > 0)
		r->c->timed_out = true;
	else if (end->cause != LB_HTTP_DONE)
		lb_fail(r->err, LB_AGAIN, "e2b does not answer: %s", end->why);
	else if (end->status == 502 || end->status == 404)
		lb_fail(r->err, LB_AGAIN,
			"the machine is gone (status %d of e2b)", end->status);
	else if (end->status != 200)
		lb_e2b_refused(&r->refusal, "does not start a command", r->err);
	else
		lb_fail(r->err, LB_PROTOCOL,
			"e2b does not say how the command ended");
	r->done = true;
	r->failed = !r->c->timed_out;
}

/* What was to be written to it could not be. */
static void on_input_failed(void *arg, const struct lb_error *why)
{
	struct running *r = arg;

	*r->err = *why;
	fail(r);
}

static void put_body(const struct lb_e2b_command *c, struct lb_buf *body)
{
	const char *script = c->script ? c->script : "sh";
	json_auto_t *o =
		lb_json_pack("{s:{s:s, s:[s, s, o, s], s:{}, s:s}, s:b}",
			     "process", "cmd", "/bin/sh", "args", "-c",
			     c->script ? AND_SWEEP : ONLY_SWEEP,
			     lb_json_text(script, strlen(script)), c->mark,
			     "envs", "cwd", "/", "stdin", c->in >= 0);
	lb_autobuf struct lb_buf text = {NULL};

	lb_buf_json(&text, o);
	lb_envelope_put(body, text.data, text.len);
}

static int start(struct running *r, const struct lb_e2b_vm *vm,
		 struct lb_error *err)
{
	static const struct lb_http_events events = {on_head, on_data, on_end};
	lb_autobuf struct lb_buf body = {NULL};
	lb_autofree char *limit = NULL;
	int64_t ms = r->c->timeout_ms;
	struct lb_e2b_inside in;
	size_t n = 0;

	lb_e2b_inside(&in, vm, "/process.Process/Start", r->c->user);
	put_body(r->c, &body);
	while (in.headers[n])
		n++;
	in.headers[n++] = "Content-Type: application/connect+json";
	in.headers[n++] = CONNECT;
	in.headers[n++] = "Keepalive-Ping-Interval: 50";
	if (ms <= LONGEST_MS) {
		limit = lb_printf("Connect-Timeout-Ms: %lld", (long long)ms);
		in.headers[n++] = limit;
		in.request.total_ms = ms + LATE_MS;
	}
	in.request.method = "POST";
	in.request.body = body.data;
	in.request.body_len = body.len;
	in.request.once = true;
	in.request.idle_ms = IDLE_MS;
	in.request.max_body = SIZE_MAX;
	r->call = lb_http_start(r->e->http, &in.request, &events, r, err);
	lb_e2b_inside_release(&in);
	return r->call ? 0 : -1;
}

int lb_e2b_command(struct lb_e2b *e, const struct lb_e2b_vm *vm,
		   struct lb_e2b_command *c, struct lb_error *err)
{
	struct running r = {
		.e = e,
		.c = c,
		.err = err,
		.input = {.e = e,
			  .vm = vm,
			  .user = c->user,
			  .failed = on_input_failed},
	};
	int result = -1;

	r.input.arg = &r;
	if (start(&r, vm, err) == 0)
		result = lb_e2b_wait(e, &r.done, err);
	if (r.call)
		lb_http_cancel(r.call);
	lb_e2b_input_end(&r.input);
	lb_envelope_release(&r.stream);
	lb_buf_release(&r.refusal.body);
	return r.failed ? -1 : result;
}

void lb_e2b_sweep(struct lb_e2b *e, const struct lb_e2b_vm *vm,
		  const char *mark)
{
	struct lb_e2b_command c = {
		.mark = mark,
		.user = "root",
		.timeout_ms = KILL_MS,
		.in = -1,
		.out = -1,
		.err = -1,
	};
	struct lb_error ignored;

	lb_e2b_command(e, vm, &c, &ignored);
}

int lb_e2b_put_file(struct lb_e2b *e, const struct lb_e2b_vm *vm,
		    const char *path, const char *text, size_t len,
		    struct lb_error *err)
{
	lb_autofree char *to = lb_printf("/files?path=%s&username=user", path);
	struct lb_e2b_answer a = {.status = 0};
	struct lb_multipart m;
	struct lb_e2b_inside in;
	size_t n = 0;
	int result;

	lb_multipart_init(&m);
	lb_multipart_file(&m, &(struct lb_multipart_file){
				      .name = "file",
				      .file_name = "file",
				      .fd = -1,
				      .data = text,
				      .size = len,
			      });
	lb_e2b_inside(&in, vm, to, "user");
	while (in.headers[n])
		n++;
	in.headers[n++] = m.type;
	in.request.method = "POST";
	in.request.pieces = lb_multipart_end(&m);
	in.request.total_ms = UPLOAD_MS;
	result = lb_e2b_ask(e, &in.request, &a, NULL, err);
	if (result == 0 && (a.status < 200 || a.status > 299))
		result = lb_e2b_refused(&a, "does not take a file", err);
	lb_buf_release(&a.body);
	lb_e2b_inside_release(&in);
	lb_multipart_release(&m);
	return result;
}
