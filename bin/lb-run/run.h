/* lb-run - what its files share. */
#ifndef LB_RUN_H
#define LB_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/prog.h"

extern const struct lb_opt flow_options[], gc_options[], ingest_options[],
	start_options[], status_options[], tee_options[], worker_options[];

int flow_verb(int argc, char **argv);
int gc_verb(int argc, char **argv);
int ingest_verb(int argc, char **argv);
int start_verb(int argc, char **argv);
int status_verb(int argc, char **argv);
int tee_verb(int argc, char **argv);
int worker_verb(int argc, char **argv);

/* --- argv.c: command lines of the programs that we run --- */

/* Words, NULL-ended; grows as words are put in. */
struct words {
	char **at;
	size_t n;
};

void words_put(struct words *w, const char *word); /* copied */
void words_release(struct words *w);
/* As a shell reads them; a program without its folder. */
void words_print(const struct words *w, struct lb_buf *out);
/* NAME=text, for a shell. */
void words_print_one(const char *name, const char *text, struct lb_buf *out);

/* "lb-agent": the one beside this program, where there is one. */
void words_program(struct words *w, const char *name);
/* -c FILE, when one was given. */
void words_config(struct words *w, const char *config_file);

/* --- processes.c --- */

/* What `lb-box start` starts below us ends with us (LB_OWNER). */
int processes_own(struct lb_error *err);

/* --- steps.c: the programs of the flow --- */

enum { STEPS = 6 };

struct step {
	const char *name;
	bool drains;  /* it has records in its hand: --grace */
	bool stops;   /* a signal is passed on to it */
	bool lingers; /* it goes on when its output has ended */
};

extern const struct step steps[STEPS];

struct flow_plan {
	const char *config_file; /* or NULL */
	const char *tee;         /* folder, or NULL */
	int64_t grace;           /* ms */
	long text;               /* descriptor that adapters print to */
	bool no_queue;           /* nobody hands what fails in again */
	bool pushes, aggregates; /* are those steps of the flow? */
	bool resend;             /* send what may have been sent before */
};

bool step_is_used(const struct flow_plan *plan, int step);
void step_words(const struct flow_plan *plan, int step, struct words *w);
/* Where what is written before step `step` is kept. Caller frees. */
char *step_tee(const struct flow_plan *plan, int step);

#endif
