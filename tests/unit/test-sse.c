/*
 * test-sse - the event stream decoder. Each stream is fed whole, a byte at a
 * time and in every two-way split; all must give the same events. Prints TAP.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "net/sse.h"

struct row {
	const char *what;
	const char *input;
	/* name|data|id; for each event, `!` for LB_DATA. */
	const char *expected;
	size_t max, len; /* len 0: strlen(input) */
	long retry_ms;
};

#define OK "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"}}]}"

static const struct row rows[] = {
	{"an empty stream", "", ""},
	{"one event", "data: x\n\n", "message|x|;"},
	{"no blank after the colon", "data:" OK "\n\ndata:[DONE]\n\n",
	 "message|" OK "|;message|[DONE]|;"},
	{"only one blank is dropped", "data:  x\n\n", "message| x|;"},
	{"a tab is no blank", "data:\tx\n\n", "message|\tx|;"},
	{"event, id and retry without a blank",
	 "event:e\nid:7\nretry:30\ndata:x\n\n", "e|x|7;", 0, 0, 30},
	{"comments before, between and after",
	 ": PROCESSING\n\n:ping\ndata: x\n\n: cost=0.01\ndata: [DONE]\n\n",
	 "message|x|;message|[DONE]|;"},
	{"a comment between two data lines", "data: a\n:c\ndata: b\n\n",
	 "message|a\nb|;"},
	{"a value that looks like a comment", "data: : PROCESSING\n\n",
	 "message|: PROCESSING|;"},
	{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "message|a|;message|b|;"},
	{"CR alone", "data: a\r\rdata: b\r\r", "message|a|;message|b|;"},
	{"every line end in one stream",
	 "data: a\r\n\rdata: b\n\r\ndata: c\r\rdata: d\n\n",
	 "message|a|;message|b|;message|c|;message|d|;"},
	{"CR LF is one line end, LF CR two",
	 "data: a\r\ndata: b\n\rdata: c\n\n", "message|a\nb|;message|c|;"},
	{"a BOM is dropped",
	 "\xef\xbb\xbf"
	 "data: x\n\n",
	 "message|x|;"},
	{"a second BOM is not",
	 "\xef\xbb\xbf\n\xef\xbb\xbf"
	 "data: x\n\n",
	 ""},
	{"a BOM alone", "\xef\xbb\xbf", ""},
	{"a cut BOM is a name", "\xef\xbb", ""},
	{"two data lines", "data: a\ndata: b\n\n", "message|a\nb|;"},
	{"empty data is an event", "data\n\ndata:\n\n", "message||;message||;"},
	{"an empty line of data", "data: a\ndata\ndata: b\n\n",
	 "message|a\n\nb|;"},
	{"no data, no event", "event: e\n\ndata: x\n\n", "message|x|;"},
	{"a name is for one event", "event: e\ndata: x\n\ndata: y\n\n",
	 "e|x|;message|y|;"},
	{"an id stays", "id: 1\ndata: x\n\ndata: y\n\nid\ndata: z\n\n",
	 "message|x|1;message|y|1;message|z|;"},
	{"an id with a NUL is ignored", "id: 1\nid: a\0b\ndata: x\n\n",
	 "message|x|1;", 0, 23},
	{"unknown fields are ignored",
	 "foo: 1\ndatax: 2\nDATA: 3\n data: 4\ndata: x\n\n", "message|x|;"},
	{"the end is a blank line", "data: a\n\ndata: b",
	 "message|a|;message|b|;"},
	{"the end after a line", "data: a\r", "message|a|;"},
	{"many blank lines", "\n\n\r\n\rdata: x\n\n\n\n", "message|x|;"},
	{"a retry that is no number", "retry: 5s\nretry:\nretry: -1\n", ""},
	{"a retry far too long", "retry: 7\nretry: 99999999999999999999\n", "",
	 0, 0, 7},
	{"UTF-8 cut anywhere", "data: \xe4\xbd\xa0\xf0\x9f\x98\x80\n\n",
	 "message|\xe4\xbd\xa0\xf0\x9f\x98\x80|;"},
	{"bad UTF-8 is repaired", "event: \xff\nid: \xfe\ndata: a\xc3\n\n",
	 "\xef\xbf\xbd|a\xef\xbf\xbd|\xef\xbf\xbd;"},
	{"as long as allowed", "data: abcd\n\n", "message|abcd|;", 10},
	{"a line too long", "data: abcde\n\n", "!", 10},
	{"a comment too long", ":0123456789\n", "!", 10},
	{"an unfinished line too long", "data: abcde", "!", 10},
	{"an event as long as allowed", "data:abcd\ndata:defgh\n\n",
	 "message|abcd\ndefgh|;", 10},
	{"an event too long", "data:abcde\ndata:defgh\n\n", "!", 10},
	{"good, then too long", "data: a\n\ndata: 0123456789\n\n",
	 "message|a|;!", 10},
};

static int note(void *arg, const struct lb_sse_event *e, struct lb_error *err)
{
	struct lb_buf *got = arg;

	(void)err;
	lb_buf_printf(got, "%s|", e->name);
	lb_buf_put(got, e->data, e->len);
	lb_buf_printf(got, "|%s;", e->id);
	if (e->data[e->len] != '\0')
		lb_buf_puts(got, "no NUL at the end");
	return 0;
}

/* Feed in pieces of `first`, then of `step` bytes. True when as expected. */
static bool play(const struct row *row, size_t first, size_t step)
{
	lb_autobuf struct lb_buf got = {0};
	struct lb_sse sse = {.max_event = row->max};
	struct lb_error err;
	size_t len = row->len ? row->len : strlen(row->input), n = first;
	int r = 0;
	bool ok;

	for (size_t at = 0; r == 0 && at < len; at += n, n = step) {
		if (n > len - at)
			n = len - at;
		r = lb_sse_feed(&sse, row->input + at, n, note, &got, &err);
	}
	if (r == 0)
		r = lb_sse_finish(&sse, note, &got, &err);
	if (r < 0)
		lb_buf_puts(&got, err.code == LB_DATA ? "!" : "?");
	ok = strcmp(lb_buf_str(&got), row->expected) == 0 &&
	     sse.retry_ms == row->retry_ms;
	if (!ok)
		printf("# cut at %zu, then every %zu: expected '%s' (retry "
		       "%ld), got '%s' (retry %ld)\n",
		       first, step, row->expected, row->retry_ms,
		       lb_buf_str(&got), sse.retry_ms);
	lb_sse_release(&sse);
	return ok;
}

static bool play_all_cuts(const struct row *row)
{
	size_t len = row->len ? row->len : strlen(row->input);
	bool ok = play(row, len + 1, 1) && play(row, 1, 1);

	for (size_t cut = 0; ok && cut <= len; cut++)
		ok = play(row, cut, len + 1);
	return ok;
}

static int refuse(void *arg, const struct lb_sse_event *e, struct lb_error *err)
{
	int *calls = arg;

	(void)e;
	++*calls;
	return lb_fail(err, LB_PROTOCOL, "no more");
}

static bool stops_when_told(void)
{
	struct lb_sse sse = {0};
	struct lb_error err = {0};
	int calls = 0;
	bool ok = lb_sse_feed(&sse, "data: a\n\ndata: b\n\n", 18, refuse,
			      &calls, &err) < 0;

	lb_sse_release(&sse);
	return ok && calls == 1 && err.code == LB_PROTOCOL;
}

/*
 * A stream with one kind of line end must not be searched for the other at
 * every line: that takes minutes here, and the limit ends the test.
 */
static bool is_linear(void)
{
	struct rlimit seconds = {20, 20};
	lb_autobuf struct lb_buf in = {0}, got = {0};
	struct lb_sse sse = {.max_event = 64 << 20};
	struct lb_error err;
	bool ok;

	setrlimit(RLIMIT_CPU, &seconds);
	for (size_t i = 0; i < (2 << 20); i++)
		lb_buf_put(&in, ":\r", 2);
	ok = lb_sse_feed(&sse, in.data, in.len, note, &got, &err) == 0;
	lb_sse_release(&sse);
	return ok && got.len == 0;
}

static int tell(size_t n, bool ok, const char *what)
{
	printf("%sok %zu - %s\n", ok ? "" : "not ", n, what);
	return !ok;
}

int main(void)
{
	size_t n = sizeof(rows) / sizeof(rows[0]);
	int bad = 0;

	printf("1..%zu\n", n + 2);
	for (size_t i = 0; i < n; i++)
		bad |= tell(i + 1, play_all_cuts(&rows[i]), rows[i].what);
	bad |= tell(n + 1, stops_when_told(), "a callback stops the feed");
	bad |= tell(n + 2, is_linear(), "short lines cost linear time");
	return bad;
}
