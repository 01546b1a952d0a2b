/*
 * store/limits.h - how much was had of what is limited, in
 * $LB_STATE/limits.db.
 *
 * Counters of messages in windows of time, tokens and costs by the hour, and
 * notes of what is not to be tried for a while.
 * They are shared by all processes and survive a restart; nothing else depends
 * on them, so the file may be deleted at any time. What is counted becomes
 * known to others with lb_limits_commit(), one transaction for whatever came
 * since the last. While the file cannot be used, which is said once, this
 * process counts on in memory: nobody is muted, and nothing is unlimited.
 *
 * A fixed window begins at a multiple of its length. A sliding one is counted
 * in sixteenths: at most `limit` pass in any stretch of its length, and one
 * that passed is forgotten at most a sixteenth late.
 */
#ifndef LB_STORE_LIMITS_H
#define LB_STORE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lb_limits;

enum { LB_LIMITS_AHEAD_MS = 5 * 60 * 1000 }; /* the longest wait */

bool lb_limits_exist(const char *state); /* was anything ever counted? */
/* The file is opened when it is first needed. `busy_ms` as in store/store.h. */
struct lb_limits *lb_limits_open(const char *state, int busy_ms);
/* The same in memory alone. */
struct lb_limits *lb_limits_private(void);
void lb_limits_close(struct lb_limits *l); /* does not commit */

/* A window, and whose. */
struct lb_limit {
	const char *key; /* what it counts, of whom */
	int64_t length_ms, limit;
	bool sliding, wait;
};

struct lb_limit_answer {
	int refused;   /* the window that refuses it; -1: none does */
	bool notice;   /* it is the first that this one refuses */
	int64_t at_ms; /* when it may go on: now, or later */
};

/*
 * One more in all of these windows, or in none. It may have to wait; one that
 * came before and waits is never overtaken.
 */
void lb_limits_take(struct lb_limits *l, const struct lb_limit *windows,
		    size_t n, int64_t now_ms, struct lb_limit_answer *answer);

/* The first call for this key in this window? Later ones: false. */
bool lb_limits_first(struct lb_limits *l, const struct lb_limit *window,
		     int64_t now_ms);

struct lb_spent {
	int64_t tokens, cost; /* cost in millionths */
};

/* What was spent from from_ms on, by the hour that holds it. */
void lb_limits_spent(struct lb_limits *l, const char *key, int64_t from_ms,
		     struct lb_spent *sum);
void lb_limits_spend(struct lb_limits *l, const char *key, int64_t now_ms,
		     const struct lb_spent *more);

void lb_limits_commit(struct lb_limits *l);

/*
 * Notes: what processes tell each other, a text under a name until a time. Both
 * commit. The text is new; NULL: there is none.
 */
char *lb_limits_recall(struct lb_limits *l, const char *name, int64_t now_ms);
void lb_limits_note(struct lb_limits *l, const char *name, const char *text,
		    int64_t until_ms);

/*
 * Keys are NAME, U+001F, a session or a bot, U+001F, a sender or nothing.
 * Forget all of a session ("BOT/group_5"), or of a sender of a bot; the other
 * is NULL. How many, or -1.
 */
int64_t lb_limits_erase(struct lb_limits *l, const char *session,
			const char *bot, const char *sender,
			struct lb_error *err);
/* How many that would be. */
int64_t lb_limits_erasable(struct lb_limits *l, const char *session,
			   const char *bot, const char *sender,
			   struct lb_error *err);

#endif
