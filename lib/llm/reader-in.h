/*
 * llm/reader-in.h - the inside of a reader: reader.c has the events, and
 * reader-feed.c the bytes they are made of.
 */
#ifndef LB_LLM_READER_IN_H
#define LB_LLM_READER_IN_H

#include "llm/calls.h"
#include "llm/reader.h"
#include "net/ndjson.h"
#include "net/sse.h"
#include "record/think.h"

struct lb_reader {
	const struct lb_protocol *protocol;
	lb_llm_fn *fn;
	void *arg;
	bool strict;
	enum { UNKNOWN, STREAM, VALUE } shape;
	struct lb_sse sse;
	struct lb_ndjson lines;
	struct lb_buf body; /* of one JSON value, or what came before */
	struct lb_buf mended;
	struct lb_think think;
	size_t total; /* bytes fed */
	bool over, done, warned;
	bool marked; /* a byte order mark was skipped */
	bool said;   /* text of the answer was emitted */
	bool framed; /* a frame was JSON */
	char *finish;
	struct lb_usage usage;
	struct lb_calls calls;
	void *state; /* of the protocol */
};

/* The answer is whole: all that is left, and END. */
void lb_reader_succeed(struct lb_reader *reader);

#endif
