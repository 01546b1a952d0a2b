/* lb-skill - what its verbs share. */
#ifndef LB_SKILL_VERBS_H
#define LB_SKILL_VERBS_H

#include <jansson.h>

#include "base/error.h"
#include "base/prog.h"
#include "base/table.h"
#include "config/config.h"
#include "skill/index.h"
#include "skill/shelf.h"
#include "skill/source.h"

extern const struct lb_opt cat_options[], create_options[], edit_options[],
	files_options[], index_options[], install_options[], list_options[],
	preview_options[], rm_options[], serve_options[], show_options[],
	update_options[], validate_options[], verify_options[], write_options[];

int cat_verb(int argc, char **argv);
int create_verb(int argc, char **argv);
int edit_verb(int argc, char **argv);
int files_verb(int argc, char **argv);
int index_verb(int argc, char **argv);
int install_verb(int argc, char **argv);
int list_verb(int argc, char **argv);
int preview_verb(int argc, char **argv);
int rm_verb(int argc, char **argv);
int serve_verb(int argc, char **argv);
int show_verb(int argc, char **argv);
int update_verb(int argc, char **argv);
int validate_verb(int argc, char **argv);
int verify_verb(int argc, char **argv);
int write_verb(int argc, char **argv);

/* The configuration and the shelf it names. */
struct desk {
	struct lb_config *config;
	char *state;
	struct lb_shelf *shelf;
	struct lb_reach reach; /* once desk_reach() was called */
};

/* `file` is that of --config, or NULL. Close it whatever happened. */
int desk_open(struct desk *d, const char *file, struct lb_error *err);
void desk_close(struct desk *d);

/* A line for people, cleaned of what a terminal would obey, newlines too. */
void put_line(const char *text);

/*
 * What is wrong with a skill, on standard error: `where` is its SKILL.md. Only
 * what is at least of that grade.
 */
void warn_of(const char *where, const struct lb_skill *skill,
	     enum lb_skill_grade least);

/* The record of a skill, {"kind":"skill",...}; `from` is its member of
 * lock.json, or NULL. New. */
json_t *skill_record(const struct lb_shelved *one, const json_t *from);

/* What the configuration says of networks, in d->reach. */
int desk_reach(struct desk *d, struct lb_error *err);

/* How far a download is, on the terminal of standard error, once it takes its
 * time; bytes -1: it is over. */
void progress(const char *host, int64_t bytes);

/* lb_source_get(), with what the configuration says of networks. */
int desk_fetch(struct desk *d, struct lb_got *got, struct lb_source *s,
	       struct lb_error *err);

/* The same for what a person names, "-" for an archive at the standard input. */
int desk_get(struct desk *d, struct lb_got *got, const char *name,
	     struct lb_error *err);

/* An archive that was at the standard input. */
int desk_bytes(struct lb_got *got, const char *bytes, size_t len,
	       struct lb_error *err);

/* What became of one that was installed, or (`dry`) would become, which a table
 * for people says in other words; a record. New. */
json_t *install_record(const struct lb_shelf *shelf,
		       const struct lb_install_row *row, bool dry, bool people);

/* All skills, and those that a pipeline has. Close it whatever happened. */
struct room {
	json_t *known; /* of lock.json */
	struct lb_shelved_all all;
	struct lb_visible visible;
};

int room_open(struct room *room, struct desk *d, const char *pipeline,
	      struct lb_error *err);
void room_close(struct room *room);

/* What a model is told of them. */
void room_index(const struct desk *d, const struct room *room,
		struct lb_buf *out, struct lb_index_cut *cut);

/* A text in a file, or ("-") all of standard input; at most 1 MiB. */
int read_text(const char *path, char **text, size_t *len, struct lb_error *err);

/* All of standard input, at most `max` bytes. */
int read_input(size_t max, char **text, size_t *len, struct lb_error *err);

#endif
