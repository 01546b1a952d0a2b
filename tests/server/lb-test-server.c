/*
 * lb-test-server - an HTTP server that says exactly what a script says.
 *
 *     lb-test-server [--log FILE] [--ipv6] [--until-eof] SCRIPT
 *
 * Listens on 127.0.0.1 (with --ipv6 on ::1 too, same port), prints the port
 * on a line of its own when ready, and ends on SIGTERM, with its parent, or
 * (--until-eof) at the end of its input. SCRIPT may be - for stdin.
 *
 * A script is a list of exchanges. Blank lines and lines that start with #
 * are skipped, blanks at the start of a line too. TEXT runs to the end of the
 * line and knows \n \r \t \0 \\ and \xHH.
 *
 *     on METHOD PATH        begins one. * is any method; a path (with its
 *                           query) may end with *
 * When it fits (all must hold; the first of the script that fits answers):
 *     if-header NAME[: TEXT]      the header is there (and holds TEXT)
 *     if-no-header NAME[: TEXT]   it is not (or does not hold TEXT)
 *     if-body TEXT                the body holds TEXT
 *     if-json PATH VALUE          the value at a dotted path: JSON, or text
 *     uses N|any                  how often it may answer (1)
 * How it is framed:
 *     reply STATUS          a status line; else only raw bytes are sent
 *     header NAME: VALUE    any number of them
 *     chunked               each step a chunk; else Content-Length with the
 *     until-close           sum of all steps, or the end of the connection
 *     encode gzip|x-gzip|deflate|raw-deflate   flushed at each step
 *     by N [MS]             N bytes a write, MS (1) between them
 * What is sent, in order:
 *     send TEXT             a piece of the body
 *     event TEXT            the same as: send data: TEXT\n\n
 *     file PATH             a file, relative to the script
 *     repeat N MS TEXT      TEXT, then MS of silence, N times; {n} counts
 *     pause MS
 *     raw TEXT              bytes without any framing
 *     close | reset | hang  stop here: FIN, RST, or silence for good. What
 *                           follows is not sent but counts in Content-Length
 * Instead of all that:
 *     SERVICE strict [KEY]  an endpoint that refuses what the real one refuses,
 *                           and answers, streamed or not. SERVICE is openai
 *                           (chat completions), responses, anthropic, gemini
 *                           or ollama; embeddings (OpenAI's), ollama-embed,
 *                           gemini-embed, cohere-embed; cohere-rerank,
 *                           voyage-rerank
 *     call NAME [JSON]      first with this call of a tool, and with those of
 *                           further such lines; then, when they are answered:
 *     answer TEXT           this; {last} is the last message of the user
 *     pace MS               between two deltas, which are words
 *
 * A request that fits nothing gets 404. The log has one JSON object a request:
 * n, connection, time (ms), method, path, headers (lower-case names), body and
 * exchange (from 1) or "unexpected":true; and {"event":"gone","connection",
 * "sent"} where a client left before its answer was out.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve.h"

static void die(const char *what)
{
	fprintf(stderr, "lb-test-server: %s: %s\n", what, strerror(errno));
	exit(71);
}

static int listen_on(const struct sockaddr *address, socklen_t len)
{
	int fd = socket(address->sa_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0)
		die("cannot make a socket");
	if (address->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, address, len) < 0 || listen(fd, 4096) < 0)
		die("cannot listen");
	return fd;
}

/* Returns the port. */
static int listen_all(struct server *server, bool ipv6)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	socklen_t len = sizeof(v4);
	int fd = listen_on((const struct sockaddr *)&v4, sizeof(v4));

	if (getsockname(fd, (struct sockaddr *)&v4, &len) < 0)
		die("cannot tell the port");
	serve_listener(server, fd);
	v6.sin6_port = v4.sin_port;
	if (ipv6)
		serve_listener(server, listen_on((const struct sockaddr *)&v6,
						 sizeof(v6)));
	return ntohs(v4.sin_port);
}

static void on_input(int fd, uint32_t events, void *arg)
{
	char waste[256];

	(void)events;
	(void)arg;
	if (read(fd, waste, sizeof(waste)) <= 0)
		exit(0);
}

/* A connection is a descriptor; a thousand of them are a test. */
static void raise_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] =
		{{"log", required_argument, NULL, 'l'},
		 {"ipv6", no_argument, NULL, '6'},
		 {"until-eof", no_argument, NULL, 'e'},
		 {NULL, 0, NULL, 0}};
	struct server server = {.log = -1};
	bool ipv6 = false, until_eof = false;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == 'l')
			server.log =
				open(optarg,
				     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				     0600);
		else if (c == '6')
			ipv6 = true;
		else if (c == 'e')
			until_eof = true;
		else
			return 64;
		if (c == 'l' && server.log < 0)
			die(optarg);
	}
	if (optind + 1 != argc)
		return fputs("usage: lb-test-server [--log FILE] SCRIPT\n",
			     stderr),
		       64;
	raise_limit();
	server.script = script_read(argv[optind]);
	server.loop = lb_loop_open();
	server.started = lb_clock_mono();
	printf("%d\n", listen_all(&server, ipv6));
	fflush(stdout);
	if (until_eof)
		lb_loop_watch(server.loop, 0, EPOLLIN, on_input, NULL);
	while (lb_loop_turn(server.loop, -1))
		;
	return 0;
}
