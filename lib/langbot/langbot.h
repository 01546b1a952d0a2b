/*
 * langbot/langbot.h - from what LangBot keeps to a configuration of ours.
 *
 * Its config.yaml and its SQLite database are read and never changed. What
 * has a place here becomes configuration; what has none is kept aside as it
 * was; each item is a line of the report, which says what was taken, what was
 * narrowed and how, and what was not taken and why. Nothing that is made so
 * gives a stranger more than our defaults do: what guards a pipeline or a bot
 * there and cannot guard it here keeps it from being taken at all.
 */
#ifndef LB_LANGBOT_LANGBOT_H
#define LB_LANGBOT_LANGBOT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "config/load.h"

/* Zeroed, then the first members set by the caller. */
struct lb_langbot {
	const char *dir; /* its data folder */
	const char *tmp; /* where a copy of the database may be for a while */
	/* What there is: names in it are not used again, and what it sets
	 * stays. */
	const struct lb_config *existing;

	json_t *out;    /* the configuration */
	json_t *kept;   /* what has no place in it: {"bots": [...], ...} */
	json_t *report; /* of {what, name, result, as?, why?} */

	json_t *settings; /* its config.yaml; {} when it has none */
	json_t *tables;   /* {"bots": [row...], ...} */
	json_t *presets;  /* our providers by name */
	json_t *names;    /* {"pipelines": {UUID: our name}, ...} */
};

/*
 * LB_NOINPUT: there is nothing of LangBot's; LB_DATA: it cannot be read;
 * LB_CONFIG: it keeps its data where this version cannot look.
 */
int lb_langbot_import(struct lb_langbot *in, struct lb_error *err);
void lb_langbot_release(struct lb_langbot *in);

#endif
