/*
 * config/load.h - the inside of a configuration, for this room and lb-config.
 *
 * Loading goes on after a problem and gathers all of them; lb_config_load()
 * fails with the first, `lb-config check` shows each.
 */
#ifndef LB_CONFIG_LOAD_H
#define LB_CONFIG_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "config/yaml.h"

enum lb_problem_level {
	LB_PROBLEM,         /* the load fails */
	LB_PROBLEM_WARNING, /* every program says it */
	LB_PROBLEM_ADVICE,  /* lb-config check says it */
};

struct lb_finding {
	enum lb_problem_level level;
	char *where; /* "file:line" or "environment NAME" */
	char *text;
};

struct lb_config {
	char *file;      /* the main file, or where it would be */
	json_t *all;     /* merged; the sections without names have defaults */
	json_t *origins; /* path of a key to "file:line", "environment NAME" */
	json_t *places;  /* "bots.NAME" and the like to "file:line" */
	json_t *full;    /* "bots.NAME" to what lb_config_bot() returns */
	json_t *texts;   /* of notices, by language */
	char *user;      /* who is at this machine; NULL until asked for */
	struct lb_finding *problems;
	size_t n_problems;
};

/* What is loaded. All zero: what lb_config_load() loads. */
struct lb_sources {
	const char *file; /* this main file instead of the one found */
	const char *text; /* and this text in place of what it holds */
	size_t len;
	bool no_environment;
};

/* Load, never NULL; see the problems. */
struct lb_config *lb_config_gather(const struct lb_sources *from);

/* The first problem that fails the load as LB_CONFIG; 0 when there is none. */
int lb_config_verdict(const struct lb_config *config, struct lb_error *err);

void lb_config_problem(struct lb_config *config, enum lb_problem_level level,
		       const char *where, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Providers that cannot be used: of a preset that is none, or without an
 * endpoint. Not part of loading, which reads no presets. presets.c
 */
void lb_config_check_providers(struct lb_config *config);

/* Webhooks that cannot be told of anything; part of loading. webhooks.c */
void lb_config_check_webhooks(struct lb_config *config);

/* People who are not BOT:person_ID, or of no bot; part of loading. people.c */
void lb_config_check_people(struct lb_config *config);

/* What is said of the sandbox and cannot be; part of loading. box.c */
void lb_config_check_box(struct lb_config *config);

/* Is there a bot of that name, or may the environment make it? people.c */
bool lb_config_has_bot(const struct lb_config *config, const char *name);

/* Languages and notices of which there are no texts: advice, not part of
 * loading, which reads no texts. languages.c */
void lb_config_check_languages(struct lb_config *config);

/* Take the values of a file; `exposed`: others may read it. layer.c */
void lb_config_layer(struct lb_config *config, const struct lb_yaml *root,
		     const char *file, bool exposed);

/* Take the values of the environment. env.c */
void lb_config_environment(struct lb_config *config);

/* Which key an environment variable sets, or NULL. Caller frees. env.c */
char *lb_config_env_key(const struct lb_config *config, const char *name);

/*
 * The main file: $LB_CONFIG, else the first there is, else NULL with *fresh
 * (may be NULL) where one would be made. Both are the caller's. env.c
 */
char *lb_config_find(char **fresh);

/*
 * The value at a path with defaults, durations as written; a new reference
 * or NULL.
 */
json_t *lb_config_value(struct lb_config *config, const char *path);

/* "file:line", "environment NAME", "default", or NULL for no value. */
const char *lb_config_origin(const struct lb_config *config, const char *path);

#endif
