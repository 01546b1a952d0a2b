/*
 * record/plain.h - lines that need no parse to be known as well-formed.
 *
 * A parse builds values, and most programs look at three of them. This looks at
 * each byte once and builds nothing. It says yes only where a parse would
 * say so, too, and repair nothing; when it says no, parse to know.
 */
#ifndef LB_RECORD_PLAIN_H
#define LB_RECORD_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "record/scan.h"

/* Is it one object, its top-level keys unescaped and each there once? The
 * members are found, too. */
bool lb_plain(const char *text, size_t len, struct lb_members *m);

/*
 * A string member as it reads: true and its span, when it is a string without
 * escapes. False with *there set when it is there, and something else.
 */
bool lb_plain_str(const struct lb_members *m, const char *key,
		  struct lb_span *value, bool *there);

#endif
