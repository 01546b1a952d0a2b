/* lb-box - what its verbs share. */
#ifndef LB_BOX_BOX_VERBS_H
#define LB_BOX_BOX_VERBS_H

#include "base/error.h"
#include "base/prog.h"
#include "config/config.h"
#include "store/store.h"

extern const struct lb_opt audit_options[], pending_options[], decide_options[],
	doctor_options[], delete_options[], create_options[], reap_options[],
	sessions_options[], status_options[], errors_options[],
	metrics_options[], meter_options[], attach_options[], keep_options[],
	logs_options[], ps_options[], start_options[], stop_options[];

int attach_verb(int argc, char **argv);
int audit_verb(int argc, char **argv);
int keep_verb(int argc, char **argv);
int logs_verb(int argc, char **argv);
int ps_verb(int argc, char **argv);
int start_verb(int argc, char **argv);
int stop_verb(int argc, char **argv);
int pending_verb(int argc, char **argv);
int approve_verb(int argc, char **argv);
int create_verb(int argc, char **argv);
int delete_verb(int argc, char **argv);
int deny_verb(int argc, char **argv);
int doctor_verb(int argc, char **argv);
int errors_verb(int argc, char **argv);
int gc_verb(int argc, char **argv);
int meter_verb(int argc, char **argv);
int metrics_verb(int argc, char **argv);
int reap_verb(int argc, char **argv);
int sessions_verb(int argc, char **argv);
int status_verb(int argc, char **argv);

/* --workspace of all verbs: whose sandboxes they look after. */
extern const char *box_workspace;
#define BOX_WORKSPACE                                                          \
	{                                                                      \
		.name = "workspace", .arg = "NAME",                            \
		.help = "of that one's sandboxes alone",                       \
		.text = &box_workspace                                         \
	}

/*
 * The configuration, in which box.workspace is what --workspace says. NULL:
 * LB_USAGE, or as lb_config_load() has it.
 */
struct lb_config *box_config(const char *file, struct lb_error *err);

/* The workspace in force, as that last said: NULL is none, and all of them. */
const char *box_whose(void);

/*
 * The store, and in it what was written until now: 1 and *take, 0 when nothing
 * was ever stored there (no database is made for a look), -1 failed. Reads the
 * configuration for box_whose().
 */
int box_store(struct lb_store **take, struct lb_error *err);

/* Why a row of the audit is a failure, one of these words; NULL: it is none. A
 * command that ends with a status of its own is none. */
extern const char *const error_classes[];
const char *error_class(const json_t *row);

/* What there is to know before sandboxes are looked at. */
struct box_place {
	struct lb_config *config;
	char *state;
};

/* `config_file` NULL: the one there is. Release it if this returns 0. */
int box_place(struct box_place *p, const char *config_file,
	      struct lb_error *err);
void box_place_release(struct box_place *p);

#endif
