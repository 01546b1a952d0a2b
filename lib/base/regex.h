/*
 * base/regex.h - the only use of pcre2, with a bound on the work it may do.
 *
 * Perl syntax, UTF-8, JIT where there is one. A pattern that needs more than
 * the match limit on some text counts as "no match"; so does one that takes
 * more than about half a second of the processor on a text of over 16 KiB.
 */
#ifndef LB_BASE_REGEX_H
#define LB_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct lb_regex;

/* NULL and LB_USAGE, with the place of the mistake, when it is no pattern. */
struct lb_regex *lb_regex_open(const char *pattern, struct lb_error *err);

/* The same for one that matches only where the search begins. */
struct lb_regex *lb_regex_open_anchored(const char *pattern,
					struct lb_error *err);

/*
 * The same for a text of many lines: '^' and '$' are at each of them, which ends
 * in LF, CR LF or CR, and the text need not be well-formed: ill-formed bytes
 * match nothing.
 */
struct lb_regex *lb_regex_open_lines(const char *pattern, struct lb_error *err);
void lb_regex_close(struct lb_regex *re);

/*
 * Unanchored search. *gave_up (may be NULL) is set when the limit ended it;
 * the answer is false then.
 */
bool lb_regex_search(struct lb_regex *re, const char *text, size_t len,
		     bool *gave_up);

/* Where to look in a text. */
struct lb_regex_place {
	size_t at;        /* from this byte on, between two characters */
	bool inner_start; /* the text does not begin a line: no ^ there */
	bool inner_end;   /* nor does it end one: no $ there */
	size_t from, to;  /* of the match that was found */
};

/* The next match in text, which must be well-formed UTF-8 but for a pattern of
 * lb_regex_open_lines(). */
bool lb_regex_find(struct lb_regex *re, const char *text, size_t len,
		   struct lb_regex_place *place, bool *gave_up);

#endif
