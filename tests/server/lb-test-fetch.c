/*
 * lb-test-fetch - a URL through net/fetch.h, for tests/fetch.bats.
 *
 *     lb-test-fetch [-a NETWORK]... [-l BYTES] [-t MS] [-p PROXY] [-s] [-x] [-w]
 *         [-h HOST]... [-S] [-P HOST]... URL
 *
 * -h, -S and -P are `hosts`, `https` and `plain`.
 * -a allows a network that is not public, -s stops at the first data, -x
 * cancels then, -w gets the URL through net/http.h before, which asks nobody.
 * Prints what came and one JSON line of how it ended.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "net/fetch.h"

static struct lb_fetch *fetch;
static bool stop, cancel, over;

static void print(json_t *take)
{
	json_dumpf(take, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(take);
}

static int on_data(void *arg, const char *data, size_t len)
{
	(void)arg;
	print(lb_json_pack("{s:o}", "data", lb_json_text(data, len)));
	if (cancel) {
		lb_fetch_cancel(fetch);
		over = true;
	}
	return stop ? -1 : 0;
}

static void on_end(void *arg, const struct lb_fetch_end *end)
{
	(void)arg;
	print(lb_json_pack("{s:i,s:i,s:s,s:I,s:s}", "code", (int)end->code,
			   "status", end->status, "type", end->type, "bytes",
			   (json_int_t)end->bytes, "why", end->why));
	over = true;
}

static int on_warm_data(void *arg, const char *data, size_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	return 0;
}

static void on_warm_end(void *arg, const struct lb_http_end *end)
{
	(void)end;
	*(bool *)arg = true;
}

/* A connection to that place is kept. */
static void warm(struct lb_loop *loop, struct lb_http *http, const char *url)
{
	static const struct lb_http_events keep = {NULL, on_warm_data,
						   on_warm_end};
	const struct lb_http_request request = {.url = url};
	struct lb_error err;
	bool done = false;

	if (lb_http_start(http, &request, &keep, &done, &err))
		while (!done)
			lb_loop_turn(loop, -1);
}

static const struct lb_fetch_events events = {on_data, on_end};

int main(int argc, char **argv)
{
	const char *allow[8] = {NULL}, *hosts[8] = {NULL}, *plain[8] = {NULL};
	struct lb_fetch_request request = {.allow = allow};
	struct lb_loop *loop;
	struct lb_http *http;
	struct lb_error err;
	bool before = false;
	size_t n = 0, n_hosts = 0, n_plain = 0;

	for (int c; (c = getopt(argc, argv, "a:l:t:p:sxwh:SP:")) != -1;) {
		if (c == 'a' && n < 7)
			allow[n++] = optarg;
		else if (c == 'l')
			request.max = (size_t)strtoul(optarg, NULL, 10);
		else if (c == 't')
			request.total_ms = strtol(optarg, NULL, 10);
		else if (c == 'p')
			request.proxy = optarg;
		else if (c == 's')
			stop = true;
		else if (c == 'x')
			cancel = true;
		else if (c == 'w')
			before = true;
		else if (c == 'h' && n_hosts < 7)
			hosts[n_hosts++] = optarg;
		else if (c == 'P' && n_plain < 7)
			plain[n_plain++] = optarg;
		else if (c == 'S')
			request.https = true;
	}
	request.hosts = n_hosts ? hosts : NULL;
	request.plain = plain;
	signal(SIGPIPE, SIG_IGN);
	loop = lb_loop_open();
	http = lb_http_open(loop);
	request.url = argv[optind] ? argv[optind] : "";
	if (before)
		warm(loop, http, request.url);
	fetch = lb_fetch_start(http, &request, &events, NULL, &err);
	if (!fetch)
		print(lb_json_pack("{s:i,s:s}", "code", (int)err.code, "why",
				   err.text));
	while (fetch && !over)
		lb_loop_turn(loop, -1);
	lb_http_close(http);
	lb_loop_close(loop);
	return 0;
}
