/* lb-box - what its verbs share. */
#ifndef LB_BOX_BOX_VERBS_H
#define LB_BOX_BOX_VERBS_H

#include "base/error.h"
#include "base/prog.h"
#include "store/store.h"

extern const struct lb_opt audit_options[], pending_options[], decide_options[],
	doctor_options[], delete_options[], attach_options[], keep_options[],
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
int delete_verb(int argc, char **argv);
int deny_verb(int argc, char **argv);
int doctor_verb(int argc, char **argv);

/*
 * The store, and in it what was written until now: 1 and *take, 0 when nothing
 * was ever stored there (no database is made for a look), -1 failed.
 */
int box_store(struct lb_store **take, struct lb_error *err);

#endif
