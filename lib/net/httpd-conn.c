#include "net/httpd-conn.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
	CHUNK = 64 * 1024,
	LEAVE_MS = 2000,           /* a client has so long to read why not */
	MOST_THROWN = 1024 * 1024, /* and to stop saying what nobody reads */
};

static void settle(struct lb_httpd_conn *c);

/* What it has of the server's count: as much as its body now has. */
static void count(struct lb_httpd_conn *c, size_t bytes)
{
	c->server->bodies += bytes - c->counted;
	c->counted = bytes;
}

static void forget_request(struct lb_httpd_conn *c)
{
	lb_httpd_request_release(&c->request);
	lb_httpd_body_release(&c->body);
	count(c, 0);
}

void lb_httpd_conn_close(struct lb_httpd_conn *c)
{
	struct lb_httpd *h = c->server;

	lb_timer_cancel(h->loop, &c->timer);
	lb_timer_cancel(h->loop, &c->later);
	lb_loop_watch(h->loop, c->fd, 0, NULL, NULL);
	close(c->fd);
	forget_request(c);
	lb_buf_release(&c->in);
	lb_buf_release(&c->out);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	free(c);
	h->n_conns--;
	lb_httpd_room(h);
}

static void go_to(struct lb_httpd_conn *c, int at)
{
	c->at = at;
	c->since = lb_clock_mono();
}

/* ---- from bytes to a request ---- */

static void hand_on(struct lb_httpd_conn *c)
{
	const struct lb_httpd_settings *s = &c->server->settings;

	c->request.body = lb_buf_str(&c->body.text);
	c->request.body_len = c->body.text.len;
	go_to(c, LB_CONN_ASKED);
	s->asked(s->arg, c, &c->request);
}

static void begin_body(struct lb_httpd_conn *c)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	const struct lb_httpd_limits *l = &c->server->settings.limits;
	struct lb_error err;

	if (lb_httpd_body_begin(&c->body, c->request.chunked, c->request.length,
				l->body, &err) < 0) {
		lb_httpd_refuse(c, 413, err.text);
		return;
	}
	go_to(c, LB_CONN_BODY);
	if (c->request.waits && c->in.len == 0) {
		lb_buf_put(&c->out, go_on, sizeof(go_on) - 1);
		lb_httpd_flush(c);
	}
}

/* True: there is more to do with what there is. */
static bool read_head(struct lb_httpd_conn *c)
{
	const struct lb_httpd_settings *s = &c->server->settings;
	struct lb_error err;
	size_t used = 0;
	int status = 0, got;

	/* Some clients send a CR LF behind a body (RFC 9112, 2.2). */
	while (c->in.len >= 2 && memcmp(c->in.data, "\r\n", 2) == 0)
		lb_buf_shift(&c->in, 2);
	if (c->in.len == 0)
		return false;
	got = lb_httpd_request_read(c->in.data, c->in.len, &c->request, &used,
				    &status, &err);
	if (got == 0)
		return false;
	if (got < 0) {
		lb_httpd_refuse(c, status, err.text);
		return true;
	}
	lb_buf_shift(&c->in, used);
	if (s->head)
		s->head(s->arg, c, &c->request);
	if (c->at != LB_CONN_HEAD)
		return true;
	if (c->request.chunked || c->request.length > 0)
		begin_body(c);
	else
		hand_on(c);
	return true;
}

static bool read_body(struct lb_httpd_conn *c)
{
	const struct lb_httpd_limits *l = &c->server->settings.limits;
	struct lb_error err;
	size_t used = 0;
	int status = 0, got;

	if (c->in.len == 0)
		return false;
	got = lb_httpd_body_feed(&c->body, c->in.data, c->in.len, &used,
				 &status, &err);
	lb_buf_shift(&c->in, used);
	count(c, c->body.text.len);
	if (got < 0)
		lb_httpd_refuse(c, status, err.text);
	else if (c->server->bodies > l->bodies)
		lb_httpd_refuse(c, 503, "too much is being read");
	else if (got > 0)
		hand_on(c);
	return got != 0;
}

/* ---- from one to the next ---- */

/* Its answer has left. */
static bool finish(struct lb_httpd_conn *c)
{
	if (c->out_at < c->out.len)
		return false;
	forget_request(c);
	if (c->ends) {
		/* Closing while something is unread would take the answer
		 * with it. */
		shutdown(c->fd, SHUT_WR);
		lb_buf_release(&c->in);
		go_to(c, LB_CONN_LEAVE);
		return false;
	}
	c->began = c->in.len > 0;
	c->served = true;
	go_to(c, LB_CONN_HEAD);
	return true;
}

static bool step(struct lb_httpd_conn *c)
{
	switch (c->at) {
	case LB_CONN_HEAD:
		return read_head(c);
	case LB_CONN_BODY:
		return read_body(c);
	case LB_CONN_DONE:
		return finish(c);
	default:
		return false;
	}
}

static uint32_t wanted(const struct lb_httpd_conn *c)
{
	uint32_t events = c->out_at < c->out.len ? EPOLLOUT : 0;

	switch (c->at) {
	case LB_CONN_HEAD:
	case LB_CONN_BODY:
	case LB_CONN_LEAVE:
		return events | EPOLLIN;
	case LB_CONN_DONE:
		return events | EPOLLERR;
	default:
		/* What comes next is not read before this is answered. */
		return events | EPOLLRDHUP;
	}
}

/* Until when it has to be somewhere else, mono ms; 0: as long as it takes. */
static int64_t deadline(const struct lb_httpd_conn *c)
{
	const struct lb_httpd_limits *l = &c->server->settings.limits;

	switch (c->at) {
	case LB_CONN_HEAD:
		return c->since +
		       (c->began || !c->served ? l->head_ms : l->idle_ms);
	case LB_CONN_BODY:
		return c->since + l->body_ms;
	case LB_CONN_LEAVE:
		return c->since + LEAVE_MS;
	default:
		return c->out_at < c->out.len ? c->wrote + l->write_ms : 0;
	}
}

static void on_late(void *arg)
{
	struct lb_httpd_conn *c = arg;

	if ((c->at == LB_CONN_HEAD && c->in.len > 0) || c->at == LB_CONN_BODY)
		lb_httpd_refuse(c, 408, "the request took too long to come");
	else
		c->is_gone = true;
	settle(c);
}

static void on_later(void *arg)
{
	settle(arg);
}

void lb_httpd_later(struct lb_httpd_conn *c)
{
	if (!c->busy)
		lb_timer_set(c->server->loop, &c->later, lb_clock_mono(),
			     on_later, c);
}

static void on_event(int fd, uint32_t events, void *arg);

/* Go on as far as there is something to go on with. */
static void settle(struct lb_httpd_conn *c)
{
	struct lb_loop *loop = c->server->loop;
	uint32_t events;
	int64_t until;

	c->busy = true;
	while (!c->is_gone && step(c))
		;
	c->busy = false;
	lb_timer_cancel(loop, &c->later);
	if (c->is_gone) {
		if (c->gone)
			c->gone(c->gone_arg);
		lb_httpd_conn_close(c);
		return;
	}
	events = wanted(c);
	if (events != c->watched)
		lb_loop_watch(loop, c->fd, events, on_event, c);
	c->watched = events;
	until = deadline(c);
	if (until > 0)
		lb_timer_set(loop, &c->timer, until, on_late, c);
	else
		lb_timer_cancel(loop, &c->timer);
}

static void take_bytes(struct lb_httpd_conn *c)
{
	size_t most = c->at == LB_CONN_HEAD ? LB_HTTPD_HEAD : CHUNK;
	ssize_t n;

	if (c->at == LB_CONN_HEAD && !c->began) {
		c->since = lb_clock_mono();
		c->began = true;
	}
	lb_buf_reserve(&c->in, most);
	n = recv(c->fd, c->in.data + c->in.len, most, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		c->is_gone = true;
		return;
	}
	if (c->at == LB_CONN_LEAVE) {
		c->thrown += (size_t)n;
		c->is_gone = c->thrown > MOST_THROWN;
		return;
	}
	c->in.len += (size_t)n;
	c->in.data[c->in.len] = '\0';
}

static void on_event(int fd, uint32_t events, void *arg)
{
	struct lb_httpd_conn *c = arg;

	(void)fd;
	if (events & EPOLLOUT)
		lb_httpd_flush(c);
	if (c->watched & EPOLLIN && events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		take_bytes(c);
	else if (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP))
		c->is_gone = true;
	settle(c);
}

void lb_httpd_on_gone(struct lb_httpd_conn *c, void (*gone)(void *arg),
		      void *arg)
{
	c->gone = gone;
	c->gone_arg = arg;
}

void lb_httpd_conn_open(struct lb_httpd *h, int take_client)
{
	struct lb_httpd_conn *c = lb_alloc(sizeof(*c));
	const int yes = 1;

	setsockopt(take_client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	c->server = h;
	c->fd = take_client;
	c->next = h->conns;
	c->link = &h->conns;
	if (c->next)
		c->next->link = &c->next;
	h->conns = c;
	h->n_conns++;
	go_to(c, LB_CONN_HEAD);
	settle(c);
}
