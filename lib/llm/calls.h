/*
 * llm/calls.h - tool calls as they grow. Inside the room only.
 *
 * A piece belongs to the call with its id; else, unless it brings a new id, to
 * the one with its index; without either, to the last one, or, where several
 * come together, to the one at its position. A call whose peer names none, or
 * one that is long, odd or another's, gets an id of its own, which no other
 * call of a conversation has.
 */
#ifndef LB_LLM_CALLS_H
#define LB_LLM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "llm/reader.h"

struct lb_calls {
	struct lb_growing_call {
		int64_t index; /* -1: the peer numbers none */
		char *id, *name;
		struct lb_buf arguments;
	} * at;
	size_t n;
};

/* The call it went to, until the next; NULL: there are too many. */
struct lb_growing_call *lb_calls_add(struct lb_calls *calls,
				     const struct lb_call_piece *piece);
/* Hand the calls on as events; one that has no name cannot be called. */
void lb_calls_emit(struct lb_calls *calls, lb_llm_fn *fn, void *arg);
void lb_calls_release(struct lb_calls *calls);

/* Nine letters and digits, which every provider takes. */
enum { LB_CALL_ID_SIZE = 10 };

#endif
