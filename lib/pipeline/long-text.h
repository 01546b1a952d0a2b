/*
 * pipeline/long-text.h - what becomes of an answer that is too long for a chat.
 */
#ifndef LB_PIPELINE_LONG_TEXT_H
#define LB_PIPELINE_LONG_TEXT_H

#include <stddef.h>

#include "base/buf.h"
#include "pipeline/output.h"
#include "pipeline/wrap.h"

enum {
	/* A picture of more than this is none that anybody reads. */
	LB_LONG_IMAGE_CHARS = 100000,
	LB_LONG_IMAGE_LINES = 256,
	LB_LONG_IMAGE_BYTES = 10 << 20,
	LB_LONG_RENDER_MS = 20 * 1000,
};

/*
 * What becomes of the text, and for LB_LONG_FORWARD, _IMAGE and _FILE the
 * component that stands for it, appended to `chain`. Pictures and files are
 * kept below $LB_STATE/media. A picture that cannot be had becomes a forwarded
 * message, a file that cannot be written becomes parts, with a warning. A
 * renderer works aside (record/aside.h).
 */
enum lb_long_text lb_long_text(const struct lb_output *o,
			       const struct lb_wrap *wrap, const char *text,
			       size_t len, struct lb_buf *chain);

#endif
