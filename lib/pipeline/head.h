/*
 * pipeline/head.h - what is around an answer's text, and when it is sent.
 */
#ifndef LB_PIPELINE_HEAD_H
#define LB_PIPELINE_HEAD_H

#include "base/buf.h"
#include "pipeline/output.h"
#include "record/record.h"

/*
 * The components before the text of an answer to r, without brackets: a Quote
 * of the message, an At of who asked. Nothing for what goes to a target.
 */
void lb_head_put(struct lb_buf *b, const struct lb_output *o,
		 const struct lb_record *r);

/*
 * When an answer that may go now is to be sent, ms since the epoch: not before
 * r says. 0: there is nothing to wait for.
 */
int64_t lb_head_delay(const struct lb_output *o, const struct lb_record *r,
		      int64_t now_ms);

/*
 * The line of an answer that says that these tools (an array of names, by the
 * model) were called; nothing for none.
 */
void lb_head_calls(struct lb_buf *b, struct lb_config *config,
		   const json_t *names);

#endif
