/*
 * test-proxy - the proxy of a sandbox, against clients and hosts that are not
 * nice: what is looked up, what is dialled, and what has an end. TAP.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/proxy.h"
#include "tap.h"

enum { MOST_MS = 5000, MANY = 200 };

static struct lb_loop *loop;
static int *lookups; /* of all processes together */
static char refused[4096];

static const char *const loopback[] = {"127.0.0.1", NULL};

/* The first time one address, then another: whoever asks twice is deceived. */
static size_t look(const char *name, int port,
		   union lb_address to[LB_ADDRESSES])
{
	int n = __atomic_add_fetch(lookups, 1, __ATOMIC_SEQ_CST);
	const char *text = n == 1 ? "127.0.0.1" : "127.0.0.2";

	if (strcmp(name, "never.test") == 0)
		sleep(60);
	if (strcmp(name, "none.test") == 0)
		return 0;
	if (strcmp(name, "inner.test") == 0)
		text = "10.0.0.1";
	to[0].v4.sin_family = AF_INET;
	to[0].v4.sin_port = htons((uint16_t)port);
	inet_pton(AF_INET, text, &to[0].v4.sin_addr);
	if (strcmp(name, "two.test") != 0)
		return 1;
	/* the first is inner, the second is to be dialled */
	to[1] = to[0];
	inet_pton(AF_INET, "10.0.0.1", &to[0].v4.sin_addr);
	inet_pton(AF_INET, "127.0.0.1", &to[1].v4.sin_addr);
	return 2;
}

static void on_refused(void *arg, const char *host, const char *why)
{
	(void)arg;
	strncat(refused, host, sizeof(refused) - strlen(refused) - 1);
	strncat(refused, " ", sizeof(refused) - strlen(refused) - 1);
	strncat(refused, why, sizeof(refused) - strlen(refused) - 1);
	strncat(refused, "\n", sizeof(refused) - strlen(refused) - 1);
}

/* A socket that listens on a port of 127.0.0.1. */
static int listener(int *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 512) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		abort();
	*port = ntohs(at.sin_port);
	return fd;
}

static int dial(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		abort();
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static struct lb_proxy *proxy;
static int proxy_port;

static void begin(const struct lb_proxy_limits *limits,
		  const char *const *allow, const char *const *inner)
{
	struct lb_proxy_settings s = {
		.policy = {.allow = allow, .inner = inner},
		.lookup = look,
		.refused = on_refused,
	};

	if (limits)
		s.limits = *limits;
	*lookups = 0;
	refused[0] = '\0';
	proxy = lb_proxy_open(loop, listener(&proxy_port), &s);
}

static void end(void)
{
	lb_proxy_close(proxy);
	tap_ok(!lb_loop_turn(loop, 0), "nothing is left of it");
}

static void say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		abort();
}

/* What comes until `until`, the end, or too late; "" for nothing. */
static const char *hear(int fd, const char *until)
{
	static char text[8192];
	size_t len = 0;
	int64_t late = lb_clock_mono() + MOST_MS;

	text[0] = '\0';
	while (lb_clock_mono() < late && len < sizeof(text) - 1) {
		ssize_t n = recv(fd, text + len, sizeof(text) - 1 - len, 0);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			return text;
		len += n > 0 ? (size_t)n : 0;
		text[len] = '\0';
		if (until && strstr(text, until))
			return text;
		lb_loop_turn(loop, 10);
	}
	return "too late";
}

/* Ask for it, and read the whole answer. */
static const char *ask(const char *request)
{
	int fd = dial(proxy_port);
	const char *answer;

	say(fd, request);
	answer = hear(fd, NULL);
	close(fd);
	return answer;
}

/* A connection that the host got, within a while. */
static int taken(int host)
{
	int64_t late = lb_clock_mono() + MOST_MS;
	int fd;

	fcntl(host, F_SETFL, O_NONBLOCK);
	while ((fd = accept4(host, NULL, NULL, SOCK_NONBLOCK)) < 0 &&
	       lb_clock_mono() < late)
		lb_loop_turn(loop, 10);
	return fd;
}

static bool begins(const char *text, const char *with)
{
	bool good = strncmp(text, with, strlen(with)) == 0;

	if (!good)
		printf("# got '%.200s'\n", text);
	return good;
}

static void check_refusals(void)
{
	static const char *const urls[] = {
		"127.0.0.1",
		"127.255.0.1",
		"0.0.0.0",
		"10.0.0.1",
		"172.16.0.1",
		"192.168.1.1",
		"169.254.169.254",
		"100.100.100.200",
		"224.0.0.1",
		"[::1]",
		"[::]",
		"[::ffff:127.0.0.1]",
		"[::ffff:8.8.8.8]",
		"[64:ff9b::7f00:1]",
		"[2002:7f00:1::]",
		"[fe80::1]",
		"[fd00::1]",
		"[ff02::1]",
		"[::127.0.0.1]",
		"inner.test",
	};
	static const char *const odd[] = {
		"2130706433", "0x7f000001",       "0177.0.0.1",   "127.1",
		"0x7f.1",     "[fe80::1%25eth0]", "017700000001",
	};
	lb_autofree char *mail =
		lb_strdup("CONNECT 8.8.8.8:25 HTTP/1.1\r\n\r\n");

	begin(NULL, NULL, NULL);
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		lb_autofree char *url =
			lb_printf("GET http://%s/ HTTP/1.1\r\n\r\n", urls[i]);
		lb_autofree char *tunnel =
			lb_printf("CONNECT %s:443 HTTP/1.1\r\n\r\n", urls[i]);

		tap_ok(begins(ask(url), "HTTP/1.1 403 "), urls[i]);
		tap_ok(begins(ask(tunnel), "HTTP/1.1 403 "), "as a tunnel");
	}
	tap_ok(strstr(refused, "169.254.169.254:80 it is not on the public "
			       "internet\n") != NULL,
	       "and whoever runs it is told");
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		lb_autofree char *url =
			lb_printf("GET http://%s/ HTTP/1.1\r\n\r\n", odd[i]);

		tap_ok(begins(ask(url), "HTTP/1.1 400 "), odd[i]);
	}
	tap_ok(begins(ask(mail), "HTTP/1.1 403 "), "mail servers");
	tap_ok(begins(ask("GET http://none.test/ HTTP/1.1\r\n\r\n"),
		      "HTTP/1.1 502 "),
	       "a name that is none");
	end();
}

static void check_once(void)
{
	int port, host = listener(&port), got, client;
	lb_autofree char *inner = lb_printf("127.0.0.1:%d", port);
	lb_autofree char *text =
		lb_printf("GET http://a.test:%d/x HTTP/1.1\r\nA: b\r\n\r\nbody",
			  port);
	lb_autofree char *want =
		lb_printf("GET /x HTTP/1.1\r\nHost: a.test:%d\r\nA: b\r\n"
			  "Connection: close\r\n\r\nbody",
			  port);
	const char *const private[] = {inner, NULL};

	begin(NULL, NULL, private);
	tap_ok(begins(ask("GET http://127.0.0.1/ HTTP/1.1\r\n\r\n"),
		      "HTTP/1.1 403 "),
	       "a private address is allowed with its port alone");
	client = dial(proxy_port);
	say(client, text);
	got = taken(host);
	tap_ok(got >= 0, "a name is dialled by the address that was checked");
	tap_same(want, hear(got, "body"), "the host gets the request");
	tap_ok(*lookups == 1, "it was looked up once");
	say(got, "HTTP/1.1 204 No Content\r\n\r\n");
	close(got);
	tap_same("HTTP/1.1 204 No Content\r\n\r\n", hear(client, NULL),
		 "the client gets the answer, and its end");
	close(client);
	/* now the name is another address, which nobody allowed */
	tap_ok(begins(ask(text), "HTTP/1.1 403 "),
	       "the next request is checked anew");
	end();
	close(host);
}

static void check_tunnel(void)
{
	int port, host = listener(&port), got, client;
	lb_autofree char *text =
		lb_printf("CONNECT two.test:%d HTTP/1.1\r\n\r\nearly", port);
	lb_autofree char *rule = lb_printf("two.test:%d", port);
	lb_autofree char *other =
		lb_printf("CONNECT a.test:%d HTTP/1.1\r\n\r\n", port);
	const char *const allow[] = {"x.test", rule, NULL};

	begin(NULL, allow, loopback);
	tap_ok(begins(ask(other), "HTTP/1.1 403 ") && *lookups == 0,
	       "a host that is not listed is not even looked up");
	tap_ok(begins(ask("CONNECT two.test:443 HTTP/1.1\r\n\r\n"),
		      "HTTP/1.1 403 "),
	       "nor is another port");
	client = dial(proxy_port);
	say(client, text);
	got = taken(host);
	tap_ok(got >= 0, "of two addresses the one that may be is dialled");
	tap_ok(begins(hear(client, "\r\n\r\n"), "HTTP/1.1 200 "),
	       "a tunnel is open");
	tap_same("early", hear(got, "early"), "what came early gets there");
	shutdown(client, SHUT_WR);
	tap_same("", hear(got, NULL), "half an end is one");
	say(got, "late");
	close(got);
	tap_same("late", hear(client, NULL), "the other half may speak");
	close(client);
	end();
	close(host);
}

/* More than every buffer on the way: nothing is lost, nothing doubled. */
static void check_bulk(void)
{
	enum { BULK = 8 * 1024 * 1024 };
	int port, host = listener(&port), got, client;
	lb_autofree char *text =
		lb_printf("CONNECT two.test:%d HTTP/1.1\r\n\r\n", port);
	unsigned sum = 0, want = 0;
	size_t sent = 0, heard = 0;
	int64_t late = lb_clock_mono() + 20 * 1000;
	unsigned char chunk[60000];

	begin(NULL, NULL, loopback);
	client = dial(proxy_port);
	say(client, text);
	got = taken(host);
	hear(client, "\r\n\r\n");
	while (heard < BULK && lb_clock_mono() < late) {
		size_t n = BULK - sent < sizeof(chunk) ? BULK - sent
						       : sizeof(chunk);
		ssize_t r;

		for (size_t i = 0; i < n; i++)
			chunk[i] = (unsigned char)((sent + i) * 31 >> 8);
		r = n > 0 ? send(got, chunk, n, MSG_NOSIGNAL) : 0;
		for (ssize_t i = 0; i < r; i++)
			want = want * 33 + chunk[i];
		sent += r > 0 ? (size_t)r : 0;
		lb_loop_turn(loop, 0);
		r = recv(client, chunk, sizeof(chunk), 0);
		for (ssize_t i = 0; i < r; i++)
			sum = sum * 33 + chunk[i];
		heard += r > 0 ? (size_t)r : 0;
	}
	tap_ok(heard == BULK && sum == want, "8 MiB come as they were sent");
	close(client);
	close(got);
	end();
	close(host);
}

static void check_times(void)
{
	const struct lb_proxy_limits limits = {.head_ms = 200,
					       .lookup_ms = 200,
					       .connect_ms = 200,
					       .idle_ms = 200};
	int port, host = listener(&port), got, client;
	lb_autofree char *text =
		lb_printf("CONNECT two.test:%d HTTP/1.1\r\n\r\n", port);

	begin(&limits, NULL, loopback);
	client = dial(proxy_port);
	say(client, "GET http://a.te");
	tap_ok(begins(hear(client, NULL), "HTTP/1.1 408 "),
	       "a request that does not come has an end");
	close(client);
	tap_ok(begins(ask("GET http://never.test/ HTTP/1.1\r\n\r\n"),
		      "HTTP/1.1 502 "),
	       "so has a name that nobody answers for");
	client = dial(proxy_port);
	say(client, text);
	got = taken(host);
	hear(client, "\r\n\r\n");
	tap_same("", hear(client, NULL), "and a host that says nothing");
	close(client);
	close(got);
	end();
	close(host);
}

static void check_many(void)
{
	const struct lb_proxy_limits limits = {.connections = 8, .lookups = 2};
	int port, host = listener(&port), fds[MANY], served = 0;
	lb_autofree char *text =
		lb_printf("GET http://two.test:%d/ HTTP/1.1\r\n\r\n", port);

	close(host); /* nobody listens: each is answered, and soon */
	begin(&limits, NULL, loopback);
	for (int i = 0; i < MANY; i++) {
		fds[i] = dial(proxy_port);
		say(fds[i], text);
	}
	for (int i = 0; i < MANY; i++) {
		served += begins(hear(fds[i], NULL), "HTTP/1.1 502 ");
		close(fds[i]);
	}
	tap_ok(served == MANY, "many at once: some wait, each is served");
	tap_ok(*lookups == MANY, "each was looked up");
	end();
}

/* A host that has answered is done, whether the client goes or not. */
static void check_left(void)
{
	const struct lb_proxy_limits limits = {.connections = 1};
	int port, host = listener(&port), got, one, two;
	lb_autofree char *text =
		lb_printf("GET http://two.test:%d/ HTTP/1.1\r\n\r\n", port);

	begin(&limits, NULL, loopback);
	one = dial(proxy_port);
	say(one, text);
	got = taken(host);
	hear(got, "\r\n\r\n");
	say(got, "HTTP/1.1 204 No Content\r\n\r\n");
	close(got);
	tap_ok(begins(hear(one, NULL), "HTTP/1.1 204 "), "it answers");
	two = dial(proxy_port);
	say(two, "GET http://10.0.0.1/ HTTP/1.1\r\n\r\n");
	tap_ok(begins(hear(two, NULL), "HTTP/1.1 403 "),
	       "and makes room for the next one");
	close(one);
	close(two);
	end();
	close(host);
}

/* Those that say nothing have the places; the next one waits for one. */
static void check_room(void)
{
	const struct lb_proxy_limits limits = {.connections = 2};
	int one, two, three;
	int64_t until = lb_clock_mono() + 200;
	char none[64];

	begin(&limits, NULL, NULL);
	one = dial(proxy_port);
	two = dial(proxy_port);
	for (int i = 0; i < 4; i++)
		lb_loop_turn(loop, 10);
	three = dial(proxy_port);
	say(three, "GET http://10.0.0.1/ HTTP/1.1\r\n\r\n");
	while (lb_clock_mono() < until)
		lb_loop_turn(loop, 10);
	tap_ok(recv(three, none, sizeof(none), 0) < 0,
	       "no more are served than may be");
	close(one);
	tap_ok(begins(hear(three, NULL), "HTTP/1.1 403 "),
	       "one that leaves makes room");
	close(two);
	close(three);
	end();
}

/* More than buffers hold, and nobody wants it: a client that says it to its end
 * still gets to read why not. */
static bool says_all(int fd, const char *text)
{
	int64_t late = lb_clock_mono() + MOST_MS;
	size_t left = strlen(text);

	while (left > 0 && lb_clock_mono() < late) {
		ssize_t n = send(fd, text, left, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			return false;
		text += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
		lb_loop_turn(loop, 0);
	}
	return left == 0;
}

static void check_heads(void)
{
	const int little = 16 * 1024;
	int client;
	lb_autofree char *long_one = lb_alloc(900000);

	memset(long_one, 'x', 899999);
	memcpy(long_one, "GET http://a.test/ HTTP/1.1\r\nA: ", 32);
	begin(NULL, NULL, NULL);
	client = dial(proxy_port);
	setsockopt(client, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little));
	tap_ok(says_all(client, long_one), "a head without an end is read on");
	tap_ok(begins(hear(client, "lb:"), "HTTP/1.1 431 "),
	       "and it is told why that is none");
	close(client);
	tap_ok(begins(ask("\x05\x01 what\r\n\r\n"), "HTTP/1.1 400 "),
	       "no HTTP at all");
	tap_ok(*lookups == 0, "nothing is looked up for these");
	end();
}

/* Closed while everything is under way. */
static void check_close(void)
{
	int port, host = listener(&port), fds[8];
	lb_autofree char *text =
		lb_printf("CONNECT two.test:%d HTTP/1.1\r\n\r\n", port);
	const struct lb_proxy_limits limits = {.lookups = 1};

	begin(&limits, NULL, loopback);
	fds[0] = dial(proxy_port);
	say(fds[0], text);
	hear(fds[0], "\r\n\r\n");
	fds[1] = dial(proxy_port);
	for (int i = 2; i < 8; i++) {
		fds[i] = dial(proxy_port);
		say(fds[i], "GET http://never.test/ HTTP/1.1\r\n\r\n");
	}
	for (int i = 0; i < 20; i++)
		lb_loop_turn(loop, 10);
	end();
	tap_ok(*lookups == 2, "one at a time is looked up");
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	close(host);
}

int main(void)
{
	lookups = mmap(NULL, sizeof(*lookups), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	loop = lb_loop_open();
	check_refusals();
	check_once();
	check_tunnel();
	check_bulk();
	check_times();
	check_many();
	check_left();
	check_room();
	check_heads();
	check_close();
	lb_loop_close(loop);
	return tap_end();
}
