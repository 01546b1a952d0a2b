/*
 * tool/python-job.h - the command that makes an environment. For this room.
 */
#ifndef LB_TOOL_PYTHON_JOB_H
#define LB_TOOL_PYTHON_JOB_H

#include <jansson.h>

#include "box/result.h"
#include "box/session.h"
#include "box/spec.h"
#include "config/config.h"
#include "tool/python-need.h"

struct lb_python_job {
	struct lb_config *config;
	const char *state;
	const char *name; /* of the skill */
	const char *session, *profile;
	const char *env; /* its folder, inside */
	struct lb_python_need need;
};

/* The session, which need not be there yet. */
int lb_python_session(const struct lb_python_job *job, struct lb_box_session *s,
		      struct lb_error *err);
/* What is asked of box/spec.h; new. */
json_t *lb_python_request(const struct lb_python_job *job,
			  struct lb_error *err);
/* Why it came to nothing, for a model: what pip said last; new. `error` as
 * struct lb_box_job has it. */
char *lb_python_why(const struct lb_python_job *job,
		    const struct lb_box_spec *spec,
		    const struct lb_box_result *r,
		    const struct lb_error *error);

#endif
