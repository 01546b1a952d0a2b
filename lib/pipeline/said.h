/*
 * pipeline/said.h - what an answer says, without what its pipeline takes out:
 * first what the model thinks, then words that are not to be said.
 *
 * A text that comes in pieces is given out as it comes: held back is what may
 * be the start of a tag or a word. So where a model leaves the opening tag out
 * of what it thinks, that has been given out when the closing one comes, which
 * alone is taken out then; of a whole text, all before it is.
 */
#ifndef LB_PIPELINE_SAID_H
#define LB_PIPELINE_SAID_H

#include "base/buf.h"
#include "pipeline/output.h"
#include "record/think.h"

struct lb_said {
	const struct lb_output *output;
	struct lb_think think;
	struct lb_words_stream words;
};

void lb_said_open(struct lb_said *s, const struct lb_output *output);
void lb_said_release(struct lb_said *s);

/* A piece, of whole characters; what may be said by then goes to out. */
void lb_said_feed(struct lb_said *s, const char *text, size_t len,
		  struct lb_buf *out);
/* The rest. */
void lb_said_end(struct lb_said *s, struct lb_buf *out);

/* A whole text. */
void lb_said_whole(const struct lb_output *output, const char *text, size_t len,
		   struct lb_buf *out);

#endif
