/*
 * pipeline/words.h - the words that a pipeline does not want to read or say.
 *
 * From `safety.content-filter`: the lists `words` and `words-file`, how they
 * are hidden (`mask`, `mask-word`) and where they count (`scope`). An entry
 * without any of \ ^ $ . | ? * + ( ) [ ] { } is a word, found wherever it
 * stands, its ASCII letters in either case; any number of them costs one pass
 * over the text. Any other entry is a pattern, as it is written.
 *
 * Patterns are bounded. They are looked for within a line, and in a line
 * longer than LB_WORDS_WINDOW characters within stretches of that length that
 * overlap by half. One that needs too much work on a text counts as "no
 * match", and so do all once a text cost 50 ms of the processor (and 50 ms
 * more for each 64 KiB): one warning a pattern.
 *
 * What overlaps is hidden as one. A text in pieces comes out as the whole
 * would, however it is cut; what is held back is at most a word's length or,
 * with patterns, the last line, of it at most 1.5 * LB_WORDS_WINDOW
 * characters.
 */
#ifndef LB_PIPELINE_WORDS_H
#define LB_PIPELINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"

enum { LB_WORDS_WINDOW = 1024 }; /* characters */

enum lb_words_side { LB_WORDS_IN, LB_WORDS_OUT };

struct lb_words;

/*
 * Those of a pipeline; with nothing to look for, it finds nothing. NULL and
 * LB_CONFIG, "file:line: key: why", for a pattern that is none, a file that
 * cannot be read, or more than is allowed.
 */
struct lb_words *lb_words_open(struct lb_config *config, const char *pipeline,
			       struct lb_error *err);
void lb_words_close(struct lb_words *w); /* may be NULL */

/* Is there something to look for in what comes in, or goes out? */
bool lb_words_apply(const struct lb_words *w, enum lb_words_side side);

/* The text, which is well-formed UTF-8, holds some. */
bool lb_words_found(struct lb_words *w, const char *text, size_t len);

/* Append the text with them hidden; says whether there were any. */
bool lb_words_mask(struct lb_words *w, const char *text, size_t len,
		   struct lb_buf *out);

/* What was found: bytes of `text`. */
struct lb_words_hit {
	size_t from, to;
	bool said; /* its mask-word was given out */
};

/* A text that comes in pieces. Zeroed before the first. */
struct lb_words_stream {
	struct lb_buf text; /* what may still matter */
	size_t given;       /* of it: given out */
	size_t seen;        /* of it: looked through for words */
	uint32_t state;
	size_t window;  /* where patterns are to be looked for next */
	size_t context; /* and what stands before that in its line */
	bool inner;     /* the line began before that */
	struct lb_words_hit *hits;
	size_t n_hits, room;
	bool found; /* something was hidden */
};

/*
 * A piece, of whole characters; what is certain by then is appended to out.
 * The end gives out the rest, and the stream may be used for another text.
 */
void lb_words_feed(struct lb_words *w, struct lb_words_stream *s,
		   const char *text, size_t len, struct lb_buf *out);
void lb_words_end(struct lb_words *w, struct lb_words_stream *s,
		  struct lb_buf *out);
void lb_words_stream_release(struct lb_words_stream *s);

#endif
