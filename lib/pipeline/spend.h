/*
 * pipeline/spend.h - what answers cost, for the limits that count it.
 */
#ifndef LB_PIPELINE_SPEND_H
#define LB_PIPELINE_SPEND_H

#include "base/buf.h"
#include "pipeline/rules.h"
#include "store/limits.h"

/* Whose something is. */
struct lb_whose {
	const char *pipeline, *bot;
	const char *session;   /* BOT/group_5 */
	const char *sender_id; /* may be "" */
	bool group;
};

/* Append the key of what is counted for them, NUL included; `name` tells what. */
void lb_whose_key(struct lb_buf *b, const char *name, enum lb_window_per per,
		  const struct lb_whose *of);

/* The name of what a pipeline spends, for lb_whose_key(). */
void lb_spent_name(struct lb_buf *b, enum lb_window_per per,
		   const char *pipeline);

/* Does anything of that pipeline count tokens or cost? */
bool lb_spend_counts(struct lb_config *config, const struct lb_whose *of);

/*
 * Count what a turn used in the limits of its pipeline that count tokens or
 * cost; where none does, do nothing. For lb-agent, once a turn.
 */
void lb_spend(struct lb_limits *limits, struct lb_config *config,
	      const struct lb_whose *of, const struct lb_spent *used,
	      int64_t now_ms);

#endif
