/*
 * pipeline/stages.h - what a message passes on its way through lb-pipeline. A
 * new stage is one file with one function and one line in the table of
 * stages.c.
 */
#ifndef LB_PIPELINE_STAGES_H
#define LB_PIPELINE_STAGES_H

#include "pipeline/pipeline.h"

struct lb_stage {
	const char *name;
	enum lb_verdict (*run)(struct lb_message *m, struct lb_error *err);
};

extern const struct lb_stage lb_stages[]; /* ends with a nameless one */

enum lb_verdict lb_stage_accept(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_route(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_respond(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_stopped(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_access(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_limit(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_filter(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_command(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_prepare(struct lb_message *m, struct lb_error *err);

/* What was forwarded, as a model is told: who said what, a line each. */
void lb_forward_put(struct lb_buf *out, const json_t *part);

#endif
