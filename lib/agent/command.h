/*
 * agent/command.h - commands that touch a conversation, a model or tools.
 *
 * lb-pipeline has recognised and allowed them; here they run in the session's
 * order, in the transaction that keeps their answer, without a model. A new
 * command is one file and one line in the table of command.c.
 */
#ifndef LB_AGENT_COMMAND_H
#define LB_AGENT_COMMAND_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/engine.h"
#include "base/buf.h"

/* A command under way. */
struct order {
	struct agent *agent;
	const json_t *query;
	const char *session, *conversation, *bot, *pipeline;
	const char *args[4]; /* NULL behind the last */
	struct lb_buf said;  /* the answer */
};

/* Adds to order->said; fails only when the store does. */
typedef int command_fn(struct order *o, struct lb_error *err);

struct command {
	const char *name;
	command_fn *run;
};

/* NULL: there is none of that name. */
const struct command *command_find(const char *name);

/*
 * Run the command of the first query of the session; its reply goes out. One
 * that has to know what the providers offer may wait for that first.
 */
void command_start(struct lb_lane *session, int attempt);

command_fn command_new, command_reset, command_list, command_switch,
	command_last, command_next, command_del, command_undo, command_prompt,
	command_model, command_usage, command_tools, command_skills;

/* The conversations of the session with the pipeline, newest first. */
struct talk {
	int64_t id, created, turns;
	bool in_use;
};

struct talks {
	struct talk *at;
	size_t n;
};

int talks_load(const struct order *o, struct talks *talks,
	       struct lb_error *err);
void talks_release(struct talks *talks);
/* The place of the one in use; talks->n: there is none. */
size_t talks_used(const struct talks *talks);
/*
 * The place that `text` says, counted from 1 as `list` shows it; -1 where it is
 * none, and the user was told.
 */
long talks_place(struct order *o, const struct talks *talks, const char *text);
/* A line about one: its number, when it began, how it began. */
int talks_line(struct order *o, const struct talks *talks, size_t at,
	       struct lb_error *err);

/* Say a notice; then name, value, ..., NULL. */
#define say(o, ...)                                                            \
	lb_notice_put(&(o)->said, (o)->agent->options->config, __VA_ARGS__)

#endif
