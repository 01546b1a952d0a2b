/*
 * config/config.h - the configuration of all programs.
 *
 * One file, the first found of $LB_CONFIG, $XDG_CONFIG_HOME/lb/config.yaml
 * (~/.config) and SYSCONFDIR/lb/config.yaml, then conf.d/NAME.yaml beside it
 * in the order of their names, then LB__SECTION__KEY and LangBot's bare
 * SECTION__KEY from the environment. None is needed. Nothing in the working
 * directory is ever read.
 *
 * Every key stands in one table (config/keys.h). A key that is in no table, a
 * value of the wrong type and a name of something not built fail the load with
 * LB_CONFIG and "file:line: why": a rule that is not understood must not be
 * left out in silence.
 */
#ifndef LB_CONFIG_CONFIG_H
#define LB_CONFIG_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct lb_config;

/*
 * NULL and LB_CONFIG, naming the first problem. `file` (an option's) is read
 * instead of the one found; NULL for that one.
 */
struct lb_config *lb_config_load(const char *file, struct lb_error *err);
void lb_config_close(struct lb_config *config);

/*
 * The value at a dotted path, or the table's default, or NULL. Borrowed until
 * the config closes. For llm.*, concurrency.* and the like.
 */
const json_t *lb_config_get(const struct lb_config *config, const char *path);
const char *lb_config_str(const struct lb_config *config, const char *path);
int64_t lb_config_int(const struct lb_config *config, const char *path);
/* A key of type duration, in ms. */
int64_t lb_config_ms(const struct lb_config *config, const char *path);
/* A key of type size, in bytes. */
int64_t lb_config_bytes(const struct lb_config *config, const char *path);

/*
 * One bot, pipeline or provider with all defaults filled in, borrowed; NULL
 * when there is none of that name. Bot "-" and pipeline "default" always
 * exist. Values of type duration are integer ms here.
 */
const json_t *lb_config_bot(struct lb_config *config, const char *name);
const json_t *lb_config_pipeline(struct lb_config *config, const char *name);
const json_t *lb_config_provider(struct lb_config *config, const char *name);
const json_t *lb_config_webhook(struct lb_config *config, const char *name);

/* Is there a profile of that name, built in or in box.profiles? */
bool lb_config_has_profile(const struct lb_config *config, const char *name);

/* What a webhook may want to hear of; NULL-ended. */
extern const char *const lb_webhook_events[];

/* {"name":{...}} as written in the file, for walking; never NULL, borrowed. */
const json_t *lb_config_section(const struct lb_config *config,
				const char *name);

/*
 * Put where the value of a key stands, and the key, before err's text:
 * "file:line: key: why". The code becomes LB_CONFIG; returns -1.
 */
int lb_config_blame(const struct lb_config *config, const char *path,
		    struct lb_error *err);

/* A file that the configuration names: a relative one is beside the main
 * file. Caller frees. */
char *lb_config_beside(const struct lb_config *config, const char *name);

/* http:// or https://, a host, no blanks: a base URL one can ask. */
bool lb_config_is_url(const char *text);

/* The presets of share/lb/providers.yaml; LB_NOINPUT or LB_DATA. New. */
json_t *lb_config_presets(struct lb_error *err);

/*
 * Those of them that may be meant: by `name` (or NULL), by what the providers
 * of the configuration start from, or by a variable that is set. New.
 */
json_t *lb_config_presets_of(const struct lb_config *config, const char *name,
			     struct lb_error *err);

/*
 * The preset of that name, or of that requester of LangBot's; NULL for none.
 * Borrowed; *own, if asked for, is its own name.
 */
const json_t *lb_config_preset(const json_t *presets, const char *name,
			       const char **own);

/*
 * The text a secret refers to: "env:NAME", "file:PATH" (its first line),
 * "cmd:COMMAND" (the first line it prints, by sh -c, within 10 s), else the
 * text itself. Made known to base/log so that it is never shown. Caller frees.
 */
char *lb_config_secret(const char *value, struct lb_error *err);

/* $LB_STATE, else $XDG_STATE_HOME/lb, else ~/.local/state/lb. Caller frees. */
char *lb_config_state(struct lb_error *err);

/*
 * The person at this machine: $USER, else the name of the user id, else "user";
 * looked up anew (the caller frees) or once for a configuration (borrowed).
 */
char *lb_config_login(void);
const char *lb_config_user(struct lb_config *config);

/* An environment variable; "" counts as unset. Borrowed. */
const char *lb_config_env(const char *name);

/*
 * The variables, "NAME=value", that set keys of a program of ours that asks for
 * no provider, no bot: what it needs to decide as we do. Borrowed; at most max.
 */
size_t lb_config_env_keys(const char **at, size_t max);

/*
 * Be of that workspace (`box.workspace`), as are the programs that are started
 * from here: in the environment, where nothing else sets it any more. Before the
 * configuration is loaded; NULL leaves all as it is. LB_USAGE: it is no name.
 */
enum { LB_CONFIG_WORKSPACE = 64 }; /* bytes */
int lb_config_workspace(const char *name, struct lb_error *err);
/* The same question alone; an empty name is for none. */
int lb_config_workspace_check(const char *name, struct lb_error *err);

/* base/path's lb_path_share() with $LB_SHARE. Caller frees. */
char *lb_config_share(const char *name);

/* Longest line in bytes: LB_MAX_LINE, else 16 MiB. */
int64_t lb_config_max_line(void);

#endif
