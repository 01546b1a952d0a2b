/*
 * fuzz-reader - any bytes as a model's answer, in the protocol that the first
 * byte chooses (a g l c r; ! is c and strict), cut at places that the bytes
 * choose: the events are those of the same bytes fed whole, one END or FAILED
 * stands last, and no text of the answer comes twice.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "llm/calls.h"
#include "llm/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct got {
	struct lb_buf text, reasoning, rest;
	int ends;
};

static void note(void *arg, const struct lb_llm_event *e)
{
	struct got *got = arg;

	if (got->ends > 0)
		abort(); /* the last event was it */
	switch (e->kind) {
	case LB_LLM_TEXT:
		lb_buf_put(&got->text, e->text, e->len);
		break;
	case LB_LLM_REASONING:
		lb_buf_put(&got->reasoning, e->text, e->len);
		break;
	case LB_LLM_TOOL_CALL:
		lb_buf_printf(&got->rest, "call %s %s %s\n",
			      strlen(e->call_id) == LB_CALL_ID_SIZE - 1
				      ? "?"
				      : e->call_id,
			      e->name, e->text);
		break;
	case LB_LLM_KEEP:
		lb_buf_json(&got->rest, e->keep);
		break;
	case LB_LLM_USAGE:
		lb_buf_printf(&got->rest, "usage %lld %lld\n",
			      (long long)e->usage.input,
			      (long long)e->usage.output);
		break;
	case LB_LLM_END:
		lb_buf_printf(&got->rest, "end %s\n", e->finish);
		got->ends++;
		break;
	case LB_LLM_FAILED:
		lb_buf_printf(&got->rest, "failed %d %d %s\n", (int)e->code,
			      e->status, e->message);
		got->ends++;
		break;
	}
}

/* Pieces of `step` bytes, where 0 takes each length from the data itself. */
static void play(const struct lb_protocol *p, const uint8_t *data, size_t size,
		 size_t step, bool strict, struct got *got)
{
	struct lb_reader *r = lb_reader_open(p, strict, note, got);

	for (size_t at = 0, n; at < size; at += n) {
		n = step ? step : 1 + data[at] % 7u;
		if (n > size - at)
			n = size - at;
		if (lb_reader_feed(r, (const char *)data + at, n) < 0)
			break;
	}
	lb_reader_finish(r, LB_CODE_NETWORK,
			 size > 0 && data[size - 1] == '!' ? "cut" : NULL);
	if (!lb_reader_is_over(r) || got->ends != 1)
		abort();
	lb_reader_close(r);
}

static void compare(struct lb_buf *a, struct lb_buf *b)
{
	if (a->len != b->len ||
	    memcmp(lb_buf_str(a), lb_buf_str(b), a->len) != 0)
		abort();
	lb_buf_release(a);
	lb_buf_release(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct lb_protocol *const of[256] = {
		['a'] = &lb_anthropic,   ['g'] = &lb_gemini,
		['l'] = &lb_ollama,      ['c'] = &lb_openai_chat,
		['!'] = &lb_openai_chat, ['r'] = &lb_openai_responses,
	};
	const struct lb_protocol *p = size > 0 ? of[data[0]] : NULL;
	struct got whole = {0}, cut = {0};
	struct lb_protocol slow;
	bool strict = size > 0 && data[0] == '!';
	size_t skip = p ? 1 : 0;

	if (!p)
		p = &lb_openai_chat;
	lb_log_level(LB_ERROR);
	play(p, data + skip, size - skip, size + 1, strict, &whole);
	slow = *p;
	slow.quick = NULL; /* its short cut must make no difference */
	play(&slow, data + skip, size - skip, 0, strict, &cut);
	compare(&whole.text, &cut.text);
	compare(&whole.reasoning, &cut.reasoning);
	compare(&whole.rest, &cut.rest);
	return 0;
}
