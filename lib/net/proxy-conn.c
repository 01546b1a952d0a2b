#include "net/proxy-conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
	LEAVE_MS = 2000,           /* a client has so long to read why not */
	MOST_THROWN = 1024 * 1024, /* and to stop saying what nobody reads */
};

static void wait_at_most(struct lb_proxy_conn *c, int64_t ms, lb_timer_fn *fn)
{
	lb_timer_set(c->proxy->loop, &c->timer, lb_clock_mono() + ms, fn, c);
}

static void drop_host(struct lb_proxy_conn *c)
{
	if (c->host < 0)
		return;
	lb_loop_watch(c->proxy->loop, c->host, 0, NULL, NULL);
	close(c->host);
	c->host = -1;
}

/* ---- names ---- */

static void next_lookup(struct lb_proxy *p);

static void stop_lookup(struct lb_proxy_conn *c)
{
	struct lb_proxy *p = c->proxy;
	struct lb_proxy_conn **at = &p->first;

	if (c->resolve.pid > 0) {
		lb_resolve_cancel(&c->resolve);
		p->n_lookups--;
		next_lookup(p);
	}
	if (!c->waits)
		return;
	while (*at != c)
		at = &(*at)->waiting;
	*at = c->waiting;
	if (!c->waiting)
		p->end = at;
	c->waits = false;
}

void lb_proxy_conn_close(struct lb_proxy_conn *c)
{
	struct lb_proxy *p = c->proxy;

	stop_lookup(c);
	lb_timer_cancel(p->loop, &c->timer);
	drop_host(c);
	lb_loop_watch(p->loop, c->client, 0, NULL, NULL);
	close(c->client);
	lb_proxy_request_release(&c->request);
	lb_buf_release(&c->up.text);
	lb_buf_release(&c->down.text);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	free(c);
	p->n_conns--;
	lb_proxy_room(p);
}

/* ---- answers of ours ---- */

static void on_left(void *arg)
{
	lb_proxy_conn_close(arg);
}

/* What it says is not read any more; but an end while something is unread
 * would take our answer with it. */
static void on_rest(int fd, uint32_t events, void *arg)
{
	struct lb_proxy_conn *c = arg;
	char thrown[4096];
	ssize_t n = recv(fd, thrown, sizeof(thrown), 0);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->up.at += n > 0 ? (size_t)n : 0;
	if (n <= 0 || c->up.at > MOST_THROWN)
		lb_proxy_conn_close(c);
}

static const char *phrase(int status)
{
	switch (status) {
	case 403:
		return "Forbidden";
	case 408:
		return "Request Timeout";
	case 431:
		return "Request Header Fields Too Large";
	case 502:
		return "Bad Gateway";
	case 504:
		return "Gateway Timeout";
	case 505:
		return "HTTP Version Not Supported";
	default:
		return "Bad Request";
	}
}

void lb_proxy_answer(struct lb_proxy_conn *c, int status, const char *why)
{
	lb_autofree char *body = lb_printf("lb: %s\n", why);
	lb_autofree char *text =
		lb_printf("HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\n"
			  "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
			  status, phrase(status), strlen(body), body);

	drop_host(c);
	stop_lookup(c);
	c->up.at = 0;
	/* It is the first that is sent, and there is room for more than it. */
	send(c->client, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(c->client, SHUT_WR);
	lb_loop_watch(c->proxy->loop, c->client, EPOLLIN, on_rest, c);
	wait_at_most(c, LEAVE_MS, on_left);
}

static void refuse(struct lb_proxy_conn *c, const char *why)
{
	const struct lb_proxy_settings *s = &c->proxy->settings;
	lb_autofree char *host = lb_host_text(&c->request.host);

	if (s->refused)
		s->refused(s->arg, host, why);
	lb_proxy_answer(c, 403, why);
}

/* ---- the host ---- */

static void dial_next(struct lb_proxy_conn *c, int why);

static void on_connect_late(void *arg)
{
	dial_next(arg, ETIMEDOUT);
}

static void connected(struct lb_proxy_conn *c)
{
	const int yes = 1;

	setsockopt(c->host, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	if (c->request.tunnel)
		lb_buf_puts(&c->down.text,
			    "HTTP/1.1 200 Connection established\r\n\r\n");
	lb_proxy_relay(c);
}

static void on_connected(int fd, uint32_t events, void *arg)
{
	struct lb_proxy_conn *c = arg;
	int bad = 0;
	union lb_address who;
	socklen_t len = sizeof(bad), room = sizeof(who);

	(void)events;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &bad, &len) < 0)
		bad = errno;
	if (bad == 0 && getpeername(fd, &who.any, &room) < 0)
		return; /* an event of one that had this number before */
	if (bad == 0)
		connected(c);
	else
		dial_next(c, bad);
}

/* The next address that may be dialled; `why` the last one was not reached. */
static void dial_next(struct lb_proxy_conn *c, int why)
{
	const struct lb_proxy_settings *s = &c->proxy->settings;
	const union lb_address *to;
	char text[128];

	for (;;) {
		drop_host(c);
		if (c->next_address == c->n_addresses) {
			snprintf(text, sizeof(text),
				 "the host cannot be reached: %s",
				 strerror(why));
			lb_proxy_answer(c, why == ETIMEDOUT ? 504 : 502, text);
			return;
		}
		to = &c->addresses[c->next_address++];
		c->host = socket(to->any.sa_family,
				 SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (c->host >= 0 && (connect(c->host, &to->any,
					     to->any.sa_family == AF_INET
						     ? sizeof(to->v4)
						     : sizeof(to->v6)) == 0 ||
				     errno == EINPROGRESS))
			break;
		why = errno;
	}
	lb_loop_watch(c->proxy->loop, c->host, EPOLLOUT, on_connected, c);
	wait_at_most(c, s->limits.connect_ms, on_connect_late);
}

static void dial(struct lb_proxy_conn *c, size_t n)
{
	c->n_addresses =
		lb_proxy_keep(c->proxy, c->request.host.port, c->addresses, n);
	c->next_address = 0;
	if (n == 0)
		lb_proxy_answer(c, 502, "there is no such host");
	else if (c->n_addresses == 0)
		refuse(c, "it is not on the public internet");
	else
		dial_next(c, 0);
}

static void on_resolved(void *arg, const union lb_address *found, size_t n)
{
	struct lb_proxy_conn *c = arg;
	struct lb_proxy *p = c->proxy;

	if (n > 0)
		memcpy(c->addresses, found, n * sizeof(*found));
	p->n_lookups--;
	dial(c, n);
	next_lookup(p);
}

static void start_lookup(struct lb_proxy_conn *c)
{
	struct lb_proxy *p = c->proxy;
	struct lb_error err;

	c->resolve.loop = p->loop;
	c->resolve.done = on_resolved;
	c->resolve.arg = c;
	if (lb_resolve_start(&c->resolve, c->request.host.name,
			     c->request.host.port, p->settings.lookup,
			     p->settings.limits.lookup_ms, &err) == 0)
		p->n_lookups++;
	else
		lb_proxy_answer(c, 502, "names cannot be looked up now");
}

static void next_lookup(struct lb_proxy *p)
{
	while (p->first && p->n_lookups < p->settings.limits.lookups) {
		struct lb_proxy_conn *c = p->first;

		p->first = c->waiting;
		if (!p->first)
			p->end = &p->first;
		c->waits = false;
		start_lookup(c);
	}
}

static void look_up(struct lb_proxy_conn *c)
{
	struct lb_proxy *p = c->proxy;

	c->waits = true;
	c->waiting = NULL;
	*p->end = c;
	p->end = &c->waiting;
	next_lookup(p);
}

/* The address that the host is named by. */
static void take_address(struct lb_proxy_conn *c)
{
	const struct lb_host *h = &c->request.host;
	union lb_address *to = &c->addresses[0];
	bool six = strchr(h->name, ':') != NULL;

	memset(to, 0, sizeof(*to));
	if (six) {
		to->v6.sin6_family = AF_INET6;
		to->v6.sin6_port = htons((uint16_t)h->port);
		inet_pton(AF_INET6, h->name, &to->v6.sin6_addr);
	} else {
		to->v4.sin_family = AF_INET;
		to->v4.sin_port = htons((uint16_t)h->port);
		inet_pton(AF_INET, h->name, &to->v4.sin_addr);
	}
}

/* ---- what is asked for ---- */

static void begin(struct lb_proxy_conn *c)
{
	struct lb_error err;

	if (lb_proxy_may_ask(c->proxy, &c->request.host, &err) < 0) {
		refuse(c, err.text);
	} else if (c->request.host.is_address) {
		take_address(c);
		dial(c, 1);
	} else {
		look_up(c);
	}
}

/* As much of it as there is. */
static void read_head(struct lb_proxy_conn *c)
{
	struct lb_buf *text = &c->up.text;
	struct lb_error err;
	size_t used;
	int status, got;

	got = lb_proxy_request_read(text->data, text->len, &c->request, &used,
				    &status, &err);
	if (got == 0)
		return;
	lb_loop_watch(c->proxy->loop, c->client, 0, NULL, NULL);
	lb_timer_cancel(c->proxy->loop, &c->timer);
	if (got < 0) {
		lb_proxy_answer(c, status, err.text);
		return;
	}
	/* The host gets what we make of it, and what followed. */
	lb_buf_put(&c->request.head, text->data + used, text->len - used);
	lb_buf_release(text);
	*text = c->request.head;
	c->request.head = (struct lb_buf){NULL};
	begin(c);
}

static void on_head(int fd, uint32_t events, void *arg)
{
	struct lb_proxy_conn *c = arg;
	struct lb_buf *text = &c->up.text;
	ssize_t n;

	(void)events;
	lb_buf_reserve(text, LB_PROXY_HEAD - text->len);
	n = recv(fd, text->data + text->len, LB_PROXY_HEAD - text->len, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		lb_proxy_conn_close(c);
		return;
	}
	text->len += (size_t)n;
	read_head(c);
}

static void on_head_late(void *arg)
{
	struct lb_proxy_conn *c = arg;

	lb_proxy_answer(c, 408, "the request took too long to come");
}

void lb_proxy_conn_open(struct lb_proxy *p, int take_client)
{
	struct lb_proxy_conn *c = lb_alloc(sizeof(*c));

	c->proxy = p;
	c->client = take_client;
	c->host = -1;
	c->next = p->conns;
	c->link = &p->conns;
	if (c->next)
		c->next->link = &c->next;
	p->conns = c;
	p->n_conns++;
	lb_loop_watch(p->loop, take_client, EPOLLIN, on_head, c);
	wait_at_most(c, p->settings.limits.head_ms, on_head_late);
}
