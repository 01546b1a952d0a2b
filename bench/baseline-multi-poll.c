/*
 * baseline-multi-poll - what a plain client costs: N streamed chats at once
 * with curl_multi_poll(), as libcurl's own examples do it. Each delta is found
 * and its JSON is parsed, since any chat client must.
 *
 *     baseline-multi-poll URL [N]
 *
 * Prints one JSON object: requests, failed, bytes, deltas, cpu_ms, wall_ms,
 * rss_kb.
 */
#include <curl/curl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/mem.h"
#include "net/sse.h"

struct stream {
	struct lb_sse sse;
	size_t bytes, deltas;
};

static int on_event(void *arg, const struct lb_sse_event *event,
		    struct lb_error *err)
{
	struct stream *stream = arg;
	json_t *chunk = json_loadb(event->data, event->len, 0, NULL);

	(void)err;
	if (lb_json_path(chunk, "choices.0.delta.content"))
		stream->deltas++;
	json_decref(chunk);
	return 0;
}

static size_t on_body(char *data, size_t one, size_t len, void *arg)
{
	struct stream *stream = arg;
	struct lb_error err;

	(void)one;
	stream->bytes += len;
	if (lb_sse_feed(&stream->sse, data, len, on_event, stream, &err) < 0)
		return 0;
	return len;
}

static CURL *start(CURLM *multi, const char *url, struct curl_slist *headers,
		   struct stream *stream)
{
	static const char body[] =
		"{\"model\":\"m\",\"stream\":true,\"messages\":"
		"[{\"role\":\"user\",\"content\":\"hello\"}]}";
	CURL *easy = curl_easy_init();

	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, stream);
	curl_multi_add_handle(multi, easy);
	return easy;
}

/* Returns how many failed. */
static int run(CURLM *multi)
{
	CURLMsg *msg;
	int running = 1, left, failed = 0;

	while (running > 0) {
		if (curl_multi_perform(multi, &running) != CURLM_OK ||
		    curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK)
			exit(70);
		while ((msg = curl_multi_info_read(multi, &left)))
			failed += msg->data.result != CURLE_OK;
	}
	return failed;
}

static void report(int n, int failed, const struct stream *total, int64_t wall)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	printf("{\"requests\":%d,\"failed\":%d,\"bytes\":%zu,\"deltas\":%zu,"
	       "\"cpu_ms\":%ld,\"wall_ms\":%lld,\"rss_kb\":%ld}\n",
	       n, failed, total->bytes, total->deltas,
	       (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
		       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000,
	       (long long)wall, u.ru_maxrss);
}

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
	int n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1000, failed;
	struct stream *streams, total = {0};
	struct curl_slist *headers;
	int64_t began = lb_clock_mono();
	CURL **easies;
	CURLM *multi;

	if (argc < 2 || n < 1)
		return 64;
	signal(SIGPIPE, SIG_IGN);
	lb_loop_many_descriptors();
	raise_limit();
	curl_global_init(CURL_GLOBAL_DEFAULT);
	multi = curl_multi_init();
	headers = curl_slist_append(NULL, "Content-Type: application/json");
	streams = lb_alloc((size_t)n * sizeof(*streams));
	easies = lb_alloc((size_t)n * sizeof(*easies));
	for (int i = 0; i < n; i++)
		easies[i] = start(multi, argv[1], headers, &streams[i]);
	failed = run(multi);
	for (int i = 0; i < n; i++) {
		total.bytes += streams[i].bytes;
		total.deltas += streams[i].deltas;
		curl_multi_remove_handle(multi, easies[i]);
		curl_easy_cleanup(easies[i]);
		lb_sse_release(&streams[i].sse);
	}
	report(n, failed, &total, lb_clock_mono() - began);
	curl_multi_cleanup(multi);
	curl_slist_free_all(headers);
	free(streams);
	free(easies);
	return failed > 0;
}
