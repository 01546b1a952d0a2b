/*
 * llm/reader.h - from the bytes of an answer to neutral events.
 *
 * Takes a stream in the protocol's framing or one JSON value, whichever comes,
 * cut anywhere; an answer's content type is not believed. Frames that are no JSON are skipped
 * with one warning. <think> blocks in the text become reasoning. Exactly one
 * END or FAILED is emitted, last. Bounded: 16 MiB an event, 64 MiB in all.
 */
#ifndef LB_LLM_READER_H
#define LB_LLM_READER_H

#include "llm/protocol.h"

struct lb_reader *lb_reader_open(const struct lb_protocol *protocol,
				 bool strict, lb_llm_fn *fn, void *arg);
void lb_reader_close(struct lb_reader *reader);

/* -1 when it is over and no more bytes are wanted. */
int lb_reader_feed(struct lb_reader *reader, const char *data, size_t len);

/*
 * The bytes ended. `why` NULL: as they should; else the connection broke for
 * that reason and with that code, which counts only if the answer is not whole.
 */
void lb_reader_finish(struct lb_reader *reader, enum lb_code code,
		      const char *why);

/* END or FAILED was emitted. */
bool lb_reader_is_over(const struct lb_reader *reader);
/* A finish reason was seen; only usage may follow. */
bool lb_reader_has_finish(const struct lb_reader *reader);

/* ---- for the protocols ---- */

void lb_reader_text(struct lb_reader *reader, const char *text, size_t len);
void lb_reader_reasoning(struct lb_reader *reader, const char *text,
			 size_t len);
void lb_reader_usage(struct lb_reader *reader, struct lb_usage usage);
void lb_reader_set_finish(struct lb_reader *reader, const char *reason);
/* The peer says that this was all of it; nothing after it counts. */
void lb_reader_end(struct lb_reader *reader);
/* End as failed. status: HTTP, or what the error object says; 0 unknown. */
void lb_reader_fail(struct lb_reader *reader, enum lb_code code, int status,
		    const char *message);

/*
 * A piece of a tool call. `index` -1 when the peer gave none, then `position`
 * in its array counts if several came together. id, name and arguments may be
 * NULL. Assembled calls are emitted before END.
 */
struct lb_call_piece {
	int64_t index;
	size_t position, together;
	const char *id, *name;
	const char *arguments;
	size_t arguments_len;
	bool whole; /* it is all of the call, whatever came of it before */
};

/* The id of the call it went to, borrowed until the next; NULL: refused. */
const char *lb_reader_tool(struct lb_reader *reader,
			   const struct lb_call_piece *piece);
/* Was a call of a tool seen? */
bool lb_reader_has_calls(const struct lb_reader *reader);

/* The protocol's own memory, zeroed at first. */
void *lb_reader_state(struct lb_reader *reader);

/* ---- what their decoders share ---- */

/* Counters come as integers, reals or text. -1: there is none, or one that
 * cannot be. */
int64_t lb_reader_count(const json_t *o, const char *key);
/* Text at a key, if there is any. */
void lb_reader_text_at(struct lb_reader *reader, const json_t *o,
		       const char *key);
void lb_reader_reasoning_at(struct lb_reader *reader, const json_t *o,
			    const char *key);
/* End as failed for what an error object says. */
void lb_reader_refused(struct lb_reader *reader, const json_t *error);

#endif
