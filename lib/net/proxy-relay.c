/* proxy-relay.c - bytes, to and fro between a client and a host. */
#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/proxy-conn.h"

static void on_client(int fd, uint32_t events, void *arg);
static void on_host(int fd, uint32_t events, void *arg);

enum { LEAVE_MS = 10 * 1000 }; /* for a client whose host has gone */

static void on_left(void *arg)
{
	lb_proxy_conn_close(arg);
}

static bool has_text(const struct lb_proxy_way *w)
{
	return w->at < w->text.len;
}

/* What each end is watched for: as much is read as can be written. */
static void watch(struct lb_proxy_conn *c)
{
	uint32_t client = 0, host = 0;

	if (has_text(&c->up))
		host |= EPOLLOUT;
	else if (!c->up.ended)
		client |= EPOLLIN;
	if (has_text(&c->down))
		client |= EPOLLOUT;
	else if (!c->down.ended)
		host |= EPOLLIN;
	lb_loop_watch(c->proxy->loop, c->client, client, on_client, c);
	lb_loop_watch(c->proxy->loop, c->host, host, on_host, c);
}

/* Fill the way with what there is. False: that end is broken. */
static bool take(struct lb_proxy_way *w, int from)
{
	ssize_t n;

	if (has_text(w) || w->ended)
		return true;
	w->at = w->text.len = 0;
	lb_buf_reserve(&w->text, LB_PROXY_CHUNK);
	n = recv(from, w->text.data, LB_PROXY_CHUNK, 0);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	w->text.len = (size_t)n;
	w->ended = n == 0;
	return true;
}

static bool give(struct lb_proxy_way *w, int to)
{
	while (has_text(w)) {
		ssize_t n = send(to, w->text.data + w->at, w->text.len - w->at,
				 MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		w->at += (size_t)n;
	}
	if (w->ended && !w->shut) {
		shutdown(to, SHUT_WR);
		w->shut = true;
	}
	return true;
}

/* What a host has said is all that was asked for, but in a tunnel, where the
 * client may go on. */
static bool is_over(const struct lb_proxy_conn *c)
{
	return c->down.shut && (c->up.shut || !c->request.tunnel);
}

/* Something can be read or written. */
static void move(struct lb_proxy_conn *c, struct lb_proxy_way *in, int fd,
		 uint32_t events)
{
	struct lb_proxy_way *out = in == &c->up ? &c->down : &c->up;
	int other = fd == c->client ? c->host : c->client;
	bool good = true;

	c->heard = lb_clock_mono();
	if (has_text(out))
		good = give(out, fd);
	if (good && (events & ~(uint32_t)EPOLLOUT))
		good = take(in, fd) && give(in, other);
	if (!good || is_over(c)) {
		lb_proxy_conn_close(c);
		return;
	}
	if (c->down.shut && c->timer.fn != on_left)
		lb_timer_set(c->proxy->loop, &c->timer, c->heard + LEAVE_MS,
			     on_left, c);
	watch(c);
}

static void on_client(int fd, uint32_t events, void *arg)
{
	struct lb_proxy_conn *c = arg;

	move(c, &c->up, fd, events);
}

static void on_host(int fd, uint32_t events, void *arg)
{
	struct lb_proxy_conn *c = arg;

	move(c, &c->down, fd, events);
}

static void on_idle(void *arg)
{
	struct lb_proxy_conn *c = arg;
	int64_t until = c->heard + c->proxy->settings.limits.idle_ms;

	if (until > lb_clock_mono())
		lb_timer_set(c->proxy->loop, &c->timer, until, on_idle, c);
	else
		lb_proxy_conn_close(c);
}

void lb_proxy_relay(struct lb_proxy_conn *c)
{
	c->heard = lb_clock_mono();
	lb_timer_set(c->proxy->loop, &c->timer,
		     c->heard + c->proxy->settings.limits.idle_ms, on_idle, c);
	watch(c);
}
