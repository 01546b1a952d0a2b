/*
 * llm/llm.h - asking a model: one request in, a stream of events out.
 *
 * Everything above knows the neutral request and the neutral events only; a
 * wire protocol is one file (openai-chat.c) and a line in protocols.c. The
 * `offline` model answers without a network, or fails as asked.
 */
#ifndef LB_LLM_LLM_H
#define LB_LLM_LLM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/loop.h"
#include "llm/model.h"
#include "record/code.h"

/* A request. Everything is borrowed until lb_llm_start() returned. */
struct lb_llm_request {
	/*
	 * [{"role","content"}...], content a string or an array of parts:
	 * {"type":"text","text"}, {"type":"image_base64","image_base64"},
	 * {"type":"image_url","image_url":{"url"}}, and files, which become
	 * a note. Assistant messages may carry `tool_calls`, tool messages a
	 * `tool_call_id`, as chat completions have them.
	 */
	const json_t *messages;
	const json_t *tools;   /* as chat completions have them; or NULL */
	const json_t *options; /* members of the body, over the model's */
	bool stream;
	bool strict; /* a frame that is no JSON is an error */
};

enum lb_llm_kind {
	LB_LLM_TEXT,      /* text, len: more of the answer */
	LB_LLM_REASONING, /* text, len: more of what led to it */
	LB_LLM_TOOL_CALL, /* call_id, name, text: a call, arguments as JSON */
	LB_LLM_USAGE,     /* usage: tokens */
	LB_LLM_END,       /* finish: the answer is whole */
	LB_LLM_FAILED,    /* code, message: it is not */
};

struct lb_usage {
	int64_t input, output, cached; /* tokens; -1 when not told */
};

/* The member `usage` of a record: {"input","output","cached"?}. */
void lb_put_usage(struct lb_buf *b, const struct lb_usage *usage);

/* Borrowed until the callback returns. */
struct lb_llm_event {
	enum lb_llm_kind kind;
	const char *text;
	size_t len;
	const char *call_id, *name;
	struct lb_usage usage;
	const char *finish; /* stop, length, tool_calls, content_filter ... */
	enum lb_code code;
	const char *message;
	int status;             /* HTTP; 0 when there was none */
	int64_t retry_after_ms; /* -1 when not told */
};

/* Gets each event; END or FAILED is the last and comes exactly once. */
typedef void lb_llm_fn(void *arg, const struct lb_llm_event *event);

struct lb_llm;      /* a client */
struct lb_llm_call; /* a request under way */

struct lb_llm *lb_llm_open(struct lb_loop *loop);
void lb_llm_close(struct lb_llm *llm); /* cancels what is under way */

/*
 * Ask. Never calls back before it returns; the call is gone after its last
 * event. The model is borrowed until then. NULL: the request cannot be made.
 */
struct lb_llm_call *lb_llm_start(struct lb_llm *llm,
				 const struct lb_model *model,
				 const struct lb_llm_request *request,
				 lb_llm_fn *fn, void *arg,
				 struct lb_error *err);

/* End it without a further event. Not from inside the callback. */
void lb_llm_cancel(struct lb_llm_call *call);

/*
 * What would be sent, for people: {"method","url","headers","body"}, with the
 * key hidden. NULL for a model that sends nothing.
 */
json_t *lb_llm_dry_run(const struct lb_model *model,
		       const struct lb_llm_request *request,
		       struct lb_error *err);

/*
 * Names of the models an endpoint offers, as [{"id",...}]; blocks on a loop of
 * its own. NULL with LB_UNAVAILABLE, LB_AGAIN or LB_PROTOCOL.
 */
json_t *lb_llm_models(const struct lb_model *model, struct lb_error *err);

#endif
