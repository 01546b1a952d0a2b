/*
 * box/admit.h - what a caller may ask for in a workspace (`box.workspace`).
 *
 * Its operator decides alone who it is, what it has paid for and within what
 * limits it runs: a caller, be it a record, a model or whoever types for one of
 * many, gets the profile it is given, without a network, and files of its own
 * and no others. Without a workspace all of this says yes.
 */
#ifndef LB_BOX_ADMIT_H
#define LB_BOX_ADMIT_H

#include <jansson.h>

#include "base/error.h"
#include "box/box.h"
#include "config/config.h"

struct lb_box_driver; /* driver.h */

/* The workspace in force, borrowed; NULL: none is. */
const char *lb_box_workspace(const struct lb_config *config);

/* `box.skills_mode`, "ro" instead of "rw" in a workspace: what one tenant wrote
 * would be another's. */
const char *lb_box_skills_mode(const struct lb_config *config);

/*
 * A request as it was written (box/spec.h): LB_DENIED names a member that is the
 * host's to set, or a network. For lb_box_profile_apply().
 */
int lb_box_admit_request(const struct lb_config *config, const json_t *request,
			 struct lb_error *err);

/* What is to be run, and by what, whoever made it: LB_DENIED says what it may not
 * have. For lb_box_start(). */
int lb_box_admit_job(struct lb_config *config, const char *state,
		     const struct lb_box_job *job,
		     const struct lb_box_driver *driver, struct lb_error *err);

#endif
