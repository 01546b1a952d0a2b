/*
 * agent/engine.h - what the files of the room share.
 */
#ifndef LB_AGENT_ENGINE_H
#define LB_AGENT_ENGINE_H

#include "agent/agent.h"
#include "base/buf.h"
#include "base/loop.h"
#include "base/map.h"
#include "base/proc.h"
#include "llm/failover.h"
#include "record/lanes.h"
#include "record/line.h"
#include "record/out.h"
#include "record/record.h"
#include "store/store.h"

/* A locked store is tried again for as long as others wait for it: 5 s. */
enum { RETRY_MS = 100, MAX_TRIES = 50 };

struct agent;
struct turn;

/* A reply of this turn of the loop, until the store has it. */
struct written {
	struct written *next;
	size_t at, len; /* in agent->pending */
	struct lb_item *item;
};

struct agent {
	const struct lb_agent_options *options;
	struct lb_loop *loop;
	struct lb_llm *llm;
	struct lb_store *store;
	struct lb_limits *limits; /* NULL until something counts in them */
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_buf pending; /* output of this turn of the loop */
	struct written *written;
	struct lb_error store_error;    /* code LB_OK: none in this turn */
	struct lb_lanes sessions;       /* work is a struct turn */
	struct lb_map models, left_out; /* by name; fallbacks that are none */
	struct lb_failover_bounds bounds;
	struct lb_llm_memo memo;
	struct lb_map providers; /* of tools, those in use */
	struct lb_http *http;    /* for what others name; NULL: none yet */
	const char **allowed;    /* for it: networks, while it is open */
	struct lb_guard *guard;  /* ends them when we end; NULL: none is */
	struct lb_map told;      /* what the operator was told once */
	struct lb_timer grace;
	long in_flight;
	int64_t next_expiry; /* of old answers, mono ms */
	bool watching, ended, stopping, out_of_time;
	int code;
};

/* turn.c: begin the first item of a session. LB_AGAIN: the store is locked. */
int turn_start(struct lb_lane *session, struct lb_error *err);
void turn_cancel(struct turn *turn);

/* order.c: what lib/record/lanes asks of lb-agent. */
extern const struct lb_lanes_user order_user;

/* The turn is over; its reply is at the end of agent->pending. */
void engine_finished(struct lb_lane *session, size_t reply_at);

/* The agent of a session. */
static inline struct agent *agent_of_session(const struct lb_lane *session)
{
	return session->lanes->arg;
}

/* What was written in this turn of the loop cannot be kept. */
void engine_store_failed(struct agent *agent, const struct lb_error *err);

/* What is shared of models with other processes. */
const struct lb_llm_memo *engine_memo(struct agent *agent);
/* What is limited; opened when it is first needed. */
struct lb_limits *engine_limits(struct agent *agent);

/* A query that nothing can be done with: an error record. */
void engine_refuse(struct lb_lane *session, const struct lb_problem *problem);

/* runners.c */
struct runner {
	const char *name;
	/* Ask; events go to the turn. */
	int (*start)(struct turn *turn, struct lb_error *err);
};

const struct runner *runner_find(const char *name);

#endif
