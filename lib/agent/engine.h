/*
 * agent/engine.h - what the files of the room share.
 */
#ifndef LB_AGENT_ENGINE_H
#define LB_AGENT_ENGINE_H

#include "agent/agent.h"
#include "base/buf.h"
#include "base/loop.h"
#include "base/map.h"
#include "llm/llm.h"
#include "record/line.h"
#include "record/out.h"
#include "record/record.h"
#include "store/store.h"

/* A locked store is tried again for as long as others wait for it: 5 s. */
enum { RETRY_MS = 100, MAX_TRIES = 50 };

struct agent;
struct session;
struct turn;

/* A line that waits in its session. */
struct item {
	struct item *next;
	char *text;
	size_t len;
	struct lb_record record; /* parsed when it is a query */
	bool is_query;
	int64_t start_at; /* mono ms, when it asks to wait; or 0 */
	bool too_far;     /* ... longer than a record may */
};

/* What shares a key of order. Exists while it holds a line. */
struct session {
	struct agent *agent;
	char *name;
	struct item *first, *last;
	struct turn *turn;     /* of the first item, when it is in flight */
	struct lb_timer timer; /* not_before, or the store is locked */
	int tries;             /* at a locked store */
	bool is_ready;         /* in the list of those that may start */
	struct session *next_ready;
};

/* A reply of this turn of the loop, until the store has it. */
struct written {
	struct written *next;
	size_t at, len; /* in agent->pending */
	struct item *item;
};

struct agent {
	const struct lb_agent_options *options;
	struct lb_loop *loop;
	struct lb_llm *llm;
	struct lb_store *store;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_buf pending; /* output of this turn of the loop */
	struct written *written;
	struct lb_error store_error; /* code LB_OK: none in this turn */
	struct lb_map sessions, models;
	struct session *ready, **ready_end;
	struct lb_timer grace;
	long in_flight;
	size_t held, held_bytes; /* records in memory */
	int64_t next_expiry;     /* of old answers, mono ms */
	bool watching, ended, stopping, out_of_time;
	int code;
};

/* turn.c: begin the first item of a session. LB_AGAIN: the store is locked. */
int turn_start(struct session *session, struct lb_error *err);
void turn_cancel(struct turn *turn);

/* order.c: put a line where it belongs: into a session, or out. */
void order_line(struct agent *agent, const struct lb_line *line);
bool order_is_full(const struct agent *agent);

/* A session may start its next line, once there is room. */
void session_ready(struct session *session);
struct item *session_shift(struct session *session); /* its first line */
void session_free(struct session *session);
void item_free(struct item *item);

/* A line goes out as it came. */
void engine_pass(struct agent *agent, const char *text, size_t len);

/* The turn is over; its reply is at the end of agent->pending. */
void engine_finished(struct session *session, size_t reply_at);

/* What was written in this turn of the loop cannot be kept. */
void engine_store_failed(struct agent *agent, const struct lb_error *err);

/* A query that nothing can be done with: an error record. */
void engine_refuse(struct session *session, const struct lb_problem *problem);

/* runners.c */
struct runner {
	const char *name;
	/* Ask; events go to the turn. */
	int (*start)(struct turn *turn, struct lb_error *err);
};

const struct runner *runner_find(const char *name);

#endif
