/*
 * llm/neutral.h - a request to a model and what comes of it, the same for all
 * wire protocols.
 *
 * Of one answer the events come in this order: text and reasoning as they
 * come, then the calls, then what is to be kept, the usage, and the end.
 */
#ifndef LB_LLM_NEUTRAL_H
#define LB_LLM_NEUTRAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "llm/usage.h"
#include "record/code.h"

struct lb_model;

/* A request. Everything is borrowed until lb_llm_start() returned. */
struct lb_llm_request {
	/*
	 * The conversation, the same whatever protocol it goes out in:
	 *
	 * {"role":"system"|"developer"|"user","content"}
	 * {"role":"assistant","content","tool_calls"?,"keep"?}
	 * {"role":"tool","tool_call_id","content","is_error"?}
	 *
	 * `content` is a string or an array of parts: {"type":"text","text"},
	 * {"type":"image_base64","image_base64"} (a data: URL or base64 alone),
	 * {"type":"image_url","image_url":{"url"}}, and files, which become a
	 * note; also in what a tool answers. A part without its payload is left
	 * out. `tool_calls` is [{"id","type":"function",
	 * "function":{"name","arguments"}}], arguments being JSON in a string;
	 * what is no JSON object there is sent as {"arguments":TEXT}. Answers
	 * of tools follow their message, in any order; `is_error` marks one
	 * that failed. `keep` is what LB_LLM_KEEP gave with that message.
	 */
	const json_t *messages;
	/*
	 * [{"type":"function","function":{"name","description","parameters"}}],
	 * or NULL. Which to call is the option `tool_choice`: "auto" (the
	 * default), "none", "required" or {"type":"function",
	 * "function":{"name"}}.
	 */
	const json_t *tools;
	/*
	 * Members of the body, over the model's. temperature, top_p, top_k,
	 * max_tokens, stop, seed, tool_choice, presence_penalty and
	 * frequency_penalty go where the protocol has them, every other as it
	 * is. `extra_body` is joined to the body, `extra_headers` are headers.
	 */
	const json_t *options;
	/*
	 * How much the model thinks: disabled enabled minimal low medium high
	 * xhigh max; NULL or "provider_default" says nothing about it. LB_USAGE
	 * when the model has no such level.
	 */
	const char *reasoning;
	/*
	 * {"max_tokens":"max_completion_tokens","temperature":null}: members
	 * of the body under another name, or left out; what lb_llm_change()
	 * gave after refusals. Or NULL.
	 */
	const json_t *changes;
	bool stream;
	bool strict; /* a frame that is no JSON is an error */
};

enum lb_llm_kind {
	LB_LLM_TEXT,      /* text, len: more of the answer */
	LB_LLM_REASONING, /* text, len: more of what led to it */
	/*
	 * call_id, name, text: a call. The text is what the model wrote: an
	 * answer that was cut (finish "length") may hold half of it, so it is
	 * to be parsed before anything runs. The id is never empty, and no two
	 * calls of a conversation share one.
	 */
	LB_LLM_TOOL_CALL,
	/*
	 * keep: what the provider wants back with this message, once at most:
	 * an object to be stored as the assistant message's `keep`, whole and
	 * unread. Only a request in its protocol, to its provider, sends it.
	 */
	LB_LLM_KEEP,
	LB_LLM_USAGE,  /* usage: tokens */
	LB_LLM_END,    /* finish: the answer is whole */
	LB_LLM_FAILED, /* code, message: it is not */
};

/* Borrowed until the callback returns. */
struct lb_llm_event {
	enum lb_llm_kind kind;
	const char *text;
	size_t len;
	const char *call_id, *name;
	const json_t *keep; /* {PROTOCOL: ..., "provider": NAME} */
	struct lb_usage usage;
	const char *finish; /* stop, length, tool_calls, content_filter ... */
	enum lb_code code;
	const char *message;
	const char *param; /* a member the endpoint does not take; or NULL */
	int status;        /* HTTP; 0 when there was none */
	int64_t retry_after_ms; /* -1 when not told */
	/*
	 * In the last event that llm/failover.h gives: who it is of, and
	 * [{"model","code","message"}] of those who should have answered
	 * before; or NULL.
	 */
	const struct lb_model *model;
	const json_t *passed;
};

#endif
