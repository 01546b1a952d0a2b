#include "net/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/mem.h"
#include "net/address.h"
#include "net/proxy-conn.h"

enum {
	CONNECTIONS = 128,
	LOOKUPS = 16,
	HEAD_MS = 10 * 1000,
	LOOKUP_MS = 10 * 1000,
	CONNECT_MS = 15 * 1000,
	IDLE_MS = 300 * 1000,
	SHORT_MS = 100, /* until it is tried again, when something is short */
	MAIL_PORT = 25,
};

int lb_proxy_may_ask(const struct lb_proxy *proxy, const struct lb_host *host,
		     struct lb_error *err)
{
	const char *const *rule = proxy->settings.policy.allow;

	if (!rule && host->port == MAIL_PORT)
		return lb_fail(err, LB_DENIED,
			       "mail servers are not reached from here");
	if (!rule)
		return 0;
	for (; *rule; rule++)
		if (lb_host_is_meant(host, *rule))
			return 0;
	return lb_fail(err, LB_DENIED,
		       "it is not one of the hosts that may "
		       "be reached from here");
}

static bool is_inner(const struct lb_proxy *proxy, const struct sockaddr *to,
		     int port)
{
	const char *const *rule = proxy->settings.policy.inner;
	char network[LB_HOST_NETWORK];
	struct lb_error err;
	int only;

	for (; rule && *rule; rule++)
		if (lb_host_network(*rule, network, &only, &err) == 0 &&
		    (only == 0 || only == port) && lb_address_in(to, network))
			return true;
	return false;
}

static bool is_same(const struct sockaddr *a, const struct sockaddr *b)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;

	if (a->sa_family != b->sa_family)
		return false;
	return a->sa_family == AF_INET
		       ? a4->sin_addr.s_addr == b4->sin_addr.s_addr
		       : a->sa_family == AF_INET6 &&
				 memcmp(&a6->sin6_addr, &b6->sin6_addr,
					sizeof(a6->sin6_addr)) == 0;
}

/* Services of this machine may trust whoever comes from it. */
static bool is_own(const struct ifaddrs *own, const struct sockaddr *to)
{
	for (; own; own = own->ifa_next)
		if (own->ifa_addr && is_same(own->ifa_addr, to))
			return true;
	return false;
}

size_t lb_proxy_keep(const struct lb_proxy *proxy, int port,
		     union lb_address *addresses, size_t n)
{
	struct ifaddrs *own = NULL;
	/* Who cannot tell what is his own takes nothing for foreign. */
	bool knows = getifaddrs(&own) == 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sockaddr *to = &addresses[i].any;

		if (is_inner(proxy, to, port) ||
		    (knows && lb_address_is_public(to) && !is_own(own, to)))
			addresses[kept++] = addresses[i];
	}
	if (knows)
		freeifaddrs(own);
	return kept;
}

static void on_client(int fd, uint32_t events, void *arg);

static void listen_again(void *arg)
{
	struct lb_proxy *p = arg;
	bool want = p->n_conns < p->settings.limits.connections;

	if (want == p->listens)
		return;
	lb_loop_watch(p->loop, p->listener, want ? EPOLLIN : 0, on_client, p);
	p->listens = want;
}

void lb_proxy_room(struct lb_proxy *p)
{
	if (p->again.slot == 0)
		listen_again(p);
}

static void on_client(int fd, uint32_t events, void *arg)
{
	struct lb_proxy *p = arg;
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (client >= 0) {
		lb_proxy_conn_open(p, client);
		listen_again(p);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
		   errno == ENOBUFS) {
		lb_loop_watch(p->loop, p->listener, 0, NULL, NULL);
		p->listens = false;
		lb_timer_set(p->loop, &p->again, lb_clock_mono() + SHORT_MS,
			     listen_again, p);
	}
}

static void fill(int64_t *value, int64_t usual)
{
	if (*value == 0)
		*value = usual;
}

struct lb_proxy *lb_proxy_open(struct lb_loop *loop, int take_listener,
			       const struct lb_proxy_settings *settings)
{
	struct lb_proxy *p = lb_alloc(sizeof(*p));
	struct lb_proxy_limits *l = &p->settings.limits;

	p->loop = loop;
	p->settings = *settings;
	p->listener = take_listener;
	p->end = &p->first;
	if (!p->settings.lookup)
		p->settings.lookup = lb_lookup;
	l->connections = l->connections ? l->connections : CONNECTIONS;
	l->lookups = l->lookups ? l->lookups : LOOKUPS;
	fill(&l->head_ms, HEAD_MS);
	fill(&l->lookup_ms, LOOKUP_MS);
	fill(&l->connect_ms, CONNECT_MS);
	fill(&l->idle_ms, IDLE_MS);
	fcntl(take_listener, F_SETFL, O_NONBLOCK);
	listen_again(p);
	return p;
}

void lb_proxy_close(struct lb_proxy *p)
{
	if (!p)
		return;
	p->settings.limits.connections = p->settings.limits.lookups = 0;
	while (p->conns)
		lb_proxy_conn_close(p->conns);
	lb_timer_cancel(p->loop, &p->again);
	if (p->listens)
		lb_loop_watch(p->loop, p->listener, 0, NULL, NULL);
	close(p->listener);
	free(p);
}
