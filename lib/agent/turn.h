/*
 * agent/turn.h - one query on its way to its reply.
 */
#ifndef LB_AGENT_TURN_H
#define LB_AGENT_TURN_H

#include "agent/engine.h"

struct turn {
	struct lb_lane *session;
	const struct lb_record *query;   /* of the session's first item */
	const char *id, *bot, *pipeline; /* borrowed from it */
	const char *conversation;        /* what its history is called */
	const struct runner *runner;
	const struct lb_model *model; /* borrowed from the agent */
	struct lb_llm_call *call;
	json_t *messages;     /* prompt, history, user */
	int64_t history;      /* turns of it in there */
	struct lb_buf prefix; /* of every chunk, up to its seq */
	int64_t seq;
	int attempt;
	bool stream, too_long;
	struct lb_buf text; /* what the model said so far */
	size_t room;        /* what a reply's line has left for more */
	struct lb_usage usage;
	int64_t rounds;
};

/* The runner `local-agent`: one model, with history. */
int runner_local_start(struct turn *turn, struct lb_error *err);
/* It was too long for the model: ask again with half of the history. */
int runner_local_shorten(struct turn *turn, struct lb_error *err);

/* talks.c: a conversation that was silent for too long is over. */
int turn_end_idle(struct lb_lane *session, struct lb_error *err);
/* What the history of a query is called: as it says, else as its session. */
const char *turn_conversation(const struct lb_lane *session,
			      const json_t *query);

/* Events of the turn, in order; the last ends it. */
void turn_event(void *turn, const struct lb_llm_event *event);

/* spend.c: what it used counts in the limits of its pipeline. */
void turn_spend(struct turn *turn);

/* reply.c: the reply up to what is particular; ends with lb_put_end(). */
void turn_begin_reply(struct lb_buf *b, const struct lb_record *query);
void turn_put_reply(struct turn *turn, struct lb_buf *b);
/* The whole reply to a command. */
void turn_put_said(struct lb_buf *b, const struct lb_record *query,
		   const struct lb_buf *text);
/* A failure the user should hear of, to agent->pending; the words are
 * lb-wrap's. */
void turn_put_failed(struct turn *turn, enum lb_code code, const char *why);
/* Where agent->pending from `at` is no line that may be: an error instead. */
void turn_fit_reply(struct agent *agent, size_t at,
		    const struct lb_record *query);

#endif
