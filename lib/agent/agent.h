/*
 * agent/agent.h - lb-agent: queries in, answers out, many at once.
 *
 * One thread, one loop. Within a session everything keeps its order: a line
 * that waits behind a query in flight is held; every other goes out at once.
 * At most 4 N records are held, then reading stops. A reply leaves only after
 * the transaction that stored it.
 *
 *     engine.c   the turn of the loop: start, store, write
 *     order.c    queries and their sessions, in record/lanes.h
 *     turn.c     one query: its beginning, its end, its history
 *     said.c     what is said while the answer is made
 *     reply.c    the words in which it ends
 *     runners.c  the table of runners
 *     local.c    the runner local-agent
 *     rounds.c   the model, its calls, the model again
 *     calls.c    the calls of a round
 *     result.c   what a call came to, as the model is told
 *     tools.h    which tools there are, and for whom
 *     preload.h  resources that are in each prompt
 *     attach.h   files of a message and of an answer
 */
#ifndef LB_AGENT_AGENT_H
#define LB_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"

struct lb_agent_options {
	struct lb_config *config;
	const char *config_file; /* that an option named; or NULL */
	const char *state;       /* the folder of the store */
	const char *model;       /* asked instead of the pipeline's; or NULL */
	long jobs;               /* conversations at once */
	bool stream;             /* stream every answer */
	size_t max_line;
	int64_t grace_ms; /* for what is in flight when a signal comes */
};

/*
 * Standard input to standard output, to the end. Returns what to exit with;
 * does not return when the reader left or a signal ended it.
 */
int lb_agent_run(const struct lb_agent_options *options);

#endif
