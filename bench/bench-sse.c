/*
 * bench-sse - what framing an event stream costs: 512 MiB of a chat's deltas
 * in reads of 16 KiB, and what it costs to make events of the model of them,
 * 128 MiB. Prints one JSON object a line: what, text, bytes, events, cpu_ms
 * and mb_per_cpu_s (10^6 bytes); each for ASCII and for CJK text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "llm/reader.h"
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

static void fill(struct lb_buf *block, const char *text)
{
	while (block->len < BLOCK)
		lb_buf_printf(block,
			      "data: {\"id\":\"chatcmpl-1\",\"object\":"
			      "\"chat.completion.chunk\",\"created\":1,"
			      "\"model\":\"m\",\"choices\":[{\"index\":0,"
			      "\"delta\":{\"content\":\"%s\"},"
			      "\"finish_reason\":null}]}\n\n",
			      text);
}

static void frame(const struct lb_buf *block, size_t *events)
{
	struct lb_sse sse = {0};
	struct lb_error err;

	for (size_t at = 0, n; at < block->len; at += n) {
		n = block->len - at < READ ? block->len - at : READ;
		if (lb_sse_feed(&sse, block->data + at, n, count, events,
				&err) < 0)
			exit(70);
	}
	lb_sse_release(&sse);
}

static void tally(void *arg, const struct lb_llm_event *event)
{
	size_t *events = arg;

	*events += event->kind == LB_LLM_TEXT;
}

/* An answer of this size each. */
static void answer(const struct lb_buf *block, size_t *events)
{
	struct lb_reader *r =
		lb_reader_open(&lb_openai_chat, false, tally, events);

	for (size_t at = 0, n; at < block->len; at += n) {
		n = block->len - at < READ ? block->len - at : READ;
		if (lb_reader_feed(r, block->data + at, n) < 0)
			exit(70);
	}
	lb_reader_close(r);
}

static void measure(const char *what, const char *kind, const char *text,
		    int rounds,
		    void (*fn)(const struct lb_buf *block, size_t *events))
{
	lb_autobuf struct lb_buf block = {0};
	size_t bytes, events = 0;
	double began, took;

	fill(&block, text);
	bytes = block.len * (size_t)rounds;
	began = cpu_s();
	for (int round = 0; round < rounds; round++)
		fn(&block, &events);
	took = cpu_s() - began;
	printf("{\"what\":\"%s\",\"text\":\"%s\",\"bytes\":%zu,"
	       "\"events\":%zu,\"cpu_ms\":%.0f,\"mb_per_cpu_s\":%.0f}\n",
	       what, kind, bytes, events, took * 1e3,
	       (double)bytes / 1e6 / took);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		measure("frame", texts[i][0], texts[i][1], ROUNDS, frame);
		measure("answer", texts[i][0], texts[i][1], ROUNDS / 4, answer);
	}
	return 0;
}
