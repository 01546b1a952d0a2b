/*
 * pipeline/wrap.h - what becomes of an answer before it is sent: lb-wrap.
 *
 * To its text, in this order: what the model thinks is taken out, words that
 * are not to be said are hidden (pipeline/said.h), a failure gets words, and
 * what is too long is cut or becomes something else (pipeline/long-text.h);
 * only here are parts made. Chunks go through the same, and joined they are
 * the text of the reply, or its beginning where that failed. Around the text:
 * who asked is named, and the message quoted. Then the answer may have to wait.
 */
#ifndef LB_PIPELINE_WRAP_H
#define LB_PIPELINE_WRAP_H

#include "base/buf.h"
#include "config/config.h"
#include "pipeline/output.h"
#include "pipeline/streams.h"
#include "record/aside.h"
#include "record/record.h"

struct lb_wrap {
	struct lb_config *config;
	struct lb_outputs outputs;
	struct lb_streams streams;
	struct lb_asides *asides; /* for a renderer; or NULL */
	json_t *empty; /* {code, message} of an answer that says nothing */
};

/* LB_CONFIG: a pipeline that is wrong. Release it then, too. */
int lb_wrap_open(struct lb_wrap *wrap, struct lb_config *config,
		 struct lb_error *err);
void lb_wrap_release(struct lb_wrap *wrap);

/* What comes of a reply, appended to out; `why` gets a few words on it. */
void lb_wrap_reply(struct lb_wrap *wrap, const struct lb_record *r,
		   struct lb_buf *out, struct lb_buf *why);

/* The same for a chunk. wrap-chunk.c */
void lb_wrap_chunk(struct lb_wrap *wrap, const struct lb_record *r,
		   struct lb_buf *out);

/*
 * One more chunk, with what was held back of the answer's text; not before
 * that time, unless it is 0. wrap-chunk.c
 */
void lb_wrap_tail(const struct lb_stream *s, const struct lb_record *reply,
		  size_t from, int64_t not_before, struct lb_buf *out);

#endif
