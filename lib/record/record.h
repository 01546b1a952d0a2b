/*
 * record/record.h - one record: its bytes, its value, its members.
 *
 * Read as CONTRACTS has it: bad UTF-8 and lone surrogates are repaired to
 * U+FFFD and the repaired bytes go on; whole numbers beyond 64 bits are read
 * as reals and their bytes go on untouched; a top-level key twice, or a `kind`
 * spelled with escapes, is malformed; a NUL inside a string reads as U+FFFD.
 *
 * A record that comes of another is made by splicing: the members' own bytes
 * are copied, so numbers and unknown members never change.
 */
#ifndef LB_RECORD_RECORD_H
#define LB_RECORD_RECORD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "record/code.h"
#include "record/scan.h"

/* Zeroed before first use; parse again and again, release once. */
struct lb_record {
	const char *text; /* borrowed from the line, or from `repaired` */
	size_t len;
	json_t *json; /* an object; owned */
	struct lb_members members;
	struct lb_buf repaired;
};

/* `text` must outlive the record. LB_DATA: not one JSON object. */
int lb_record_parse(struct lb_record *r, const char *text, size_t len,
		    struct lb_error *err);
void lb_record_release(struct lb_record *r);

/*
 * Any JSON value with the same second tries; `mended` is scratch memory. New,
 * or NULL when it is none.
 */
json_t *lb_record_load(const char *text, size_t len, struct lb_buf *mended);

/* The record a log line is about; borrowed from r. */
struct lb_subject lb_record_subject(const struct lb_record *r);

/*
 * Begin a record of `kind` in b with all members of r but `kind` and those
 * named in `without` (NULL-ended). Go on with lb_put_*(), end with
 * lb_put_end().
 */
void lb_splice(struct lb_buf *b, const struct lb_record *r, const char *kind,
	       const char *const *without);

/* Begin one with only the members named in `with`. */
void lb_pick_members(struct lb_buf *b, const struct lb_record *r,
		     const char *kind, const char *const *with);

void lb_put_begin(struct lb_buf *b, const char *kind);
void lb_put_str(struct lb_buf *b, const char *key, const char *text);
void lb_put_strn(struct lb_buf *b, const char *key, const char *text,
		 size_t len);
void lb_put_int(struct lb_buf *b, const char *key, int64_t v);
void lb_put_bool(struct lb_buf *b, const char *key, bool v);
void lb_put_json(struct lb_buf *b, const char *key, const json_t *v);
/* `raw` is JSON already. */
void lb_put_raw(struct lb_buf *b, const char *key, const char *raw, size_t len);
void lb_put_end(struct lb_buf *b); /* the brace and the newline */

/* What every record may carry, `chain` left out; NULL-ended. */
extern const char *const lb_common_keys[];

/* What an error record says beyond the record it is about. */
struct lb_problem {
	const char *stage; /* the program or stage that failed */
	enum lb_code code;
	const char *message;
	bool retryable;
	int sent_parts;     /* -1: not said */
	const char *behind; /* the id that is to be tried before it; or NULL */
};

/*
 * An error record about r, which is kept in it; over 64 KiB only its common
 * keys are, with "cut":true. Common keys over 4 KiB are left out.
 */
void lb_put_error(struct lb_buf *b, const struct lb_record *r,
		  const struct lb_problem *p);

/* An error record about a malformed line, which is cut to 4 KiB. */
void lb_put_bad_line(struct lb_buf *b, const char *stage, const char *why,
		     const char *line, size_t len, unsigned long number);

/* A drop record: a rule ended r. */
void lb_put_drop(struct lb_buf *b, const struct lb_record *r, const char *stage,
		 const char *reason);

/* {bot}/{launcher_type}_{launcher_id}; caller frees. */
char *lb_session_name(const char *bot, const char *launcher_type,
		      const char *launcher_id);

/* The session that a line names, of any kind and without a parse of the rest;
 * NULL: none. Caller frees. */
char *lb_session_of_line(const char *text, size_t len);

#endif
