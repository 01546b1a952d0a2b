/*
 * store/conversation.h - what was said, by session and pipeline.
 *
 * A session has at most one conversation in use for each pipeline; reset ends
 * its use and the next message begins a new one. History is kept in turns: a
 * turn is the user's message and all that came of it, stored and trimmed
 * whole, so a tool result never loses its call. Messages are in the neutral
 * form {role, content, ...} of lb-records(7).
 */
#ifndef LB_STORE_CONVERSATION_H
#define LB_STORE_CONVERSATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

struct lb_conversation {
	int64_t id;                           /* row */
	const char *session, *bot, *pipeline; /* borrowed */
	int64_t created, updated;             /* ms */
	int64_t turns;
	bool in_use;
};

/* The row of the conversation in use, or 0 when there is none; -1 failed. */
int64_t lb_conversation_find(struct lb_store *store, const char *session,
			     const char *pipeline, struct lb_error *err);

/* The row of the one in use, made when there is none; -1 failed. */
int64_t lb_conversation_use(struct lb_store *store, const char *session,
			    const char *bot, const char *pipeline,
			    int64_t now_ms, struct lb_error *err);

/*
 * The messages of its last max_turns turns (-1: all), oldest first, as one
 * new array; lone surrogates and bad bytes come back as U+FFFD. At most 64 MiB
 * of text: older turns are left out whole.
 */
json_t *lb_conversation_load(struct lb_store *store, int64_t id,
			     int64_t max_turns, struct lb_error *err);

/*
 * Append a turn. `of` is the record's id; complete is false for one cut off.
 * LB_NOINPUT: the conversation is gone, its database having been deleted since
 * lb_conversation_use(); use it again and append to that.
 */
int lb_conversation_append(struct lb_store *store, int64_t id, const char *of,
			   const json_t *messages, bool complete,
			   int64_t now_ms, struct lb_error *err);

/*
 * End the use of the conversations of a session (of one pipeline, or NULL for
 * all). Returns how many were in use, or -1.
 */
int64_t lb_conversation_reset(struct lb_store *store, const char *session,
			      const char *pipeline, struct lb_error *err);

/*
 * Forget whole conversations that nothing was said in since before_ms,
 * in use or not. Returns how many, or -1.
 */
int64_t lb_conversation_expire(struct lb_store *store, int64_t before_ms,
			       struct lb_error *err);

/*
 * All conversations, newest first, of one session or (NULL) of all: fn gets
 * each, borrowed; it returns 0 to go on.
 */
int lb_conversation_each(struct lb_store *store, const char *session,
			 int (*fn)(void *arg, const struct lb_conversation *c),
			 void *arg, struct lb_error *err);

/*
 * The turns of a conversation, oldest first: fn gets each as
 * {"turn","of","time","complete","messages"}, borrowed; messages is null for a
 * turn that cannot be read.
 */
int lb_conversation_turns(struct lb_store *store, int64_t id,
			  int (*fn)(void *arg, const json_t *turn), void *arg,
			  struct lb_error *err);

#endif
