/* lb-tool - what its verbs share. */
#ifndef LB_TOOL_LB_TOOL_H
#define LB_TOOL_LB_TOOL_H

#include <jansson.h>

#include "base/error.h"
#include "base/prog.h"
#include "box/session.h"
#include "config/config.h"
#include "pipeline/policy.h"
#include "provider/server.h"
#include "tool/place.h"

extern const struct lb_opt list_options[], call_options[], serve_options[];

int list_verb(int argc, char **argv);
int call_verb(int argc, char **argv);
int serve_verb(int argc, char **argv);

/* Where a call works, and what has to be open for that. */
struct tool_place {
	struct lb_place place;
	struct lb_box_session session;
	int folder; /* of -w, or -1 */
};

/* A folder of the person at this machine. LB_NOINPUT, LB_DENIED. */
int place_of_folder(struct tool_place *p, const char *folder,
		    struct lb_error *err);

/* The workspace of a session, by its name, under a profile's quota. */
int place_of_session(struct tool_place *p, struct lb_config *config,
		     const char *state, const char *profile, const char *name,
		     struct lb_error *err);
void place_release(struct tool_place *p);

/*
 * May the job's tool be used by whom it is for, and in which session? The
 * session's name is the caller's to free. LB_DENIED says why not.
 */
int asked_policy(struct lb_config *config, const struct lb_job *job,
		 struct lb_policy *policy, char **session,
		 struct lb_error *err);

#endif
