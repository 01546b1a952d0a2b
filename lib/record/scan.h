/*
 * record/scan.h - where the top-level members of a JSON object stand.
 *
 * One pass over the bytes, no values built. It finds structure only: feed it
 * what a parser accepted, or take its answer as a hint (lb-agent looks for the
 * session of lines it does not own).
 */
#ifndef LB_RECORD_SCAN_H
#define LB_RECORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct lb_span {
	const char *at;
	size_t len;
};

struct lb_member {
	struct lb_span key;   /* between its quotes, as spelled */
	bool escaped;         /* with escapes */
	struct lb_span value; /* without blanks around it */
};

struct lb_members {
	struct lb_member *at;
	size_t n, cap;
};

void lb_members_release(struct lb_members *m);

/* Gather the members; false when the text is not one object. */
bool lb_scan(const char *text, size_t len, struct lb_members *m);

/* Is that its name, however it is spelled? */
bool lb_member_is(const struct lb_member *m, const char *key);

/* The member of that name, however it is spelled; NULL if there is none. */
const struct lb_member *lb_member_find(const struct lb_members *m,
				       const char *key);

/* What follows the blanks at p. */
const char *lb_scan_blanks(const char *p, const char *end);

/* What follows the value at p; NULL if it does not end. */
const char *lb_scan_value(const char *p, const char *end);

/* Is the span this text? */
bool lb_span_is(struct lb_span span, const char *text);

/* Does a name between its quotes read so, \u escapes undone? ASCII only. */
bool lb_span_reads(struct lb_span name, const char *key);

/*
 * The kind of a line that begins {"kind":"K" with K unescaped and made of
 * [a-z0-9_-] only, blanks allowed between the tokens; false otherwise.
 */
bool lb_scan_kind(const char *text, size_t len, struct lb_span *kind);

#endif
