/* lb-tool - what its verbs share. */
#ifndef LB_TOOL_LB_TOOL_H
#define LB_TOOL_LB_TOOL_H

#include <jansson.h>

#include "base/error.h"
#include "base/prog.h"
#include "box/session.h"
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

/*
 * The workspace of a session, by its name as lb-exec takes it, with the quota
 * that a profile (NULL: the configured one) gives it.
 */
int place_of_session(struct tool_place *p, struct lb_config *config,
		     const char *name, const char *profile,
		     struct lb_error *err);
void place_release(struct tool_place *p);

/*
 * The same for whoever's call it is, if policy says that the tool is for that
 * one: LB_DENIED, LB_DATA when the context does not say enough.
 */
int context_place(struct tool_place *p, struct lb_config *config,
		  const json_t *context, const char *tool,
		  struct lb_error *err);

/* What is kept of a call. */
struct tool_call {
	const char *tool;
	const json_t *arguments, *context; /* either may be NULL */
	const char *session;               /* whose workspace, or NULL */
	int64_t began;                     /* mono ms */
};

/* A row of the audit: its result, or (NULL) why it was not run. */
void context_audit(const struct tool_call *call, const json_t *result,
		   const struct lb_error *why);

#endif
