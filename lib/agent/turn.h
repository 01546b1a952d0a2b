/*
 * agent/turn.h - one query on its way to its reply.
 *
 * A turn asks the model, runs the tools it calls, and asks again, until it
 * calls none. Whatever it says on the way is the answer, joined by blank
 * lines.
 */
#ifndef LB_AGENT_TURN_H
#define LB_AGENT_TURN_H

#include "agent/active.h"
#include "agent/attach.h"
#include "agent/calls.h"
#include "agent/engine.h"
#include "agent/preload.h"
#include "agent/tools.h"
#include "llm/failover.h"

struct turn {
	struct lb_lane *session;
	const struct lb_record *query;   /* of the session's first item */
	const char *id, *bot, *pipeline; /* borrowed from it */
	const char *conversation;        /* what its history is called */
	const struct runner *runner;
	/* Borrowed from the agent, in the order in which they are asked. */
	struct lb_model *models[LB_FAILOVER_MODELS];
	size_t n_models;
	const struct lb_model *model; /* who answered last, else the first */
	json_t *passed;               /* who should have; or NULL */
	struct lb_failover *asked;    /* while it is under way */
	json_t *messages;             /* prompt, history, user */
	json_t *shown, *specs;        /* what the one who is asked gets */
	json_t *made;         /* what came of it: words, calls, results */
	int64_t history;      /* turns of it in there */
	bool plain;           /* local_plain() of them is shown */
	struct lb_buf prefix; /* of every chunk, up to its seq */
	int64_t seq;
	int attempt;
	bool stream, too_long;
	struct lb_buf text; /* what was said so far */
	struct lb_buf said; /* of it, in this round */
	size_t room;        /* what a reply's line has left for more */
	struct lb_usage usage;
	int64_t rounds;

	struct listing *listing; /* of tools, on their way */
	struct toolset tools;
	struct active active; /* skills */
	json_t *calls, *keep; /* of this round */
	struct work *works;   /* one a call */
	size_t n_works, left;
	struct lb_timer step, clock; /* the next round; the end of its time */
	json_t *repeats;             /* by key: what came of it, how often */
	int bad_rounds; /* in a row, with arguments that are no JSON */
	bool bad_call;
	const char *stop;  /* a limit that ends it after this round */
	const char *ended; /* what ended it instead of the model */
	struct tally tally;
	struct attach attach;
	struct preload preload;
};

struct asker turn_asker(const struct turn *turn);

/* The runner `local-agent`: one model, with history. */
int runner_local_start(struct turn *turn, struct lb_error *err);
/* Ask again, with what was made since. */
int runner_local_ask(struct turn *turn, struct lb_error *err);
/* Who answered is asked first from now on. */
void runner_local_answered(struct turn *turn, const struct lb_llm_event *event);
/* It was too long for the model: ask again with half of the history. */
int runner_local_shorten(struct turn *turn, struct lb_error *err);
/* It was refused: ask again without what may be why, once, if there is any. */
bool runner_local_may_simplify(const struct turn *turn);
int runner_local_simplify(struct turn *turn, struct lb_error *err);

/* talks.c: a conversation that was silent for too long is over. */
int turn_end_idle(struct lb_lane *session, struct lb_error *err);
/* What the history of a query is called: as it says, else as its session. */
const char *turn_conversation(const struct lb_lane *session,
			      const json_t *query);

/*
 * turn.c: the first item of a session is in hand. Closing gives it back as it
 * was.
 */
struct turn *turn_open(struct lb_lane *session, int attempt);
void turn_close(struct turn *turn);

/* The ends of a turn. */
void turn_answered(struct turn *turn);
void turn_failed(struct turn *turn, enum lb_code code, const char *why);

/* said.c: what is said, as chunks and for the reply. */
void turn_begin_chunks(struct turn *turn);
void turn_say(struct turn *turn, const char *text, size_t len);
void turn_think(struct turn *turn, const char *text, size_t len);
/* Tell which tools the model calls now. */
void turn_say_calls(struct turn *turn);

/* rounds.c: events of the model, in order. */
void turn_event(void *turn, const struct lb_llm_event *event);
/* What the model said in this round becomes a message, its calls with it. */
void turn_put_message(struct turn *turn);
/* All calls of the round have ended: go on when the loop turns. */
void turn_called(struct turn *turn);
/* Its time begins. */
void turn_begin_clock(struct turn *turn);
/* No event, answer or timer reaches it any more. */
void turn_be_still(struct turn *turn);

/* spend.c: what it used counts in the limits of its pipeline. */
void turn_spend(struct turn *turn);
/* What it cost so far, in millionths; 0: that is not known. */
int64_t turn_cost(const struct turn *turn);

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
