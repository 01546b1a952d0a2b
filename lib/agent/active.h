/*
 * agent/active.h - the skills that are active in a conversation.
 *
 * What a model activates stays active for as long as the conversation lasts:
 * calls of tools say so to their providers, and where the history that a model
 * is shown does not hold the instructions any more, it gets them anew, as they
 * are now. From the call of `activate` until the answer is there, what the
 * skill says of tools (allowed-tools) is kept to.
 */
#ifndef LB_AGENT_ACTIVE_H
#define LB_AGENT_ACTIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct lb_provider_call;
struct tool;
struct turn;
struct work;

/* So many at a time; of more, those that were activated first are left. */
enum { ACTIVE_MAX = 8 };

struct active {
	json_t *names; /* those of the conversation, the oldest first; or NULL */
	bool changed;
	json_t *texts;  /* what `activate` answers now: [{"name","text"}] */
	json_t *in_use; /* this turn's: [{"name","tools"}], tools null: any */
	struct {
		struct turn *turn;
		struct lb_provider_call *call;
		char *name;
	} asked[ACTIVE_MAX]; /* whose instructions are on their way */
	int left;
	void (*done)(struct turn *turn);
};

/* Those of the conversation. */
int active_load(struct turn *turn, struct lb_error *err);
/* Get their instructions; done() once they are there, or cannot be had. False:
 * there is nothing to wait for, and nothing is called. */
bool active_start(struct turn *turn, void (*done)(struct turn *turn));
void active_cancel(struct turn *turn);
/* What the history does not hold, to the messages before it. */
void active_put(const struct turn *turn, const json_t *history,
		json_t *messages);

/* Is that the tool that activates one? */
bool active_is_by(const char *source, const char *own);
/* One was activated: what the tool answered. */
void active_note(struct turn *turn, const json_t *content);
/* For as long as the conversation lasts. */
int active_keep(struct turn *turn, int64_t conversation, struct lb_error *err);

/* May the tool be called so? What hinders it is added to `why`. allowed.c */
bool active_allows(const struct turn *turn, const struct tool *tool,
		   const json_t *arguments, struct lb_buf *why);

void active_release(struct active *active);

#endif
