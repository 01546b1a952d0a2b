/*
 * store/ledger.h - what was sent, in $LB_STATE/queue.db, so that it is not
 * sent twice.
 *
 * A row a part of an answer: claimed right before each call, then with the
 * platform's ids of the messages sent so far, then sent. When the process that
 * claimed it is gone, nobody knows whether its last call was heard: unknown.
 *
 * All of it between begin and commit, one transaction for whatever a turn of
 * the loop brought; a claim is on the disk when commit returns. Failures are
 * those of store/store.h.
 */
#ifndef LB_STORE_LEDGER_H
#define LB_STORE_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct lb_ledger;

struct lb_ledger_key {
	const char *bot, *id;
	int64_t part;
};

enum lb_ledger_state {
	/* In the database: numbers stay what they are. */
	LB_LEDGER_FREE,    /* some of it may be sent, the rest is to be */
	LB_LEDGER_CLAIMED, /* by a process that is there */
	LB_LEDGER_SENT,
	LB_LEDGER_UNKNOWN,
};

/* `busy_ms` as in store/store.h. */
struct lb_ledger *lb_ledger_open(const char *state, int busy_ms,
				 struct lb_error *err);
void lb_ledger_close(struct lb_ledger *ledger);

int lb_ledger_begin(struct lb_ledger *ledger, struct lb_error *err);
int lb_ledger_commit(struct lb_ledger *ledger, struct lb_error *err);
void lb_ledger_rollback(struct lb_ledger *ledger);

/*
 * Claim a part. Returns what it was: FREE, and it is ours now (what is
 * UNKNOWN counts as FREE with `anew`); CLAIMED, by another or by this process; SENT; UNKNOWN; or -1.
 * *take_ids is an array of the messages that were sent of it.
 */
int lb_ledger_claim(struct lb_ledger *ledger, const struct lb_ledger_key *key,
		    bool anew, int64_t now_ms, json_t **take_ids,
		    struct lb_error *err);

/* The same, without claiming it. */
int lb_ledger_look(struct lb_ledger *ledger, const struct lb_ledger_key *key,
		   bool anew, json_t **take_ids, struct lb_error *err);

/*
 * What became of a part that is ours: FREE (some of its messages may be sent
 * now; the rest is anybody's), SENT or UNKNOWN.
 */
int lb_ledger_write(struct lb_ledger *ledger, const struct lb_ledger_key *key,
		    enum lb_ledger_state state, const json_t *ids,
		    int64_t now_ms, struct lb_error *err);

/* Forget at most `max` rows last written before before_ms. How many, or -1;
 * call until it is 0. */
int64_t lb_ledger_expire(struct lb_ledger *ledger, int64_t before_ms, int max,
			 struct lb_error *err);

#endif
