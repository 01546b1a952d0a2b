/* records.h - what the two files of lb-exec --records share. */
#ifndef LB_BIN_EXEC_RECORDS_H
#define LB_BIN_EXEC_RECORDS_H

#include "exec.h"
#include "record/filter.h"
#include "record/lanes.h"

struct job;

struct stream {
	struct work *work;
	json_t *usual; /* what the command line asked for */
	struct lb_lanes lanes;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_buf name; /* of the lane in question */
	unsigned long n; /* records without a session are lanes of their own */
	long running, most;
	struct job *jobs;
	bool watching, ended, stopping;
	int code;
};

struct job {
	struct stream *stream;
	struct lb_lane *lane;
	struct lb_box_spec spec;
	json_t *notes;
	int64_t ticket; /* of quotas */
	struct lb_box_run *run;
	struct job *next, **link; /* of those that run */
};

/*
 * The session a record names, and runs in: new, or NULL for none. What the
 * operator says of names counts more than what a record says. LB_DATA.
 */
int job_session(const struct stream *stream, const struct lb_record *r,
		char **session, struct lb_error *err);

/* Begin the first record of a lane, or answer it with an error. */
void job_start(void *stream, struct lb_lane *lane);

#endif
