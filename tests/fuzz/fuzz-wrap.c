/*
 * fuzz-wrap - an answer, cut anywhere into chunks: their texts joined are the
 * text of its parts, or the beginning of it where it failed, and there is one
 * end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/utf8.h"
#include "pipeline/wrap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char config_text[] =
	"pipelines:\n"
	"  p0: {output: {misc: {remove-think: true}}}\n"
	"  p1: {output: {misc: {remove-think: true, track-function-calls: "
	"true},\n"
	"    long-text-processing: {strategy: split, threshold: 20}},\n"
	"    safety: {content-filter: {words: [ab, abc, é王]}}}\n"
	"  p2: {safety: {content-filter: {words: [ab, 'a+b', '^b'],\n"
	"    mask-word: 'x'}}}\n"
	"  p3: {output: {misc: {remove-think: true}},\n"
	"    safety: {content-filter: {words: ['a.b', '<b'], mask: ''}}}\n";

static struct lb_wrap wrap;

static void open_wrap(void)
{
	char path[] = "/tmp/fuzz-wrap.XXXXXX";
	int fd = mkstemp(path);
	struct lb_config *config;
	struct lb_error err;

	if (fd < 0 || dprintf(fd, "%s", config_text) < 0)
		abort();
	close(fd);
	config = lb_config_load(path, &err);
	unlink(path);
	if (!config || lb_wrap_open(&wrap, config, &err) < 0)
		abort();
}

struct answer {
	char pipeline;
	struct lb_buf line, out, chunks, parts, why;
	bool failed, ended;
	int64_t seq;
};

static void begin(struct answer *a, const char *kind)
{
	lb_buf_reset(&a->line);
	lb_buf_printf(&a->line,
		      "{\"kind\":\"%s\",\"id\":\"i\",\"session\":\"b/"
		      "person_1\","
		      "\"bot\":\"b\",\"pipeline\":\"p%c\"",
		      kind, a->pipeline);
}

/* What came of the line: chunks in order, and parts behind them. */
static void read_out(struct answer *a)
{
	const char *p = lb_buf_str(&a->out), *end = p + a->out.len;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		struct lb_record r = {0};
		struct lb_error err;
		const json_t *text;
		bool chunk;

		if (!newline ||
		    lb_record_parse(&r, p, (size_t)(newline - p), &err) < 0)
			abort();
		chunk = strcmp(lb_json_str(r.json, "kind"), "chunk") == 0;
		text = json_object_get(r.json, "text");
		if (a->ended || !json_is_string(text))
			abort();
		lb_buf_put(chunk ? &a->chunks : &a->parts,
			   json_string_value(text), json_string_length(text));
		if (!chunk)
			a->ended = lb_json_bool(r.json, "final", false);
		if (!chunk && a->ended)
			a->failed = json_object_get(r.json, "failed") != NULL;
		lb_record_release(&r);
		p = newline + 1;
	}
}

static void pass(struct answer *a, bool chunk)
{
	struct lb_record r = {0};
	struct lb_error err;

	lb_buf_putc(&a->line, '}');
	if (lb_record_parse(&r, a->line.data, a->line.len, &err) < 0)
		abort();
	lb_buf_reset(&a->out);
	if (chunk)
		lb_wrap_chunk(&wrap, &r, &a->out);
	else
		lb_wrap_reply(&wrap, &r, &a->out, &a->why);
	lb_record_release(&r);
	read_out(a);
}

static void put_chunk(struct answer *a, const char *text, size_t len)
{
	begin(a, "chunk");
	lb_put_int(&a->line, "seq", a->seq++);
	lb_put_strn(&a->line, "text", text, len);
	pass(a, true);
}

static void put_reply(struct answer *a, const struct lb_buf *text, bool failed)
{
	begin(a, "reply");
	lb_buf_puts(&a->line, ",\"chain\":[{\"type\":\"Plain\",\"text\":");
	lb_buf_json_str(&a->line, lb_buf_str(text), text->len);
	lb_buf_puts(&a->line, "}],\"part\":1,\"final\":true");
	lb_put_strn(&a->line, "text", lb_buf_str(text), text->len);
	if (failed)
		lb_buf_puts(&a->line, ",\"failed\":{\"code\":\"network\","
				      "\"message\":\"ab\"}");
	pass(a, false);
}

static void put_chunks(struct answer *a, const struct lb_buf *text,
		       unsigned cuts)
{
	size_t from = 0, at = 0;

	put_chunk(a, "", 0);
	for (unsigned n = 0; at < text->len; n++) {
		at += lb_utf8_char(text->data + at, text->len - at);
		if (cuts >> n % 8 & 1) {
			put_chunk(a, text->data + from, at - from);
			from = at;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer a = {0};
	lb_autobuf struct lb_buf text = {0};

	if (!wrap.config)
		open_wrap();
	if (size < 3)
		return 0;
	a.pipeline = (char)('0' + data[0] % 4);
	for (size_t i = 2; i < size; i++) /* tags, as bytes that are none */
		if (data[i] == 1 || data[i] == 2)
			lb_buf_puts(&text,
				    data[i] == 1 ? "<think>" : "</think>");
		else if (data[i]) /* a NUL of a record reads as U+FFFD */
			lb_buf_putc(&text, (char)data[i]);
	lb_utf8_clean(&a.why, lb_buf_str(&text), text.len);
	lb_buf_reset(&text);
	lb_buf_put(&text, lb_buf_str(&a.why), a.why.len);
	put_chunks(&a, &text, data[1]);
	put_reply(&a, &text, data[0] & 16);
	if (!a.ended || a.chunks.len > a.parts.len ||
	    memcmp(lb_buf_str(&a.chunks), lb_buf_str(&a.parts), a.chunks.len) !=
		    0)
		abort();
	/* of an answer that is not streamed there is the empty one alone */
	if (!a.failed && a.seq > 1 && a.chunks.len < a.parts.len)
		abort();
	lb_buf_release(&a.line);
	lb_buf_release(&a.out);
	lb_buf_release(&a.chunks);
	lb_buf_release(&a.parts);
	lb_buf_release(&a.why);
	return 0;
}
