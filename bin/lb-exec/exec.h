/* exec.h - what the files of lb-exec share. */
#ifndef LB_BIN_EXEC_H
#define LB_BIN_EXEC_H

#include "base/loop.h"
#include "base/prog.h"
#include "box/box.h"
#include "config/config.h"
#include "record/record.h"

struct options {
	const char *config, *session, *folder, *workdir, *profile, *network;
	const char *status_to, *require, *workspace;
	struct lb_list env, skills, mounts;
	int64_t timeout_ms, memory, quota, max_line;
	long pids, jobs, shown;
	const char *cpus;
	bool json, records, terminal, service, host, strict, bridge;
};

extern struct options options;

/* Ourselves, whatever became of our file or its name. */
#define EXEC_HELPER "/proc/self/exe"

/* What all of them need. */
struct work {
	struct lb_loop *loop;
	struct lb_config *config;
	char *state;
	struct lb_box *box;
	struct lb_box_skill *skills;
	size_t n_skills;
	struct lb_error refused; /* nothing is run, for this; or LB_OK */
};

/* What was asked for on the command line, as a request of spec.h; new. */
json_t *request_of_options(struct lb_error *err);
/* The skills of --skill NAME=DIR, resolved. LB_USAGE, LB_NOINPUT. */
int request_skills(struct work *work, struct lb_error *err);

/* The name of the profile that holds where a request names no limits. */
const char *request_profile(const struct work *work);
/* A request under a profile as a spec; what it was not given is in `notes`. */
int request_spec(struct work *work, const json_t *request, json_t *notes,
		 struct lb_box_spec *spec, struct lb_error *err);

/* The option that says a field of a request, such as "cpus"; NULL: none does. */
const char *option_of(const char *field, size_t len);
/* "field 'network' ..." of what the command line asked for: name the option. */
void blame_option(struct lb_error *err);

/* Keep what was done, for `lb-box audit`. `record` may be NULL. */
void request_audit(const struct work *work, const struct lb_box_spec *spec,
		   const json_t *record, const struct lb_box_result *result,
		   const struct lb_error *error);

/* What an error record says of such a failure. */
enum lb_code error_code(const struct lb_error *error);

/* Until it is taken back, standard input is raw, and *run (NULL: it ended)
 * hears of its size. */
void terminal_lend(struct lb_loop *loop, struct lb_box_run **run);
void terminal_take_back(struct lb_loop *loop);

/* Is what it writes kept, and not handed on as it comes? */
bool tell_captures(void);
/* Records: a result, without what was handed on; a failure. New. */
json_t *tell_result(const struct lb_box_result *result);
json_t *tell_error(const struct lb_error *error);
/* Write one; `where` is put before what it fails with, or NULL. 0, or -1: said
 * already. */
int tell_record(int fd, const json_t *record, const char *where);
/* To people. */
void tell_notes(const json_t *notes);
/* How it ended, on standard output and standard error; as tell_record(). */
int tell_end(const struct lb_box_spec *spec,
	     const struct lb_box_result *result);

/* What to exit with for a failure of ours: told from a command's own. */
int our_status(int code);

/* One command; what to exit with. */
int exec_one(struct work *work, char **argv);
/* `exec` records to `result` records. */
int exec_records(struct work *work);

#endif
