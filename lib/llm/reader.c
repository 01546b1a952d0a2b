#include "llm/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/sse.h"
#include "record/record.h"
#include "record/think.h"

enum { MAX_BODY = 64 << 20, MAX_CALLS = 128 };

/* A tool call as it grows. */
struct slot {
	int64_t index; /* -1: the peer numbers none */
	char *id, *name;
	struct lb_buf arguments;
};

struct lb_reader {
	const struct lb_protocol *protocol;
	lb_llm_fn *fn;
	void *arg;
	bool strict;
	enum { UNKNOWN, STREAM, VALUE } shape;
	struct lb_sse sse;
	struct lb_buf body; /* of one JSON value, or what came before */
	struct lb_buf mended;
	struct lb_think think;
	size_t total; /* bytes fed */
	bool over, done, warned;
	bool marked; /* a byte order mark was skipped */
	bool said;   /* text of the answer was emitted */
	char *finish;
	struct lb_usage usage;
	struct slot *slots;
	size_t n_slots;
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
	for (size_t i = 0; i < r->n_slots; i++) {
		free(r->slots[i].id);
		free(r->slots[i].name);
		lb_buf_release(&r->slots[i].arguments);
	}
	free(r->slots);
	free(r->finish);
	lb_sse_release(&r->sse);
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

/* The call that a piece belongs to, or NULL for a new one. */
static struct slot *slot_of(struct lb_reader *r, const struct lb_call_piece *p)
{
	bool has_id = p->id && *p->id;

	for (size_t i = r->n_slots; i-- > 0;) {
		struct slot *s = &r->slots[i];
		bool same_id = has_id && s->id && strcmp(s->id, p->id) == 0;

		if (same_id)
			return s;
		/* An index, unless a new id says that a new call begins. */
		if (p->index >= 0 && s->index == p->index &&
		    (!has_id || !s->id))
			return s;
	}
	if (p->index >= 0 || has_id)
		return NULL;
	if (p->together > 1)
		return p->position < r->n_slots ? &r->slots[p->position] : NULL;
	return r->n_slots > 0 ? &r->slots[r->n_slots - 1] : NULL;
}

static struct slot *new_slot(struct lb_reader *r, int64_t index)
{
	struct slot *s;

	r->slots = lb_grow(r->slots, (r->n_slots + 1) * sizeof(*r->slots));
	s = &r->slots[r->n_slots++];
	*s = (struct slot){.index = index};
	return s;
}

void lb_reader_tool(struct lb_reader *r, const struct lb_call_piece *p)
{
	struct slot *s = slot_of(r, p);

	if (!s && r->n_slots == MAX_CALLS) {
		lb_reader_fail(r, LB_CODE_LIMIT, 0,
			       "the answer holds too many tool calls");
		return;
	}
	if (!s)
		s = new_slot(r, p->index);
	if (!s->id && p->id && *p->id)
		s->id = lb_strdup(p->id);
	if (!s->name && p->name && *p->name)
		s->name = lb_strdup(p->name);
	if (p->arguments)
		lb_buf_put(&s->arguments, p->arguments, p->arguments_len);
}

static void emit_calls(struct lb_reader *r)
{
	for (size_t i = 0; i < r->n_slots; i++) {
		const struct slot *s = &r->slots[i];
		const char *text = lb_buf_str(&s->arguments);
		char made_up[32];

		if (!s->name)
			continue; /* nothing can be called */
		snprintf(made_up, sizeof(made_up), "call_%zu", i);
		if (!text[strspn(text, " \t\r\n")] || strcmp(text, "null") == 0)
			text = "{}";
		r->fn(r->arg, &(struct lb_llm_event){
				      .kind = LB_LLM_TOOL_CALL,
				      .call_id = s->id ? s->id : made_up,
				      .name = s->name,
				      .text = text,
				      .len = strlen(text),
			      });
	}
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
	if (!r->said && r->n_slots == 0) {
		lb_reader_fail(r, open ? LB_CODE_TRUNCATED : LB_CODE_MALFORMED,
			       0,
			       open ? "the model was still thinking when its "
				      "answer ended"
				    : "the answer is empty");
		return;
	}
	emit_calls(r);
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

static int on_event(void *arg, const struct lb_sse_event *ev,
		    struct lb_error *err)
{
	struct lb_reader *r = arg;
	json_auto_t *value = NULL;
	const char *data = ev->data + strspn(ev->data, " \t");

	if (strcmp(data, "[DONE]") == 0) {
		r->done = true;
		succeed(r);
		return lb_fail(err, LB_OK, "done");
	}
	if (!*data)
		return 0;
	value = lb_record_load(data, ev->len - (size_t)(data - ev->data),
			       &r->mended);
	if (!json_is_object(value))
		return skip_frame(r, data, err);
	if (r->protocol->event(r, value, err) < 0)
		return -1;
	return r->over ? lb_fail(err, LB_OK, "over") : 0;
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
	r->shape = *text == '{' || *text == '[' ? VALUE : STREAM;
	return 1;
}

static int feed_stream(struct lb_reader *r, const char *data, size_t len)
{
	struct lb_error err = {.code = LB_OK};

	if (lb_sse_feed(&r->sse, data, len, on_event, r, &err) == 0)
		return 0;
	if (!r->over)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, err.text);
	return -1;
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
	return r->shape == STREAM ? feed_stream(r, r->body.data, r->body.len)
				  : 0;
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
	if (r->shape == VALUE) {
		finish_value(r, code, why);
		return;
	}
	if (r->shape == STREAM &&
	    lb_sse_finish(&r->sse, on_event, r, &err) < 0 && !r->over)
		lb_reader_fail(r, LB_CODE_MALFORMED, 0, err.text);
	if (r->over)
		return;
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
