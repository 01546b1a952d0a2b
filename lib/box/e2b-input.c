/* One piece at a time: the next is read when the last one has arrived. */
#include "box/e2b-input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"

enum { PIECE = 32 * 1024, MOST_SAID = 4096, SEND_MS = 60000 };

static void on_readable(int fd, uint32_t events, void *arg);

static void watch(struct lb_e2b_input *in, bool on)
{
	lb_loop_watch(in->e->loop, in->fd, on ? EPOLLIN : 0, on_readable, in);
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct lb_e2b_input *in = arg;

	if (in->said.len + len <= MOST_SAID)
		lb_buf_put(&in->said, data, len);
	return 0;
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct lb_e2b_input *in = arg;
	json_auto_t *o =
		json_loadb(lb_buf_str(&in->said), in->said.len, 0, NULL);
	const char *code = lb_json_str(o, "code");
	struct lb_error why;

	in->call = NULL;
	if (end->cause == LB_HTTP_DONE && end->status == 200) {
		if (!in->closing)
			watch(in, true);
		return;
	}
	/* it has ended, or reads no more: that it says itself */
	if (end->cause == LB_HTTP_DONE && code &&
	    strcmp(code, "unimplemented") != 0)
		return;
	lb_fail(&why, LB_UNAVAILABLE,
		end->cause == LB_HTTP_DONE
			? "the template's envd is too old: it cannot be told "
			  "that the input of a command ended (status %d)"
			: "e2b does not take the input of a command",
		end->status);
	in->failed(in->arg, &why);
}

static void ask(struct lb_e2b_input *in, const char *path, const json_t *body)
{
	static const struct lb_http_events events = {NULL, on_data, on_end};
	lb_autobuf struct lb_buf text = {NULL};
	struct lb_e2b_inside i;
	struct lb_error why;
	size_t n = 0;

	lb_e2b_inside(&i, in->vm, path, in->user);
	while (i.headers[n])
		n++;
	i.headers[n++] = "Content-Type: application/json";
	i.headers[n++] = "Connect-Protocol-Version: 1";
	lb_buf_json(&text, body);
	i.request.method = "POST";
	i.request.body = text.data;
	i.request.body_len = text.len;
	i.request.once = true;
	i.request.total_ms = SEND_MS;
	lb_buf_reset(&in->said);
	in->call = lb_http_start(in->e->http, &i.request, &events, in, &why);
	lb_e2b_inside_release(&i);
	if (!in->call)
		in->failed(in->arg, &why);
}

static json_t *process_of(const struct lb_e2b_input *in)
{
	return lb_json_pack("{s:I}", "pid", (json_int_t)in->pid);
}

static void on_readable(int fd, uint32_t events, void *arg)
{
	struct lb_e2b_input *in = arg;
	char text[PIECE];
	ssize_t got = read(fd, text, sizeof(text));
	lb_autobuf struct lb_buf encoded = {NULL};
	json_auto_t *body = NULL;

	(void)events;
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	watch(in, false);
	if (got <= 0) {
		in->closing = true;
		body = lb_json_pack("{s:o}", "process", process_of(in));
		ask(in, "/process.Process/CloseStdin", body);
		return;
	}
	lb_base64_encode(&encoded, text, (size_t)got);
	body = lb_json_pack("{s:o, s:{s:s}}", "process", process_of(in),
			    "input", "stdin", encoded.data);
	ask(in, "/process.Process/SendInput", body);
}

void lb_e2b_input_start(struct lb_e2b_input *in, int fd, int64_t pid)
{
	in->fd = fd;
	in->pid = pid;
	watch(in, true);
}

void lb_e2b_input_end(struct lb_e2b_input *in)
{
	if (in->call)
		lb_http_cancel(in->call);
	if (in->pid > 0 && !in->call && !in->closing)
		watch(in, false);
	lb_buf_release(&in->said);
}
