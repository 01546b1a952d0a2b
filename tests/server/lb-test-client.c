/*
 * lb-test-client - requests through net/http.h, for tests/net.bats.
 *
 *     lb-test-client [OPTION...] URL...
 *
 * -n N starts N requests (taking the URLs in turn), -j of them at once; -p MS
 * waits between two when -j is 1. The others are members of struct
 * lb_http_request: -m METHOD, -d BODY, -H HEADER, -c -f -i -t the time-outs in
 * ms, -l the limit of the body. -x start|turn|head|data|close cancels each at
 * that time, -x leader the first alone while it looks a name up, -s stops at
 * the first data. -D prints each piece of data, -g NAME a header of each
 * answer.
 *
 * Each end is one JSON line: cause, status, bytes, retry_after, why and the
 * time from start to end in ms. The last line has the totals: "lookups",
 * "pieces" (calls of on_data), "body" (bytes), "turns", "cpu_ms" and "rss_kb".
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "net/http.h"

enum { MAX_HEADERS = 16 };

struct run {
	struct lb_loop *loop;
	struct lb_http *http;
	struct lb_http_request request;
	const char *headers[MAX_HEADERS + 1];
	const char *cancel, *header;
	char **urls;
	size_t n_urls, n, at_once, started, open, data, bytes;
	bool stop, show;
	int64_t pause_ms;
	struct lb_timer timer;
	struct one *ones;
};

struct one {
	struct run *run;
	struct lb_http_call *call;
	int64_t began;
};

static void start_more(struct run *run);

static bool cancels(const struct run *run, const char *when)
{
	return run->cancel && strcmp(run->cancel, when) == 0;
}

static void print(json_t *take)
{
	json_dumpf(take, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(take);
}

static void cancel(struct one *one)
{
	struct run *run = one->run;

	lb_http_cancel(one->call);
	print(lb_json_pack("{s:s}", "cause", "cancelled"));
	run->open--;
}

static void on_head(void *arg, struct lb_http_call *call, int status)
{
	struct one *one = arg;
	struct run *run = one->run;

	if (run->header)
		print(lb_json_pack("{s:i,s:s?}", "head", status, "value",
				   lb_http_header(call, run->header)));
	if (cancels(run, "head"))
		cancel(one);
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct one *one = arg;
	struct run *run = one->run;

	run->data++;
	run->bytes += len;
	if (run->show)
		print(lb_json_pack("{s:o}", "data", lb_json_text(data, len)));
	if (cancels(run, "data"))
		cancel(one);
	return run->stop ? -1 : 0;
}

static void on_timer(void *arg)
{
	start_more(arg);
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	static const char *const causes[] = {"done",  "connect",  "first-byte",
					     "idle",  "endless",  "network",
					     "limit", "encoding", "stopped"};
	struct one *one = arg;
	struct run *run = one->run;

	print(lb_json_pack("{s:s,s:i,s:I,s:I,s:s,s:I}", "cause",
			   causes[end->cause], "status", end->status, "bytes",
			   (json_int_t)end->bytes, "retry_after",
			   (json_int_t)end->retry_after_ms, "why", end->why,
			   "ms", (json_int_t)(lb_clock_mono() - one->began)));
	run->open--;
	if (run->pause_ms && run->started < run->n)
		lb_timer_set(run->loop, &run->timer,
			     lb_clock_mono() + run->pause_ms, on_timer, run);
	else
		start_more(run);
}

static const struct lb_http_events events = {on_head, on_data, on_end};

static void start_more(struct run *run)
{
	while (run->open < run->at_once && run->started < run->n) {
		struct one *one = &run->ones[run->started];
		struct lb_error err;

		one->run = run;
		one->began = lb_clock_mono();
		run->request.url = run->urls[run->started++ % run->n_urls];
		run->open++;
		one->call = lb_http_start(run->http, &run->request, &events,
					  one, &err);
		if (!one->call) {
			print(lb_json_pack("{s:i,s:s}", "code", err.code,
					   "text", err.text));
			run->open--;
		} else if (cancels(run, "start")) {
			cancel(one);
		} else if (cancels(run, "turn")) {
			lb_loop_turn(run->loop, 0);
			lb_loop_turn(run->loop, 0);
			cancel(one);
		}
	}
}

static void read_option(struct run *run, int c, const char *arg)
{
	struct lb_http_request *r = &run->request;
	size_t i = 0;

	if (c == 'n')
		run->n = strtoul(arg, NULL, 10);
	else if (c == 'j')
		run->at_once = strtoul(arg, NULL, 10);
	else if (c == 'p')
		run->pause_ms = strtol(arg, NULL, 10);
	else if (c == 'm')
		r->method = arg;
	else if (c == 'd')
		r->body = arg;
	else if (c == 'c')
		r->connect_ms = strtol(arg, NULL, 10);
	else if (c == 'f')
		r->first_byte_ms = strtol(arg, NULL, 10);
	else if (c == 'i')
		r->idle_ms = strtol(arg, NULL, 10);
	else if (c == 't')
		r->total_ms = strtol(arg, NULL, 10);
	else if (c == 'l')
		r->max_body = strtoul(arg, NULL, 10);
	else if (c == 'x')
		run->cancel = arg;
	else if (c == 'g')
		run->header = arg;
	else if (c == 's')
		run->stop = true;
	else if (c == 'D')
		run->show = true;
	else if (c == 'H') {
		while (i < MAX_HEADERS - 1 && run->headers[i])
			i++;
		run->headers[i] = arg;
	} else {
		exit(64);
	}
}

static void print_totals(const struct run *run, size_t turns)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	print(lb_json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "lookups",
			   (json_int_t)lb_http_lookups(run->http), "pieces",
			   (json_int_t)run->data, "body",
			   (json_int_t)run->bytes, "turns", (json_int_t)turns,
			   "cpu_ms",
			   (json_int_t)((u.ru_utime.tv_sec +
					 u.ru_stime.tv_sec) *
						1000 +
					(u.ru_utime.tv_usec +
					 u.ru_stime.tv_usec) /
						1000),
			   "rss_kb", (json_int_t)u.ru_maxrss));
}

/* A connection is a descriptor, and the shell gives 1,024. */
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
	struct run run = {.n = 0, .at_once = 1};
	size_t turns = 0;

	for (int c;
	     (c = getopt(argc, argv, "n:j:p:m:d:c:f:i:t:l:x:g:sDH:")) != -1;)
		read_option(&run, c, optarg);
	signal(SIGPIPE, SIG_IGN);
	raise_limit();
	run.urls = argv + optind;
	run.n_urls = (size_t)(argc - optind);
	if (run.n == 0)
		run.n = run.n_urls;
	if (run.request.body)
		run.request.body_len = strlen(run.request.body);
	run.request.headers = run.headers;
	run.ones = lb_alloc(run.n * sizeof(*run.ones) + 1);
	run.loop = lb_loop_open();
	run.http = lb_http_open(run.loop);
	start_more(&run);
	if (cancels(&run, "leader")) { /* one turn: it was sent, no more */
		lb_loop_turn(run.loop, 0);
		cancel(&run.ones[0]);
	}
	while (run.open > 0 || run.started < run.n) {
		turns++;
		lb_loop_turn(run.loop, cancels(&run, "close") ? 50 : -1);
		if (!run.pause_ms)
			start_more(&run);
		if (cancels(&run, "close") && turns > 20)
			break;
	}
	print_totals(&run, turns);
	lb_http_close(run.http);
	lb_loop_close(run.loop);
	free(run.ones);
	return 0;
}
