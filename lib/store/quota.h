/*
 * store/quota.h - how much somebody may have of a machine in a day, and at once,
 * in $LB_STATE/limits.db.
 *
 * What a run may take is reserved before it begins and settled when it has
 * ended. A reservation lasts as long as the process that made it: whoever is
 * killed has none any more, and is taken to have used of it what he could until
 * that was noticed. A day begins at midnight UTC.
 *
 * Other than the counters of store/limits.h these are not kept in memory alone
 * while the file cannot be used: nothing is reserved then.
 */
#ifndef LB_STORE_QUOTA_H
#define LB_STORE_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lb_quotas;

/* The file is opened when it is first needed. `busy_ms` as in store/store.h. */
struct lb_quotas *lb_quotas_open(const char *state, int busy_ms);
void lb_quotas_close(struct lb_quotas *q); /* ends what it reserved */

enum lb_quota_what { LB_QUOTA_RUNS, LB_QUOTA_CPU, LB_QUOTA_AT_ONCE };

/* What may be had by whom; -1: no limit. */
struct lb_quota {
	const char *key; /* as a key of store/limits.h */
	int64_t runs;    /* a day */
	int64_t cpu_ms;  /* a day */
	int64_t at_once;
};

struct lb_quota_wish {
	const struct lb_quota *quotas;
	size_t n;
	int64_t cpu_ms;  /* the most it can use */
	int64_t time_ms; /* in that time */
};

struct lb_quota_answer {
	int64_t id;     /* of what is reserved */
	int64_t cpu_ms; /* so much, the wish or what is left; */
	int limited_by; /* by that quota; -1: by none */
	/* What refuses it: */
	int refused; /* that quota */
	enum lb_quota_what what;
	bool held;        /* by what runs now, and not used up */
	int64_t again_ms; /* when the day is over */
};

/* 1: it is reserved, of all of them; 0: of none; -1: LB_AGAIN, LB_IO, LB_DATA,
 * LB_CONFIG: it cannot be counted. */
int lb_quota_take(struct lb_quotas *q, const struct lb_quota_wish *wish,
		  int64_t now_ms, struct lb_quota_answer *answer,
		  struct lb_error *err);

/* It has ended, and used so much; `ran` false: it did not begin and counts for
 * nothing. */
int lb_quota_settle(struct lb_quotas *q, int64_t id, int64_t cpu_ms, bool ran,
		    struct lb_error *err);

#endif
