/* reader-feed.c - from bytes, cut anywhere, to the values of a protocol. */
#include <string.h>

#include "base/log.h"
#include "llm/reader-in.h"
#include "record/record.h"

enum { MAX_BODY = 64 << 20 };

static int skip_frame(struct lb_reader *r, const char *data,
		      struct lb_error *err)
{
	if (r->strict)
		return lb_fail(err, LB_PROTOCOL,
			       "a frame of the stream is not JSON");
	if (!r->warned)
		lb_warn("skipping a frame that is not JSON: %.60s", data);
	r->warned = true;
	return 0;
}

/* The text of one frame, which should be a JSON object. */
static int on_frame(struct lb_reader *r, const char *data, size_t len,
		    struct lb_error *err)
{
	json_auto_t *value = NULL;

	/* The short cut ends at a NUL, behind which anything may stand. */
	if (r->protocol->quick && !memchr(data, '\0', len) &&
	    r->protocol->quick(r, data)) {
		r->framed = true;
		return r->over ? lb_fail(err, LB_OK, "over") : 0;
	}
	value = lb_record_load(data, len, &r->mended);
	if (!json_is_object(value))
		return skip_frame(r, data, err);
	r->framed = true;
	if (r->protocol->event(r, value, err) < 0)
		return -1;
	return r->over ? lb_fail(err, LB_OK, "over") : 0;
}

static int on_event(void *arg, const struct lb_sse_event *ev,
		    struct lb_error *err)
{
	struct lb_reader *r = arg;
	const char *data = ev->data + strspn(ev->data, " \t");

	if (strcmp(data, "[DONE]") == 0) {
		lb_reader_end(r);
		return lb_fail(err, LB_OK, "done");
	}
	if (!*data)
		return 0;
	return on_frame(r, data, ev->len - (size_t)(data - ev->data), err);
}

/* A line; but a value may stand on many, and then the first one is none. */
static int on_line(void *arg, const char *line, size_t len,
		   struct lb_error *err)
{
	struct lb_reader *r = arg;

	if (!r->framed && r->shape == STREAM && *line == '{') {
		json_auto_t *value = lb_record_load(line, len, &r->mended);

		if (!json_is_object(value))
			r->shape = VALUE;
	}
	if (r->shape == STREAM)
		return on_frame(r, line, len, err);
	lb_buf_put(&r->body, line, len);
	lb_buf_putc(&r->body, '\n');
	return 0;
}

/* Forget the blanks before an answer, of which a peer may send any number. */
static void skip_blanks(struct lb_reader *r)
{
	lb_buf_shift(&r->body, strspn(lb_buf_str(&r->body), " \t\r\n"));
}

/* What the first byte that is no blank says about the answer. */
static int look(struct lb_reader *r)
{
	static const char bom[] = "\xef\xbb\xbf";
	const char *text;

	skip_blanks(r);
	if (!r->marked && r->body.len < 3 &&
	    memcmp(lb_buf_str(&r->body), bom, r->body.len) == 0)
		return 0;
	if (!r->marked && memcmp(r->body.data, bom, 3) == 0) {
		r->marked = true;
		lb_buf_shift(&r->body, 3);
		skip_blanks(r);
	}
	if (r->body.len == 0)
		return 0;
	text = r->body.data;
	if (*text == '<') {
		lb_reader_fail(r, LB_CODE_MALFORMED, 0,
			       "the answer is a web page, not a model's; "
			       "check the base URL");
		return -1;
	}
	r->shape = STREAM;
	if (r->protocol->framing == LB_FRAMING_SSE &&
	    (*text == '{' || *text == '['))
		r->shape = VALUE;
	return 1;
}

static int feed_stream(struct lb_reader *r, const char *data, size_t len)
{
	struct lb_error err = {.code = LB_OK};
	int got = r->protocol->framing == LB_FRAMING_SSE
			  ? lb_sse_feed(&r->sse, data, len, on_event, r, &err)
			  : lb_ndjson_feed(&r->lines, data, len, on_line, r,
					   &err);

	if (r->shape == VALUE) {
		lb_buf_put(&r->body, lb_buf_str(&r->lines.line),
			   r->lines.line.len);
		lb_buf_reset(&r->lines.line);
	}
	if (got == 0)
		return 0;
	if (!r->over)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, err.text);
	return -1;
}

/* What was looked at is the start of a stream. */
static int feed_first(struct lb_reader *r)
{
	lb_autobuf struct lb_buf first = r->body;

	r->body = (struct lb_buf){0};
	return feed_stream(r, first.data, first.len);
}

static int finish_stream(struct lb_reader *r, struct lb_error *err)
{
	if (r->protocol->framing == LB_FRAMING_SSE)
		return lb_sse_finish(&r->sse, on_event, r, err);
	return lb_ndjson_finish(&r->lines, on_line, r, err);
}

int lb_reader_feed(struct lb_reader *r, const char *data, size_t len)
{
	int known;

	if (r->over)
		return -1;
	r->total += len;
	if (r->total > MAX_BODY) {
		lb_reader_fail(r, LB_CODE_LIMIT, 0, "the answer is too long");
		return -1;
	}
	if (r->shape == STREAM)
		return feed_stream(r, data, len);
	lb_buf_put(&r->body, data, len);
	if (r->shape == VALUE)
		return 0;
	known = look(r);
	if (known <= 0)
		return known;
	return r->shape == STREAM ? feed_first(r) : 0;
}

/* An endpoint that does not know of event streams sends a list of events. */
static void finish_values(struct lb_reader *r, const json_t *values)
{
	struct lb_error err = {.code = LB_OK};
	const json_t *value;
	size_t i;

	json_array_foreach(values, i,
			   value) if (!r->over &&
				      r->protocol->event(r, value, &err) < 0)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, err.text);
	if (!r->over)
		lb_reader_succeed(r);
}

/* One JSON value is all that came. */
static void finish_value(struct lb_reader *r, enum lb_code code,
			 const char *why)
{
	struct lb_error err = {.code = LB_OK};
	json_auto_t *value =
		lb_record_load(lb_buf_str(&r->body), r->body.len, &r->mended);

	if (json_is_array(value) && json_array_size(value) > 0) {
		finish_values(r, value);
		return;
	}
	if (!json_is_object(value)) {
		lb_reader_fail(r, why ? code : LB_CODE_MALFORMED, 0,
			       why ? why : "the answer is not a JSON object");
		return;
	}
	if (r->protocol->body(r, value, &err) < 0)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, err.text);
	else
		lb_reader_succeed(r);
}

void lb_reader_finish(struct lb_reader *r, enum lb_code code, const char *why)
{
	struct lb_error err = {.code = LB_OK};

	if (r->over)
		return;
	if (r->shape == STREAM && finish_stream(r, &err) < 0 && !r->over)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, err.text);
	if (r->over)
		return;
	if (r->shape == VALUE) {
		finish_value(r, code, why);
		return;
	}
	if (r->finish)
		lb_reader_succeed(r);
	else if (why)
		lb_reader_fail(r, code, 0, why);
	else if (r->total == 0)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, "the answer is empty");
	else
		lb_reader_fail(r, LB_CODE_TRUNCATED, 0,
			       "the stream ended before the answer did");
}
