/*
 * pipeline/wrap.h - what becomes of a reply before it is sent: lb-wrap.
 *
 * A failed reply gets words for its user or, where the pipeline hides
 * failures, becomes an error record. A long text is cut into parts; only here
 * are parts made.
 */
#ifndef LB_PIPELINE_WRAP_H
#define LB_PIPELINE_WRAP_H

#include "base/buf.h"
#include "config/config.h"
#include "record/record.h"

/* The output settings of a pipeline, read once. */
struct lb_output {
	char *pipeline;
	enum { LB_SHOW_HINT, LB_SHOW_ERROR, LB_HIDE } failures;
	char *hint;
	bool split;
	size_t threshold; /* code points */
	struct lb_output *next;
};

struct lb_wrap {
	struct lb_config *config;
	struct lb_output *outputs;
};

/* What comes of a reply, appended to out; `why` gets a few words on it. */
void lb_wrap_reply(struct lb_wrap *wrap, const struct lb_record *r,
		   struct lb_buf *out, struct lb_buf *why);
void lb_wrap_release(struct lb_wrap *wrap);

#endif
