/*
 * mcp/peer.h - one side of a conversation in JSON-RPC: what was asked and is
 * not answered yet.
 *
 * Messages come from a transport (lb_peer_receive) and go to one (`send`).
 * Answers find who asked by their ids, in any order. What is no message, or
 * answers nothing, is left out and told.
 */
#ifndef LB_MCP_PEER_H
#define LB_MCP_PEER_H

#include "base/loop.h"
#include "mcp/jsonrpc.h"

enum { LB_PEER_CALLS = 10000 }; /* under way at most */

struct lb_peer;
struct lb_peer_call;

/* Borrowed until the callback returns. Exactly one of the three is there. */
struct lb_peer_answer {
	const json_t *result;
	const struct lb_rpc_message *failure; /* what the other side says */
	const struct lb_error *error; /* no answer came: LB_AGAIN, it took
						 too long; else the transport's */
	/* The message that it came in; NULL for an error. */
	const char *text;
	size_t len;
};

typedef void lb_peer_fn(void *arg, const struct lb_peer_answer *answer);

/* What is to be sent; borrowed. */
struct lb_peer_out {
	const char *text; /* one line, without its end */
	size_t len;
	const char *method;    /* NULL: an answer */
	const json_t *params;  /* of `method`, or NULL */
	int64_t id;            /* of a request; 0: nothing will answer it */
	const json_t *headers; /* {name: text} for HTTP; or NULL */
};

struct lb_peer_events {
	int (*send)(void *arg, const struct lb_peer_out *out,
		    struct lb_error *err);
	/* No answer to it is wanted any more. May be NULL. */
	void (*forget)(void *arg, int64_t id);
	/* To be answered by lb_peer_answer() or lb_peer_refuse(), now. */
	void (*on_request)(void *arg, const struct lb_rpc_message *m);
	void (*on_notification)(void *arg, const struct lb_rpc_message *m);
	/* It is no message, or answers nothing: why. */
	void (*on_noise)(void *arg, const char *text, size_t len,
			 const struct lb_error *why);
};

/* `events` is borrowed. */
struct lb_peer *lb_peer_open(struct lb_loop *loop,
			     const struct lb_peer_events *events, void *arg);
/* What was asked gets no answer any more. NULL is allowed. */
void lb_peer_close(struct lb_peer *peer);

/* A message came, or several as an array. */
void lb_peer_receive(struct lb_peer *peer, const char *text, size_t len);

/* Nothing will come of one (0: any) of what was asked. */
void lb_peer_lost(struct lb_peer *peer, int64_t id, const struct lb_error *why);

struct lb_peer_ask {
	const char *method;
	json_t *take_params; /* or NULL */
	/*
	 * How long it may take. What touches the call begins it anew, until
	 * ten times as long have passed in all; INT64_MAX is for ever.
	 */
	int64_t timeout_ms;
	bool progress;      /* _meta.progressToken is the call's id */
	bool cannot_cancel; /* the other side is not told to stop */
	lb_peer_fn *fn;
	void *arg;
};

/* Never answered before it returns. */
struct lb_peer_call *lb_peer_ask(struct lb_peer *peer,
				 const struct lb_peer_ask *ask);
int64_t lb_peer_call_id(const struct lb_peer_call *call);
/* The one with that id; NULL: there is none. */
struct lb_peer_call *lb_peer_find(const struct lb_peer *peer, const json_t *id);
void *lb_peer_call_arg(const struct lb_peer_call *call);
/* It is alive. */
void lb_peer_touch(struct lb_peer_call *call);
/* No answer is wanted; the other side is told, with a word why, or NULL. */
void lb_peer_cancel(struct lb_peer_call *call, const char *why);

/* The same, and nobody is told: it went to somebody who is gone. */
void lb_peer_forget(struct lb_peer_call *call);

int lb_peer_notify(struct lb_peer *peer, const char *method,
		   json_t *take_params, struct lb_error *err);
int lb_peer_answer(struct lb_peer *peer, const json_t *id, json_t *take_result,
		   struct lb_error *err);
int lb_peer_refuse(struct lb_peer *peer, const json_t *id, int64_t code,
		   const char *message, struct lb_error *err);

/* The answer to one is this failure, however it came. */
void lb_peer_fail(struct lb_peer *peer, int64_t id,
		  const struct lb_rpc_message *failure);

/*
 * Where the result of an answer stands in its text, to be handed on as it came:
 * false: it was mended, and is only in `result`.
 */
bool lb_peer_result_text(const struct lb_peer_answer *answer, const char **text,
			 size_t *len);

#endif
