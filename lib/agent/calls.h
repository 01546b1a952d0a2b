/*
 * agent/calls.h - the calls of a round, and what they come to.
 *
 *     calls.c   all calls of a round at once
 *     result.c  what a call came to, as the model is told
 *     repeat.c  a call that is made over and over
 *     tally.c   what was called, for the reply
 */
#ifndef LB_AGENT_CALLS_H
#define LB_AGENT_CALLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct lb_provider_call;
struct turn;

/* A call of a tool, of the round that is under way. */
struct work {
	struct turn *turn;
	const char *id, *name, *source; /* borrowed; source NULL: of no tool */
	const char *own;
	json_t *arguments;              /* NULL: they are none */
	struct lb_provider_call *asked; /* NULL: it has ended, or not begun */
	json_t *result;                 /* the message of role tool */
	bool failed;
	int64_t began, ms; /* mono ms; how long it took */
	char *key;         /* name and arguments, the same for the same call */
};

/* What was called, for the reply. */
struct tally {
	json_t *calls; /* by source, how often */
	json_t *list;  /* [{name,source,ms,error?}] */
	json_t *skills;
	int64_t n, errors, ms, execs, exec_errors;
};

/* calls.c: run the calls of the round; turn_called() once all have ended. */
void calls_run(struct turn *turn);
/* End those under way; each has a result then. */
void calls_cancel(struct turn *turn, const char *why);
/* Their results to turn->made, in the order of the calls; they are gone. */
void calls_gather(struct turn *turn);
void calls_release(struct turn *turn);

/* result.c: a message of role tool; new. */
json_t *result_of(const struct work *work, const json_t *content);
json_t *result_error(const struct turn *turn, const struct work *work,
		     const char *text);
/* The tool READ_RESULT; new, NULL: *why, to be freed, says why not. */
json_t *result_read(const struct turn *turn, const json_t *arguments,
		    char **why);
/* Was a result cut that it could read the rest of? */
bool result_was_cut(const struct turn *turn);
json_t *result_read_spec(void);

/* repeat.c: a call that is made over and over. */
char *repeat_key(const char *name, const json_t *arguments);
/* The model was told of it, and calls it again. */
bool repeat_is_over(const struct turn *turn, const char *key);
/* Note what came of it. True: it came so often that the model is to be told. */
bool repeat_note(struct turn *turn, const char *key, const json_t *came);

/* tally.c */
void tally_add(struct turn *turn, const struct work *work);
void tally_put(const struct tally *tally, struct lb_buf *b);
void tally_release(struct tally *tally);

#endif
