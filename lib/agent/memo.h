/*
 * agent/memo.h - the notes of llm/failover.h, kept in limits.db.
 */
#ifndef LB_AGENT_MEMO_H
#define LB_AGENT_MEMO_H

#include "llm/failover.h"
#include "store/limits.h"

/* Borrowed for as long as it is used. */
struct lb_llm_memo lb_memo_of(struct lb_limits *limits);

#endif
