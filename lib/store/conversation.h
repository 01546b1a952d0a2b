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
 * The messages of its last max_turns turns (-1: all) of about max_tokens (-1:
 * no limit), oldest first, as one new array. Turns are left out whole, the
 * older first, so that no tool's result loses its call; at most 64 MiB of text.
 * What comes back passes lb_heal_turn(): any model takes it.
 */
json_t *lb_conversation_load(struct lb_store *store, int64_t id,
			     int64_t max_turns, int64_t max_tokens,
			     struct lb_error *err);

/* What a person said and all that came of it. */
struct lb_turn {
	const char *of;     /* the id of the record */
	const char *sender; /* who said it; "" where that is not known */
	const json_t *messages;
	bool complete;         /* false: it was cut off */
	int64_t input, output; /* tokens */
	int64_t time;          /* ms */
};

/*
 * Append a turn. LB_NOINPUT: the conversation is gone, its database having been
 * deleted since lb_conversation_use(); use it again and append to that.
 */
int lb_conversation_append(struct lb_store *store, int64_t id,
			   const struct lb_turn *turn, struct lb_error *err);

/*
 * End the use of the conversations of a session (of one pipeline, or NULL for
 * all). Returns how many were in use, or -1.
 */
int64_t lb_conversation_reset(struct lb_store *store, const char *session,
			      const char *pipeline, struct lb_error *err);

/*
 * Begin another conversation; the one in use stays to be gone back to. One in
 * use that nothing was said in yet is the new one. The row, or -1.
 */
int64_t lb_conversation_new(struct lb_store *store, const char *session,
			    const char *bot, const char *pipeline,
			    int64_t now_ms, struct lb_error *err);

/* Go on with that one of the same session and pipeline, as of now. */
int lb_conversation_switch(struct lb_store *store, int64_t id, int64_t now_ms,
			   struct lb_error *err);

/* End the use of the one that nothing happened in since before_ms. */
int lb_conversation_end_idle(struct lb_store *store, const char *session,
			     const char *pipeline, int64_t before_ms,
			     struct lb_error *err);

/* Forget a conversation. */
int lb_conversation_delete(struct lb_store *store, int64_t id,
			   struct lb_error *err);

/* Forget its last turn. 1; 0: it has none; -1 failed. */
int lb_conversation_undo(struct lb_store *store, int64_t id,
			 struct lb_error *err);

/* The model asked in place of the pipeline's; *take NULL: none. Caller frees. */
int lb_conversation_model(struct lb_store *store, int64_t id, char **take,
			  struct lb_error *err);
int lb_conversation_set_model(struct lb_store *store, int64_t id,
			      const char *model, struct lb_error *err);

/* The skills that are active in it, an array of names; new. NULL: failed. */
json_t *lb_conversation_skills(struct lb_store *store, int64_t id,
			       struct lb_error *err);
int lb_conversation_set_skills(struct lb_store *store, int64_t id,
			       const json_t *names, struct lb_error *err);

/* Its tokens so far. */
int lb_conversation_usage(struct lb_store *store, int64_t id, int64_t *input,
			  int64_t *output, struct lb_error *err);

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
