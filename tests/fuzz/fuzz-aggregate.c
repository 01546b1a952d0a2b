/*
 * fuzz-aggregate - any messages at any time: each comes out once, as itself or
 * as a drop that says what it went into, what it went into comes behind it, and
 * no line is broken or longer than it may be.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "pipeline/aggregate.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char config_text[] =
	"pipelines:\n"
	"  default: {trigger: {message-aggregation: {enabled: true, delay: "
	"1}}}\n"
	"  all: {trigger: {message-aggregation: {enabled: true, by: "
	"session}}}\n"
	"  off: {}\n"
	"bots: {a: {adapter: jsonl, pipeline: all}}\n";

enum { MAX = 250, MAX_LINE = 1500 };

/* What came in, by its number, and what became of it. */
struct flow {
	int n, in[MAX], out[MAX], into[MAX];
	bool whole[MAX]; /* the message itself came out */
};

static struct lb_config *config_open(void)
{
	char path[] = "/tmp/fuzz-aggregate.XXXXXX";
	int fd = mkstemp(path);
	struct lb_config *config;
	struct lb_error err;

	if (fd < 0 || dprintf(fd, "%s", config_text) < 0)
		abort();
	close(fd);
	config = lb_config_load(path, &err);
	unlink(path);
	if (!config)
		abort();
	return config;
}

static int number(const json_t *o, const char *key)
{
	const char *text = lb_json_str(o, key);

	return text && strlen(text) == 3 ? (int)strtol(text, NULL, 10) : -1;
}

static void check_line(struct flow *f, const char *text, size_t len)
{
	struct lb_record r = {0};
	struct lb_error err;
	int id, into;

	if (len > MAX_LINE || lb_record_parse(&r, text, len, &err) < 0)
		abort();
	id = number(r.json, "id");
	into = number(r.json, "into");
	if (id < 0 || id >= f->n)
		abort();
	f->out[id]++;
	if (strcmp(lb_json_str(r.json, "kind"), "drop") != 0)
		f->whole[id] = true;
	else if (into < 0 || into >= f->n || into == id ||
		 (f->whole[into] && f->in[into] == 1))
		abort();
	else
		f->into[id] = into;
	lb_record_release(&r);
}

static int take(void *arg, const char *text, size_t len, struct lb_error *err)
{
	const char *end = text + len, *newline;

	(void)err;
	for (; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			abort();
		check_line(arg, text, (size_t)(newline - text));
	}
	return 0;
}

/* Four bytes are a line. */
static void put_line(struct lb_buf *b, const uint8_t *d, int id)
{
	static const char *const chains[] = {
		"[]",
		"[{\"type\":\"Plain\",\"text\":\"x\"}]",
		"[ {\"type\":\"Plain\",\"text\":\"!help\"} ]",
		"7",
		"[{\"type\":\"At\",\"target\":\"1\"}]",
		"[{\"type\":\"Plain\",\"text\":\"\\u0000\\ud83d\\ude00\"}]",
	};
	static const char *const more[] = {
		"",
		",\"pipeline\":\"off\"",
		",\"pipeline\":\"none\"",
		",\"mentions\":[\"a\"]",
		",\"mentions\":{}",
		",\"into\":\"000\"",
		",\"session\":\"-/person_1\"",
		",\"stage\":[],\"mentioned_me\":true",
	};

	lb_buf_printf(b,
		      "{\"kind\":\"%s\",\"id\":\"%03d\",\"bot\":\"%c\","
		      "\"launcher_type\":\"%s\",\"launcher_id\":\"%d\","
		      "\"sender_id\":\"%.*s\",\"chain\":%s%s",
		      d[0] & 64 ? "status" : "message", id,
		      d[0] & 1 ? 'a' : '-', d[0] & 2 ? "group" : "person",
		      d[0] >> 2 & 3, d[1] & 1, "1", chains[d[1] % 6],
		      more[d[2] % 8]);
	if (d[2] & 128)
		lb_buf_printf(b, ",\"x\":\"%0*d\"", d[1] * 2, 0);
	lb_buf_putc(b, '}');
}

static void feed(struct lb_aggregate *a, struct flow *f, const uint8_t *data,
		 size_t size)
{
	lb_autobuf struct lb_buf b = {0};
	struct lb_error err;
	int64_t now = 0;

	for (; size >= 4 && f->n < MAX; size -= 4, data += 4) {
		int id = f->n > 0 && data[0] & 128 ? f->n - 1 : f->n;
		struct lb_line line = {.number = 1};

		lb_buf_reset(&b);
		put_line(&b, data, id);
		line.text = b.data;
		line.len = b.len;
		if (b.len > MAX_LINE)
			continue;
		f->n += id == f->n;
		f->in[id]++;
		now += data[3] * 10;
		lb_aggregate_turn(a, now);
		if (lb_aggregate_line(a, &line, now, &err) < 0)
			abort();
	}
	lb_aggregate_flush(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lb_config *config;
	struct flow f = {0};
	struct lb_out *out = lb_out_to(take, &f);
	struct lb_error err;
	struct lb_aggregate *a;

	if (!config)
		config = config_open();
	a = lb_aggregate_open(config, out, MAX_LINE, &err);
	if (!a)
		abort();
	feed(a, &f, data, size);
	if (lb_out_flush(out, &err) < 0 || lb_aggregate_due(a) >= 0)
		abort();
	for (int i = 0; i < f.n; i++)
		if (f.in[i] != f.out[i] || (!f.whole[i] && !f.whole[f.into[i]]))
			abort();
	lb_aggregate_close(a);
	lb_out_close(out);
	return 0;
}
