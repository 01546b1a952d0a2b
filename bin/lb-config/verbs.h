/*
 * lb-config/verbs.h - the verbs, one file each, and what they share.
 */
#ifndef LB_CONFIG_VERBS_H
#define LB_CONFIG_VERBS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/prog.h"
#include "config/load.h"

int verb_init(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_get(int argc, char **argv);
int verb_set(int argc, char **argv);
int verb_unset(int argc, char **argv);
int verb_list(int argc, char **argv);
int verb_add(int argc, char **argv);
int verb_rm(int argc, char **argv);
int verb_env(int argc, char **argv);
int verb_describe(int argc, char **argv);
int verb_import(int argc, char **argv);

extern const struct lb_opt check_options[], get_options[], list_options[],
	env_options[], describe_options[], import_options[];

/* "bot", "bots", ... to "bots"; exits LB_USAGE for anything else. */
const char *section_named(const char *word);

/* The value with every secret that a key of the path holds hidden. */
json_t *masked(const char *path, const json_t *value);

/* Variables that are almost ours, and so set nothing: problems. env.c */
void env_check(struct lb_config *config);

/* Rules that would not work, looked for when all else is right. advice.c */
void check_rules(struct lb_config *config);

/* What works and is hardly what was meant, as warnings. advice.c */
void advise(struct lb_config *config);

/* Keys without effect while there is no sandbox; advise() calls it.
 * advise-box.c */
void advise_box(struct lb_config *config);

/* The same of models and tools; advise() calls it. advise-models.c */
void advise_models(struct lb_config *config);

/* Is there such a program, by its path or on PATH? advice.c */
bool is_program(const char *program);

/* The same of bots that had another name, as the store knows. renamed.c */
void advise_renamed(struct lb_config *config);

/* A URL without the user and password in it. Caller frees. */
char *without_user(const char *url, bool bare);

/* A config file that is being changed; the folder is locked until it ends. */
struct change {
	char *file;
	char *text; /* what it holds, "" when it is new */
	size_t len;
	int lock;
	struct lb_config *config; /* as it is now, without the environment */
};

#define autochange __attribute__((cleanup(change_end)))

/* Lock and read the file; it must be YAML, but may have other problems. */
int change_begin(struct change *c, struct lb_error *err);
void change_end(struct change *c);

/*
 * Check that `text` has no problem the file had not, write it in place of the
 * file, and tell of the problems that stay.
 */
int change_commit(struct change *c, const struct lb_buf *text,
		  struct lb_error *err);

/* Set a key in `text`; the value "-" is read from standard input. */
int change_set(const char *path, const char *value, struct lb_buf *text,
	       struct lb_error *err);

#endif
