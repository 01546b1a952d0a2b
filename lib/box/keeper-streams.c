/* keeper-streams.c - lines between a process and whoever is attached. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/keeping.h"

enum {
	READ_SIZE = 64 * 1024,
	MOST_WAITS = 1024 * 1024, /* bytes to a side; then the other waits */
};

void lb_keeping_shut(struct lb_keeping *k, int *fd)
{
	if (*fd < 0)
		return;
	lb_loop_watch(k->loop, *fd, 0, NULL, NULL);
	close(*fd);
	*fd = -1;
}

static void add(struct lb_keeping *k, struct lb_way *w, const char *text,
		size_t len, const char *who)
{
	if (lb_way_add(w, text, len, LB_KEEPER_LINE) > 0)
		lb_keeper_log(&k->log,
			      "a line of %s of more than %d bytes was left out",
			      who, LB_KEEPER_LINE);
}

static void detach(struct lb_keeping *k)
{
	lb_keeping_shut(k, &k->client);
	k->client_ended = false;
	lb_way_forget_part(&k->to);
	lb_buf_release(&k->from.out);
	lb_keeping_tell(k);
}

/* What it said is taken even when it is gone by now. */
static void read_client(struct lb_keeping *k, bool is_gone)
{
	char text[READ_SIZE];
	ssize_t n;

	do {
		n = read(k->client, text, sizeof(text));
		if (n > 0)
			add(k, &k->to, text, (size_t)n, "a client");
	} while (n > 0 && is_gone);
	if (n == 0)
		k->client_ended = true;
	if (is_gone || (n < 0 && errno != EAGAIN && errno != EINTR))
		detach(k);
}

static void on_client(int fd, uint32_t events, void *arg)
{
	struct lb_keeping *k = arg;
	bool is_gone = events & (EPOLLERR | EPOLLHUP);

	if (events & EPOLLOUT && !is_gone && !lb_way_write(&k->from, fd))
		is_gone = true;
	if (is_gone || events & EPOLLIN)
		read_client(k, is_gone);
	lb_keeping_watch(k);
}

static void on_in(int fd, uint32_t events, void *arg)
{
	struct lb_keeping *k = arg;

	(void)events;
	if (!lb_way_write(&k->to, fd)) {
		lb_keeping_shut(k, &k->in);
		lb_buf_release(&k->to.out);
	}
	lb_keeping_watch(k);
}

static void on_out(int fd, uint32_t events, void *arg)
{
	struct lb_keeping *k = arg;
	char text[READ_SIZE];
	ssize_t n = read(fd, text, sizeof(text));

	(void)events;
	if (n > 0)
		add(k, &k->from, text, (size_t)n, "the process");
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		lb_keeping_shut(k, &k->out);
	if (k->client < 0) {
		for (size_t i = 0; i < k->from.out.len; i++)
			k->unheard += k->from.out.data[i] == '\n';
		lb_buf_reset(&k->from.out);
	}
	lb_keeping_watch(k);
}

static void on_err(int fd, uint32_t events, void *arg)
{
	struct lb_keeping *k = arg;
	char text[READ_SIZE];
	ssize_t n = read(fd, text, sizeof(text));

	(void)events;
	if (n > 0)
		lb_keeper_log_put(&k->log, text, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		lb_keeping_shut(k, &k->err);
}

/* Each side is read as long as the other one takes what was read. */
void lb_keeping_watch(struct lb_keeping *k)
{
	bool full = k->from.out.len > MOST_WAITS;
	bool has = k->to.out.len > 0;

	if (k->in >= 0)
		lb_loop_watch(k->loop, k->in, has ? EPOLLOUT : 0, on_in, k);
	else
		lb_buf_reset(&k->to.out);
	if (k->out >= 0)
		lb_loop_watch(k->loop, k->out, full ? 0 : EPOLLIN, on_out, k);
	if (k->err >= 0)
		lb_loop_watch(k->loop, k->err, EPOLLIN, on_err, k);
	if (k->client >= 0) {
		uint32_t events = k->from.out.len > 0 ? EPOLLOUT : 0;

		if (!k->client_ended && k->to.out.len < MOST_WAITS)
			events |= EPOLLIN;
		/* Its end is heard of in any case. */
		lb_loop_watch(k->loop, k->client, events | EPOLLHUP, on_client,
			      k);
	}
}

static bool is_ours(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}

static void greet(struct lb_keeping *k, int fd)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "{\"kind\":\"attached\",\"name\":\"%s\",\"pid\":%ld}"
			 "\n",
			 k->how->name, (long)getpid());

	if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n) {
		close(fd);
		return;
	}
	k->client = fd;
	k->client_ended = false;
	if (k->unheard)
		lb_keeper_log(&k->log,
			      "%llu lines were left out: nobody was attached",
			      (unsigned long long)k->unheard);
	k->unheard = 0;
	lb_keeping_tell(k);
}

void lb_keeping_accept(int fd, uint32_t events, void *arg)
{
	static const char busy[] =
		"{\"kind\":\"error\",\"code\":\"busy\",\"message\":"
		"\"somebody else is attached\"}\n";
	struct lb_keeping *k = arg;
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (client < 0)
		return;
	if (!is_ours(client)) {
		close(client);
	} else if (k->client >= 0) {
		if (send(client, busy, sizeof(busy) - 1, MSG_NOSIGNAL) < 0)
			errno = 0;
		close(client);
	} else {
		greet(k, client);
		lb_keeping_watch(k);
	}
}

void lb_keeping_drain(struct lb_keeping *k)
{
	char text[READ_SIZE];
	ssize_t n;

	while (k->err >= 0 && (n = read(k->err, text, sizeof(text))) > 0)
		lb_keeper_log_put(&k->log, text, (size_t)n);
	while (k->out >= 0 && k->client >= 0 &&
	       (n = read(k->out, text, sizeof(text))) > 0)
		add(k, &k->from, text, (size_t)n, "the process");
	if (k->client >= 0)
		lb_way_write(&k->from, k->client);
}
