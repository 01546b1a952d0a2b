#include "llm/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/calls.h"
#include "net/ndjson.h"
#include "net/sse.h"
#include "record/record.h"
#include "record/think.h"

enum { MAX_BODY = 64 << 20 };

struct lb_reader {
	const struct lb_protocol *protocol;
	lb_llm_fn *fn;
	void *arg;
	bool strict;
	enum { UNKNOWN, STREAM, VALUE } shape;
	struct lb_sse sse;
	struct lb_ndjson lines;
	struct lb_buf body; /* of one JSON value, or what came before */
	struct lb_buf mended;
	struct lb_think think;
	size_t total; /* bytes fed */
	bool over, done, warned;
	bool marked; /* a byte order mark was skipped */
	bool said;   /* text of the answer was emitted */
	bool framed; /* a frame was JSON */
	char *finish;
	struct lb_usage usage;
	struct lb_calls calls;
	void *state; /* of the protocol */
};

struct lb_reader *lb_reader_open(const struct lb_protocol *protocol,
				 bool strict, lb_llm_fn *fn, void *arg)
{
	struct lb_reader *r = lb_alloc(sizeof(*r));

	r->protocol = protocol;
	r->strict = strict;
	r->fn = fn;
	r->arg = arg;
	r->think.trim = true;
	r->usage = (struct lb_usage){-1, -1, -1};
	return r;
}

void lb_reader_close(struct lb_reader *r)
{
	if (!r)
		return;
	if (r->state && r->protocol->release)
		r->protocol->release(r->state);
	free(r->state);
	lb_calls_release(&r->calls);
	free(r->finish);
	lb_sse_release(&r->sse);
	lb_ndjson_release(&r->lines);
	lb_buf_release(&r->body);
	lb_buf_release(&r->mended);
	free(r);
}

bool lb_reader_is_over(const struct lb_reader *r)
{
	return r->over;
}

bool lb_reader_has_finish(const struct lb_reader *r)
{
	return r->finish || r->done;
}

static void on_piece(void *arg, bool reasoning, const char *text, size_t len)
{
	struct lb_reader *r = arg;

	r->said |= !reasoning;
	r->fn(r->arg,
	      &(struct lb_llm_event){
		      .kind = reasoning ? LB_LLM_REASONING : LB_LLM_TEXT,
		      .text = text,
		      .len = len,
	      });
}

void lb_reader_text(struct lb_reader *r, const char *text, size_t len)
{
	if (!r->over && len > 0)
		lb_think_feed(&r->think, text, len, on_piece, r);
}

void lb_reader_reasoning(struct lb_reader *r, const char *text, size_t len)
{
	if (!r->over && len > 0)
		on_piece(r, true, text, len);
}

void lb_reader_usage(struct lb_reader *r, struct lb_usage usage)
{
	r->usage = usage;
}

void lb_reader_set_finish(struct lb_reader *r, const char *reason)
{
	free(r->finish);
	r->finish = lb_strdup(reason);
}

void lb_reader_fail(struct lb_reader *r, enum lb_code code, int status,
		    const char *message)
{
	if (r->over)
		return;
	lb_think_finish(&r->think, on_piece, r);
	r->over = true;
	r->fn(r->arg, &(struct lb_llm_event){
			      .kind = LB_LLM_FAILED,
			      .code = code,
			      .message = message,
			      .status = status,
			      .retry_after_ms = -1,
		      });
}

const char *lb_reader_tool(struct lb_reader *r, const struct lb_call_piece *p)
{
	struct lb_growing_call *call =
		r->over ? NULL : lb_calls_add(&r->calls, p);

	if (!call && !r->over)
		lb_reader_fail(r, LB_CODE_LIMIT, 0,
			       "the answer holds too many tool calls");
	return call ? call->id : NULL;
}

bool lb_reader_has_calls(const struct lb_reader *r)
{
	return r->calls.n > 0;
}

void *lb_reader_state(struct lb_reader *r)
{
	if (!r->state)
		r->state = lb_alloc(r->protocol->state_size);
	return r->state;
}

static void emit_keep(struct lb_reader *r)
{
	json_t *kept = r->protocol->keep ? r->protocol->keep(r) : NULL;
	json_auto_t *keep = NULL;

	if (!kept)
		return;
	keep = lb_json_pack("{s:o}", r->protocol->name, kept);
	r->fn(r->arg,
	      &(struct lb_llm_event){.kind = LB_LLM_KEEP, .keep = keep});
}

/* The answer is whole. */
static void succeed(struct lb_reader *r)
{
	bool open = lb_think_finish(&r->think, on_piece, r);
	const char *finish = r->finish ? r->finish : "stop";

	if (r->over)
		return;
	if (strcmp(finish, "content_filter") == 0) {
		lb_reader_fail(r, LB_CODE_CONTENT_FILTER, 0,
			       "the provider's filter ended the answer");
		return;
	}
	if (!r->said && r->calls.n == 0) {
		lb_reader_fail(r, open ? LB_CODE_TRUNCATED : LB_CODE_MALFORMED,
			       0,
			       open ? "the model was still thinking when its "
				      "answer ended"
				    : "the answer is empty");
		return;
	}
	lb_calls_emit(&r->calls, r->fn, r->arg);
	emit_keep(r);
	if (r->usage.input >= 0 || r->usage.output >= 0)
		r->fn(r->arg, &(struct lb_llm_event){.kind = LB_LLM_USAGE,
						     .usage = r->usage});
	r->over = true;
	r->fn(r->arg,
	      &(struct lb_llm_event){.kind = LB_LLM_END, .finish = finish});
}

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
	json_auto_t *value = lb_record_load(data, len, &r->mended);

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
		r->done = true;
		succeed(r);
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

/* One JSON value is all that came. */
static void finish_value(struct lb_reader *r, enum lb_code code,
			 const char *why)
{
	struct lb_error err = {.code = LB_OK};
	json_auto_t *value =
		lb_record_load(lb_buf_str(&r->body), r->body.len, &r->mended);

	if (!json_is_object(value)) {
		lb_reader_fail(r, why ? code : LB_CODE_MALFORMED, 0,
			       why ? why : "the answer is not a JSON object");
		return;
	}
	if (r->protocol->body(r, value, &err) < 0)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, err.text);
	else
		succeed(r);
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
		succeed(r);
	else if (why)
		lb_reader_fail(r, code, 0, why);
	else if (r->total == 0)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, "the answer is empty");
	else
		lb_reader_fail(r, LB_CODE_TRUNCATED, 0,
			       "the stream ended before the answer did");
}
