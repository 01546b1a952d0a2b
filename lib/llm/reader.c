#include "llm/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/reader-in.h"

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

/* What goes back each time must not cost more each time; it is wrapped, too. */
enum { MAX_KEEP = 4 << 20, MAX_KEEP_DEPTH = 64 };

static void emit_keep(struct lb_reader *r)
{
	json_t *kept = r->protocol->keep ? r->protocol->keep(r) : NULL;
	json_auto_t *keep = NULL;

	if (!kept)
		return;
	if (lb_json_is_deep(kept, MAX_KEEP_DEPTH) ||
	    json_dumpb(kept, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY) >
		    MAX_KEEP) {
		lb_warn("what an answer wants back is too much, and is not "
			"kept");
		json_decref(kept);
		return;
	}
	keep = lb_json_pack("{s:o}", r->protocol->name, kept);
	r->fn(r->arg,
	      &(struct lb_llm_event){.kind = LB_LLM_KEEP, .keep = keep});
}

/* The answer is whole. */
void lb_reader_succeed(struct lb_reader *r)
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

void lb_reader_end(struct lb_reader *r)
{
	r->done = true;
	lb_reader_succeed(r);
}
