/*
 * platform/post.h - one part of an answer on its way over a network.
 *
 * What the ledger (store/ledger.h) has of it is looked up. Then it waits for
 * its time (platform/pace.h), is claimed in the ledger, and its adapter asks the
 * platform, once or several times: each is a step, and each answer is in the
 * ledger before the next. What may pass is tried again (platform/attempt.h);
 * meanwhile others go on. While it waits it is nobody's: a process that dies
 * then has sent nothing that one would have to wonder about.
 */
#ifndef LB_PLATFORM_POST_H
#define LB_PLATFORM_POST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/loop.h"
#include "net/http.h"
#include "platform/attempt.h"
#include "platform/limits.h"
#include "platform/pace.h"
#include "platform/send.h"
#include "store/ledger.h"

/* A bot on a network; opened when the first record needs it. */
struct lb_bot {
	struct lb_send *send;
	const struct lb_sink *sink;
	char *name;
	const json_t *conf; /* its part of the configuration */
	struct lb_limits limits;
	struct lb_pace pace;
	void *self;          /* the adapter's; NULL: it cannot send */
	struct lb_error why; /* ... because of this */
};

/* What the next transaction is to find out. */
enum lb_post_asks { LB_POST_WRITES, LB_POST_LOOKS, LB_POST_CLAIMS };

enum lb_post_phase {
	LB_POST_LEDGER, /* its row is written at the end of the turn */
	LB_POST_WAITS,  /* for its time, or for the adapter */
	LB_POST_ASKS,
};

struct lb_post {
	struct lb_bot *bot;
	struct lb_lane *lane;
	struct lb_delivery d;
	/* The adapter's: what is to be done, and where. */
	void *plan;
	size_t steps;
	char *chat; /* whose pace it keeps */
	bool group;
	bool light; /* the step keeps no pace of messages: it changes one */

	/* Ours. */
	enum lb_post_phase phase;
	struct lb_ledger_key key;
	char *key_id;
	json_t *ids; /* of each step that was answered: a text or a list */
	enum lb_ledger_state becomes;
	int was; /* what the ledger had */
	enum lb_post_asks claiming;
	int64_t again_at; /* mono ms: not before it is asked for once more */
	bool ours;        /* claimed */
	bool failed;
	struct lb_tries tries;
	struct lb_timer timer;
	struct lb_post *prev, *next; /* all of them */
	struct lb_post *next_op, *next_ask;
};

struct lb_network {
	/* NULL: it cannot send; LB_CONFIG. */
	void *(*open)(struct lb_bot *bot, struct lb_error *err);
	void (*close)(void *self);
	/*
	 * Set steps (0: there is nothing to send), chat and group. Fails for
	 * what cannot be sent, ever.
	 */
	int (*plan)(void *self, struct lb_post *post, struct lb_error *err);
	/*
	 * May the next step be asked for? It says whether that is `light`. If
	 * not, the adapter calls lb_post_go() later. May be NULL.
	 */
	bool (*ready)(void *self, struct lb_post *post);
	/*
	 * Ask for step json_array_size(post->ids); ends with
	 * lb_post_answer(), not before it returns.
	 */
	int (*ask)(void *self, struct lb_post *post, struct lb_error *err);
	/* Forget the plan, and the question under way. */
	void (*release)(void *self, struct lb_post *post);
	void (*chunk)(void *self, const struct lb_record *r);
	/* The record has its end, by a part or elsewhere. */
	void (*ended)(void *self, const char *id);
	/* It failed for now: it may come again, here or elsewhere. */
	void (*paused)(void *self, const char *id);
};

/*
 * The messages that show an answer while it is made, as the adapter writes
 * them: kept, so that it can change these and need not send others when the
 * answer comes from another process. As well as can be: a failure is not told.
 * An array, new; [] for none.
 */
void lb_bot_note_shown(struct lb_bot *bot, const char *id, const json_t *ids);
json_t *lb_bot_shown(struct lb_bot *bot, const char *id);

/* The adapter may be asked for the next step. */
void lb_post_go(struct lb_post *post);

/* The question under way is over and says nothing: ask this step anew. */
void lb_post_again(struct lb_post *post);

/*
 * How a step ended. OK: `take_id` names what was sent, a text or a list of
 * them. UNKNOWN ends the part, AGAIN is tried again here.
 */
void lb_post_answer(struct lb_post *post, const struct lb_answer *a,
		    json_t *take_id);

#endif
