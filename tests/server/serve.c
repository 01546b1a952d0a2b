#include "serve.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"

enum { MAX_REQUEST = 64 << 20, READ = 64 << 10 };

struct connection {
	struct server *server;
	int fd, number;
	struct lb_buf in;
	struct lb_timer timer;
	const struct reply *reply; /* NULL while a request is awaited */
	struct reply own;          /* an answer made for one request */
	size_t op, off, sent;
	bool last, continued;
};

static void on_event(int fd, uint32_t events, void *arg);
static void go_on(void *arg);

static void drop(struct connection *c)
{
	lb_timer_cancel(c->server->loop, &c->timer);
	lb_loop_watch(c->server->loop, c->fd, 0, NULL, NULL);
	close(c->fd);
	lb_buf_release(&c->in);
	reply_release(&c->own);
	free(c);
}

static void reset(struct connection *c)
{
	struct linger now = {1, 0};

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	drop(c);
}

static void gone(struct connection *c)
{
	if (c->reply)
		log_gone(c->server, c->number, c->sent);
	drop(c);
}

static void watch(struct connection *c, uint32_t events)
{
	lb_loop_watch(c->server->loop, c->fd, events, on_event, c);
}

static json_t *read_headers(char *text)
{
	json_t *headers = json_object();
	char *save = NULL;

	for (char *line; (line = strtok_r(text, "\r\n", &save)); text = NULL) {
		char *value = strchr(line, ':');
		const char *old;

		if (!value)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		for (char *p = line; *p; p++)
			*p |= *p >= 'A' && *p <= 'Z' ? 0x20 : 0;
		old = lb_json_str(headers, line);
		if (old) {
			lb_autofree char *both =
				lb_printf("%s, %s", old, value);

			lb_json_set_str(headers, line, both, strlen(both));
		} else {
			lb_json_set_str(headers, line, value, strlen(value));
		}
	}
	return headers;
}

static const struct reply *not_found(void)
{
	static struct reply reply;
	struct plan plan;

	if (reply.n_ops == 0) {
		plan_init(&plan);
		plan.status = 404;
		plan_add(&plan, STEP_SEND, "no such exchange\n", 17, 0);
		plan_build(&plan, &reply);
		plan_release(&plan);
	}
	return &reply;
}

static void choose_reply(struct connection *c, const struct request *r)
{
	struct exchange *x = script_find(c->server->script, r);
	const char *connection = lb_json_str(r->headers, "connection");

	c->server->requests++;
	log_request(c->server, c->number, r, x);
	c->last = connection && strcasecmp(connection, "close") == 0;
	c->op = c->off = c->sent = 0;
	c->continued = false;
	if (x && x->twin) {
		reply_release(&c->own);
		twin_answer(x->twin, r, &c->own);
		c->reply = &c->own;
	} else {
		c->reply = x ? &x->reply : not_found();
	}
}

/* The length of the head, its blank line included; 0 when not all is here. */
static size_t head_length(const struct lb_buf *in)
{
	const char *end =
		in->len ? memmem(in->data, in->len, "\r\n\r\n", 4) : NULL;

	return end ? (size_t)(end - in->data) + 4 : 0;
}

/* True when a whole request was taken from c->in. */
static bool take_request(struct connection *c)
{
	size_t head = head_length(&c->in), body;
	lb_autofree char *text = NULL;
	json_auto_t *headers = NULL;
	char *line, *save = NULL, *rest;
	struct request r;
	const char *length;

	if (head == 0)
		return false;
	text = lb_strndup(c->in.data, head);
	line = text;
	rest = strstr(text, "\r\n");
	*rest = '\0';
	headers = read_headers(rest + 2);
	length = lb_json_str(headers, "content-length");
	body = length ? strtoul(length, NULL, 10) : 0;
	if (body > MAX_REQUEST)
		return false;
	if (c->in.len < head + body) {
		if (lb_json_str(headers, "expect") && !c->continued)
			c->continued =
				send(c->fd, "HTTP/1.1 100 Continue\r\n\r\n", 25,
				     MSG_NOSIGNAL) == 25;
		return false;
	}
	r = (struct request){.headers = headers,
			     .body = c->in.data + head,
			     .body_len = body};
	r.method = strtok_r(line, " ", &save);
	r.path = strtok_r(NULL, " ", &save);
	if (!r.method || !r.path)
		return false;
	choose_reply(c, &r);
	lb_buf_shift(&c->in, head + body);
	return true;
}

/* The answer is out. False when the connection is no more. */
static bool finish_reply(struct connection *c)
{
	enum ending ending = c->reply->ending;

	if (ending == END_HANG) {
		watch(c, EPOLLRDHUP);
		return true;
	}
	if (ending == END_RESET) {
		reset(c);
		return false;
	}
	if (ending == END_CLOSE || c->last) {
		drop(c);
		return false;
	}
	c->reply = NULL;
	watch(c, EPOLLIN);
	return true;
}

/* Write until the socket is full, a pause is due or the answer is out. */
static bool write_reply(struct connection *c)
{
	while (c->op < c->reply->n_ops) {
		const struct op *op = &c->reply->ops[c->op];
		ssize_t n = 0;

		if (c->off < op->len)
			n = send(c->fd,
				 c->reply->bytes.data + op->from + c->off,
				 op->len - c->off, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN) {
			watch(c, EPOLLOUT | EPOLLRDHUP);
			return true;
		}
		if (n < 0) {
			gone(c);
			return false;
		}
		c->off += (size_t)n;
		c->sent += (size_t)n;
		if (c->off < op->len)
			continue;
		c->op++;
		c->off = 0;
		if (op->pause_ms > 0) {
			watch(c, EPOLLRDHUP);
			lb_timer_set(c->server->loop, &c->timer,
				     lb_clock_mono() + op->pause_ms, go_on, c);
			return true;
		}
	}
	return finish_reply(c);
}

static void go_on(void *arg)
{
	struct connection *c = arg;

	/* After an answer the next request may be here already. */
	while (c->reply || take_request(c))
		if (!write_reply(c) || c->reply)
			return;
}

/* False when the peer is gone. */
static bool read_some(struct connection *c)
{
	ssize_t n;

	lb_buf_reserve(&c->in, READ);
	n = recv(c->fd, c->in.data + c->in.len, READ, 0);
	if (n < 0)
		return errno == EAGAIN;
	if (n == 0 || c->in.len > MAX_REQUEST)
		return false;
	c->in.len += (size_t)n;
	c->in.data[c->in.len] = '\0';
	return true;
}

static void on_event(int fd, uint32_t events, void *arg)
{
	struct connection *c = arg;

	(void)fd;
	if (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) {
		gone(c);
		return;
	}
	if (events & EPOLLIN && !c->reply) {
		if (!read_some(c)) {
			gone(c);
			return;
		}
	}
	if (c->timer.slot == 0)
		go_on(c);
}

static void on_listener(int fd, uint32_t events, void *arg)
{
	struct server *server = arg;
	int one = 1, peer;

	(void)events;
	while ((peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >=
	       0) {
		struct connection *c = lb_alloc(sizeof(*c));

		c->server = server;
		c->fd = peer;
		c->number = ++server->connections;
		setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		watch(c, EPOLLIN);
	}
}

void serve_listener(struct server *server, int fd)
{
	lb_loop_watch(server->loop, fd, EPOLLIN, on_listener, server);
}
