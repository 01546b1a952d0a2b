/* lb-session - what its verbs share. */
#ifndef LB_SESSION_SESSION_H
#define LB_SESSION_SESSION_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/prog.h"
#include "store/conversation.h"
#include "store/store.h"

extern const struct lb_opt list_options[], show_options[], reset_options[],
	export_options[], erase_options[];

int list_verb(int argc, char **argv);
int show_verb(int argc, char **argv);
int reset_verb(int argc, char **argv);
int export_verb(int argc, char **argv);
int erase_verb(int argc, char **argv);

/*
 * The store: 1 and *take, 0 when nothing was ever stored there (no database is
 * made for a look), -1 failed.
 */
int session_store(struct lb_store **take, struct lb_error *err);

/* "person_ann" is short for "-/person_ann". Caller frees. */
char *session_name(const char *text);

/* LB_NOINPUT: "there is no session 'x'". */
int session_unknown(const char *name, struct lb_error *err);

/*
 * The conversations of a session (NULL: of all), oldest first, as objects
 * {conversation, session, bot, pipeline, created, updated, turns, in_use}; with `all`
 * also those no longer in use. *known is set when there is any at all.
 */
json_t *session_conversations(struct lb_store *store, const char *session,
			      bool all, bool *known, struct lb_error *err);

/* Write the turns of one of these, a JSON line each. */
int session_write_turns(struct lb_store *store, const json_t *conversation,
			struct lb_error *err);

#endif
