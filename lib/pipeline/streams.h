/*
 * pipeline/streams.h - answers that are on their way: what was given out of
 * each, so that the reply at its end says the same.
 *
 * A stream begins with chunk 0 and ends with its reply. Those whose end never
 * comes are forgotten an hour after their last chunk, and the one that has
 * been silent longest when there are too many, or too much was said in them.
 * What comes of a forgotten stream is not given out: its reply is.
 */
#ifndef LB_PIPELINE_STREAMS_H
#define LB_PIPELINE_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "pipeline/said.h"
#include "record/record.h"

enum {
	LB_STREAMS_MAX = 2000,
	LB_STREAMS_BYTES = 64 << 20,
	LB_STREAMS_SILENCE_MS = 60 * 60 * 1000,
};

struct lb_stream {
	struct lb_stream *prev, *next; /* in the order they were heard of */
	char *key;
	struct lb_said said;
	struct lb_buf text; /* what was given out */
	size_t came;        /* bytes of what the model said */
	uint64_t hash;      /* of those */
	int64_t seq;        /* of the last chunk */
	bool apart;         /* the last of `text` was put in, with a blank
			       line behind it */
	int64_t heard;      /* ms */
	int64_t not_before; /* when it may be seen, ms; 0: not said yet */
};

/* Zeroed memory is none. */
struct lb_streams {
	struct lb_map map;
	struct lb_stream *first, *last;
	size_t bytes;
};

/* What an answer is known by. An id alone may be another's: the session is
 * whose it is. */
void lb_stream_key(struct lb_buf *key, const struct lb_record *r);

/* A stream begins, maybe once more. */
struct lb_stream *lb_stream_open(struct lb_streams *all, const char *key,
				 const struct lb_output *output,
				 int64_t now_ms);
struct lb_stream *lb_stream_find(struct lb_streams *all, const char *key);
void lb_stream_close(struct lb_streams *all, struct lb_stream *s);
void lb_streams_release(struct lb_streams *all);

/*
 * More of it came; *from is where in s->text that begins which may be given
 * out now. False: there is too much already, and the stream is forgotten.
 */
bool lb_stream_feed(struct lb_streams *all, struct lb_stream *s,
		    const char *text, size_t len, size_t *from, int64_t now_ms);

/* Put in what the model did not say. */
void lb_stream_add(struct lb_streams *all, struct lb_stream *s,
		   const char *text, size_t len);

/*
 * The whole of what the model said, of which the chunks were the beginning:
 * s->text becomes the whole of what is said. False: they were not.
 */
bool lb_stream_end(struct lb_streams *all, struct lb_stream *s,
		   const char *text, size_t len);

#endif
