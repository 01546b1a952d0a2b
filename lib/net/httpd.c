#include "net/httpd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/httpd-conn.h"

enum {
	CONNECTIONS = 256,
	BODY = 16 << 20,
	BODIES = 64 << 20,
	UNREAD = 4 << 20,
	UNSENT = 64 << 20,
	HEAD_MS = 10 * 1000,
	BODY_MS = 60 * 1000,
	IDLE_MS = 60 * 1000,
	WRITE_MS = 30 * 1000,
	GRACE_MS = 1000, /* in which a new client may ask, whoever comes */
	SHORT_MS = 100,  /* until it is tried again, when something is short */
};

static void on_client(int fd, uint32_t events, void *arg);

static void listen_on(struct lb_httpd *h, bool want)
{
	if (want == h->listens)
		return;
	lb_loop_watch(h->loop, h->listener, want ? EPOLLIN : 0, on_client, h);
	h->listens = want;
}

static void listen_again(void *arg)
{
	listen_on(arg, true);
}

void lb_httpd_room(struct lb_httpd *h)
{
	if (h->again.slot == 0 && h->settings.limits.connections > 0)
		listen_on(h, true);
}

static void wait_a_little(struct lb_httpd *h)
{
	listen_on(h, false);
	lb_timer_set(h->loop, &h->again, lb_clock_mono() + SHORT_MS,
		     listen_again, h);
}

/* Of those that do not ask for anything, the one that does so longest. */
static bool make_room(struct lb_httpd *h)
{
	struct lb_httpd_conn *oldest = NULL;

	if (h->n_conns < h->settings.limits.connections)
		return true;
	for (struct lb_httpd_conn *c = h->conns; c; c = c->next)
		if ((c->at == LB_CONN_HEAD || c->at == LB_CONN_LEAVE) &&
		    (!oldest || c->since < oldest->since))
			oldest = c;
	if (!oldest || lb_clock_mono() - oldest->since < GRACE_MS)
		return false;
	lb_httpd_conn_close(oldest);
	return true;
}

static void on_client(int fd, uint32_t events, void *arg)
{
	struct lb_httpd *h = arg;
	int client;

	(void)events;
	if (!make_room(h)) {
		wait_a_little(h);
		return;
	}
	client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (client >= 0)
		lb_httpd_conn_open(h, client);
	else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
		 errno == ENOBUFS)
		wait_a_little(h);
}

static void fill(int64_t *value, int64_t usual)
{
	if (*value == 0)
		*value = usual;
}

static void fill_size(size_t *value, size_t usual)
{
	if (*value == 0)
		*value = usual;
}

struct lb_httpd *lb_httpd_open(struct lb_loop *loop, int take_listener,
			       const struct lb_httpd_settings *settings)
{
	struct lb_httpd *h = lb_alloc(sizeof(*h));
	struct lb_httpd_limits *l = &h->settings.limits;

	h->loop = loop;
	h->settings = *settings;
	h->listener = take_listener;
	l->connections = l->connections ? l->connections : CONNECTIONS;
	fill_size(&l->body, BODY);
	fill_size(&l->bodies, BODIES);
	fill_size(&l->unread, UNREAD);
	fill_size(&l->unsent, UNSENT);
	fill(&l->head_ms, HEAD_MS);
	fill(&l->body_ms, BODY_MS);
	fill(&l->idle_ms, IDLE_MS);
	fill(&l->write_ms, WRITE_MS);
	fcntl(take_listener, F_SETFL, O_NONBLOCK);
	listen_on(h, true);
	return h;
}

void lb_httpd_close(struct lb_httpd *h)
{
	if (!h)
		return;
	h->settings.limits.connections = 0;
	while (h->conns)
		lb_httpd_conn_close(h->conns);
	lb_timer_cancel(h->loop, &h->again);
	listen_on(h, false);
	close(h->listener);
	free(h);
}
