/*
 * bench-sse - what framing an event stream costs: 512 MiB of a chat's deltas
 * in reads of 16 KiB. Prints one JSON object: bytes, events, cpu_ms and
 * mb_per_cpu_s (10^6 bytes); then the same for a stream of CJK text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "net/sse.h"

enum { READ = 16 << 10, BLOCK = 4 << 20, ROUNDS = 128 };

static const char *const texts[][2] = {
	{"ascii", "word and then "},
	{"cjk", "\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8c\xe4\xb8\x96\xe7\x95\x8c"},
};

static int count(void *arg, const struct lb_sse_event *event,
		 struct lb_error *err)
{
	size_t *events = arg;

	(void)event;
	(void)err;
	++*events;
	return 0;
}

static double cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void measure(const char *what, const char *text)
{
	lb_autobuf struct lb_buf block = {0};
	struct lb_sse sse = {0};
	struct lb_error err;
	size_t bytes = 0, events = 0;
	double began, took;

	while (block.len < BLOCK)
		lb_buf_printf(&block,
			      "data: {\"id\":\"chatcmpl-1\",\"object\":"
			      "\"chat.completion.chunk\",\"created\":1,"
			      "\"model\":\"m\",\"choices\":[{\"index\":0,"
			      "\"delta\":{\"content\":\"%s\"},"
			      "\"finish_reason\":null}]}\n\n",
			      text);
	began = cpu_s();
	for (int round = 0; round < ROUNDS; round++)
		for (size_t at = 0, n; at < block.len; at += n, bytes += n) {
			n = block.len - at < READ ? block.len - at : READ;
			if (lb_sse_feed(&sse, block.data + at, n, count,
					&events, &err) < 0)
				exit(70);
		}
	took = cpu_s() - began;
	printf("{\"text\":\"%s\",\"bytes\":%zu,\"events\":%zu,\"cpu_ms\":%.0f,"
	       "\"mb_per_cpu_s\":%.0f}\n",
	       what, bytes, events, took * 1e3, (double)bytes / 1e6 / took);
	lb_sse_release(&sse);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		measure(texts[i][0], texts[i][1]);
	return 0;
}
