/*
 * pipeline/policy.h - where a tool of the sandbox may run for somebody.
 *
 * Three questions, each a key of the pipeline: where do commands run
 * (sandbox-mode), which tools are there and for whom (grants.h), and may a call
 * of exec have more than others (elevated). Whoever runs tools asks before each
 * call, whatever was listed: a model may call what it was not offered.
 */
#ifndef LB_PIPELINE_POLICY_H
#define LB_PIPELINE_POLICY_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"

enum lb_policy_place { LB_IN_SANDBOX, LB_ON_HOST };

struct lb_policy_call {
	const char *tool; /* by its own name: "exec" */
	bool elevated;    /* it asks for more than others get */
};

struct lb_policy {
	enum lb_policy_place place;
	/* Whose limits it gets (box/profile.h). Borrowed from the config. */
	const char *profile;
	bool ask; /* somebody must approve it first (store/approval.h) */
};

/*
 * May this run for whom the context (lb-provider(7)) says? -1: LB_DENIED, and
 * a text that tells a model and its operator why not. Only exec can be elevated
 * or run on the host; the file tools stay where the workspace is.
 */
int lb_policy_decide(struct lb_config *config, const json_t *context,
		     const struct lb_policy_call *call,
		     struct lb_policy *policy, struct lb_error *err);

/*
 * Is it there for anybody in the context's pipeline, and where would it run?
 * For lists, which are kept for a pipeline: whom it is for is asked at each
 * call.
 */
bool lb_policy_lists(struct lb_config *config, const json_t *context,
		     const char *tool, enum lb_policy_place *place);

#endif
