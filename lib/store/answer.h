/*
 * store/answer.h - final replies, kept so that no model is asked twice.
 *
 * Keyed by record id and session together: an id that a stranger copied into
 * another chat finds nothing.
 */
#ifndef LB_STORE_ANSWER_H
#define LB_STORE_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

/*
 * Is (session, id) answered? 1: *take is the stored reply record, one line of
 * JSON without a newline, caller frees. 0: not yet; the attempt is noted and
 * *attempt says which it is, from 1. Writes: call inside a transaction.
 */
int lb_answer_begin(struct lb_store *store, const char *session, const char *id,
		    int64_t now_ms, char **take, int *attempt,
		    struct lb_error *err);

/* Keep the reply. */
int lb_answer_save(struct lb_store *store, const char *session, const char *id,
		   int64_t now_ms, const char *reply, size_t len,
		   struct lb_error *err);

/* Forget answers older than before_ms; returns how many, or -1. */
int64_t lb_answer_expire(struct lb_store *store, int64_t before_ms,
			 struct lb_error *err);

#endif
