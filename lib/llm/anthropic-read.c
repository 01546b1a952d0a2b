/*
 * Anthropic's Messages, the answers: blocks, of which each begins, grows and
 * stops, or which come whole.
 */
#include <string.h>

#include "base/json.h"
#include "llm/anthropic.h"
#include "llm/layout.h"
#include "llm/reader.h"

/* The answer so far. */
struct state {
	enum { NOTHING, TEXT, THINKING, CALL } in;
	int64_t index;         /* of the block */
	struct lb_buf thought; /* the block of thinking, */
	struct lb_buf signature;
	struct lb_layout layout;
	int64_t input, created, read, output; /* tokens; -1 when not told */
	bool counted;
};

_Static_assert(sizeof(struct state) <= LB_ANTHROPIC_STATE, "it must fit");

void lb_anthropic_release(void *state)
{
	struct state *s = state;

	lb_buf_release(&s->thought);
	lb_buf_release(&s->signature);
	lb_layout_release(&s->layout);
}

/* The block is over. Thinking that is not signed is not taken back. */
static void stop(struct state *s)
{
	if (s->in == THINKING && s->signature.len > 0)
		lb_layout_block(&s->layout,
				lb_json_pack("{s:s, s:o, s:o}", "type",
					     "thinking", "thinking",
					     lb_json_text(lb_buf_str(
								  &s->thought),
							  s->thought.len),
					     "signature",
					     lb_json_text(s->signature.data,
							  s->signature.len)));
	else if (s->in == TEXT)
		lb_layout_end_text(&s->layout, NULL);
	s->in = NOTHING;
	lb_buf_reset(&s->thought);
	lb_buf_reset(&s->signature);
}

static void text(struct lb_reader *r, struct state *s, const json_t *o)
{
	lb_layout_text(&s->layout,
		       json_string_length(json_object_get(o, "text")));
	lb_reader_text_at(r, o, "text");
}

static void thinking(struct lb_reader *r, struct state *s, const json_t *o)
{
	const json_t *t = json_object_get(o, "thinking");

	lb_buf_put(&s->thought, json_string_value(t), json_string_length(t));
	lb_reader_reasoning_at(r, o, "thinking");
}

static void signature(struct state *s, const json_t *o)
{
	const json_t *t = json_object_get(o, "signature");

	lb_buf_put(&s->signature, json_string_value(t), json_string_length(t));
}

static void call(struct lb_reader *r, struct state *s, const json_t *block)
{
	json_t *input = json_object_get(block, "input");
	struct lb_call_piece piece = {
		.index = s->index,
		.id = lb_json_str(block, "id"),
		.name = lb_json_str(block, "name"),
		.whole = true, /* a block is a call, whatever its id */
	};
	lb_autobuf struct lb_buf arguments = {0};

	if (json_object_size(input) > 0) { /* else it comes in pieces */
		lb_buf_json(&arguments, input);
		piece.arguments = arguments.data;
		piece.arguments_len = arguments.len;
	}
	lb_reader_tool(r, &piece);
}

/* A block begins, with as much of it as is there. */
static void start(struct lb_reader *r, struct state *s, json_t *block)
{
	const char *type = lb_json_str(block, "type");

	stop(s);
	if (!type)
		return;
	if (strcmp(type, "text") == 0) {
		s->in = TEXT;
		text(r, s, block);
	} else if (strcmp(type, "thinking") == 0) {
		s->in = THINKING;
		thinking(r, s, block);
		signature(s, block);
	} else if (strcmp(type, "redacted_thinking") == 0) {
		lb_layout_block(&s->layout, json_incref(block));
	} else if (strcmp(type, "tool_use") == 0) {
		s->in = CALL;
		lb_layout_call(&s->layout, NULL);
		call(r, s, block);
	}
}

static void delta(struct lb_reader *r, struct state *s, const json_t *d)
{
	const char *type = lb_json_str(d, "type");
	const json_t *json = json_object_get(d, "partial_json");

	if (!type)
		return;
	if (strcmp(type, "text_delta") == 0)
		text(r, s, d);
	else if (strcmp(type, "thinking_delta") == 0)
		thinking(r, s, d);
	else if (strcmp(type, "signature_delta") == 0)
		signature(s, d);
	else if (strcmp(type, "input_json_delta") == 0 && s->in == CALL)
		lb_reader_tool(r, &(struct lb_call_piece){
					  .index = s->index,
					  .arguments = json_string_value(json),
					  .arguments_len =
						  json_string_length(json),
				  });
}

static void count(int64_t *to, const json_t *usage, const char *key)
{
	int64_t n = lb_reader_count(usage, key);

	if (n >= 0)
		*to = n;
}

static int64_t told(int64_t n)
{
	return n > 0 ? n : 0;
}

/* Counters are sums so far; what was cached is not among the input's. */
static void put_usage(struct lb_reader *r, struct state *s, const json_t *o)
{
	const json_t *usage = json_object_get(o, "usage");

	if (!json_is_object(usage))
		return;
	if (!s->counted)
		s->input = s->created = s->read = s->output = -1;
	s->counted = true;
	count(&s->input, usage, "input_tokens");
	count(&s->created, usage, "cache_creation_input_tokens");
	count(&s->read, usage, "cache_read_input_tokens");
	count(&s->output, usage, "output_tokens");
	lb_reader_usage(r,
			(struct lb_usage){
				.input = s->input < 0
						 ? -1
						 : s->input + told(s->created) +
							   told(s->read),
				.output = s->output,
				.cached = s->read,
			});
}

static void put_finish(struct lb_reader *r, const json_t *o)
{
	static const struct {
		const char *theirs, *ours;
	} reasons[] = {
		{"end_turn", "stop"},
		{"stop_sequence", "stop"},
		{"max_tokens", "length"},
		{"model_context_window_exceeded", "length"},
		{"tool_use", "tool_calls"},
		{"refusal", "content_filter"},
	};
	const char *reason = lb_json_str(o, "stop_reason");

	if (!reason || !*reason)
		return;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(reason, reasons[i].theirs) == 0)
			reason = reasons[i].ours;
	lb_reader_set_finish(r, reason);
}

int lb_anthropic_event(struct lb_reader *r, const json_t *value,
		       struct lb_error *err)
{
	struct state *s = lb_reader_state(r);
	const char *type = lb_json_str(value, "type");
	const json_t *error = json_object_get(value, "error");

	(void)err;
	if (json_is_object(error) || json_is_string(error)) {
		lb_reader_refused(r, error);
	} else if (!type) {
		return 0;
	} else if (strcmp(type, "message_start") == 0) {
		put_usage(r, s, json_object_get(value, "message"));
	} else if (strcmp(type, "content_block_start") == 0) {
		lb_json_int(value, "index", &s->index);
		start(r, s, json_object_get(value, "content_block"));
	} else if (strcmp(type, "content_block_delta") == 0) {
		delta(r, s, json_object_get(value, "delta"));
	} else if (strcmp(type, "content_block_stop") == 0) {
		stop(s);
	} else if (strcmp(type, "message_delta") == 0) {
		put_usage(r, s, value);
		put_finish(r, json_object_get(value, "delta"));
	} else if (strcmp(type, "message_stop") == 0) {
		lb_reader_end(r);
	}
	return 0;
}

int lb_anthropic_body(struct lb_reader *r, const json_t *value,
		      struct lb_error *err)
{
	struct state *s = lb_reader_state(r);
	const json_t *error = json_object_get(value, "error");
	json_t *content = json_object_get(value, "content"), *block;
	size_t i;

	if (json_is_object(error) || json_is_string(error)) {
		lb_reader_refused(r, error);
		return 0;
	}
	if (!json_is_array(content))
		return lb_fail(err, LB_PROTOCOL, "the answer has no content");
	json_array_foreach(content, i, block)
	{
		s->index = (int64_t)i;
		start(r, s, block);
	}
	put_usage(r, s, value);
	put_finish(r, value);
	return 0;
}

json_t *lb_anthropic_keep(struct lb_reader *r)
{
	struct state *s = lb_reader_state(r);

	stop(s);
	return lb_layout_keep(&s->layout);
}
