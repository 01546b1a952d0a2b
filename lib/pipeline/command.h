/*
 * pipeline/command.h - messages that are commands.
 *
 * A text is a command when it begins with one of `command.prefix`, directly
 * followed by the name of a command, and has no more words behind it than that
 * one takes. Anything else is a message, however it begins.
 *
 * What needs no conversation is answered here; the rest goes to lb-agent as a
 * query with `command`. A new command is one file and one line in the table of
 * command.c.
 */
#ifndef LB_PIPELINE_COMMAND_H
#define LB_PIPELINE_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"
#include "pipeline/pipeline.h"
#include "store/store.h"

/*
 * Make the commands of the configuration ready. LB_CONFIG: `command.hooks` or
 * `command.privilege` make no sense. What p says is borrowed.
 */
struct lb_commands *lb_commands_open(const struct lb_pipeline *p,
				     struct lb_error *err);
void lb_commands_close(struct lb_commands *commands);

/* Is it a command, whoever gives it? */
bool lb_message_is_command(struct lb_message *m);

/* What follows is for the files of the commands alone. */

struct lb_commands {
	struct lb_config *config;
	const char *config_file, *state; /* borrowed; may be NULL */
	bool enabled;
	const json_t *prefixes, *privileges, *hooks; /* borrowed */
	struct lb_store *store; /* opened when it is needed */
	struct {
		char *bot; /* NULL: not looked up yet */
		bool stopped;
		int64_t at; /* when that was, mono ms */
	} seen;
};

/* A command that was given. */
struct lb_call {
	struct lb_message *m;
	const char *prefix;
	const char *name;  /* as it is in the table, or among the hooks */
	json_t *args;      /* texts */
	struct lb_buf out; /* the answer */
};

struct lb_command {
	const char *name;
	int max; /* words it takes */
	enum {
		LB_FOR_ALL,
		LB_FOR_ADMINS,
		LB_ARGS_FOR_ADMINS, /* with words behind it */
	} who;
	/* Adds to call->out; NULL: lb-agent's. */
	int (*answer)(struct lb_call *call, struct lb_error *err);
};

extern const struct lb_command lb_commands_table[];

/* May the sender use it, as the configuration has it? */
bool lb_command_is_allowed(const struct lb_message *m, const char *name,
			   bool with_args);

/* Is it `start`, of somebody who may? */
bool lb_message_starts_bot(struct lb_message *m);

int lb_command_help(struct lb_call *call, struct lb_error *err);
int lb_command_version(struct lb_call *call, struct lb_error *err);
int lb_command_stop(struct lb_call *call, struct lb_error *err);
int lb_command_start(struct lb_call *call, struct lb_error *err);
int lb_command_reload(struct lb_call *call, struct lb_error *err);

/* Put where command.SECTION.NAME stands before err's text; -1. */
int lb_command_blame(const struct lb_commands *c, const char *section,
		     const char *name, struct lb_error *err);

/* A command of the operator's: a program. */
int lb_command_hook(struct lb_call *call, struct lb_error *err);
int lb_command_hooks_check(const struct lb_commands *c, struct lb_error *err);

#endif
