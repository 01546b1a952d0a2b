/*
 * record/cut.h - a text into pieces of a limited length.
 *
 * A piece ends at the last paragraph, else line, sentence, blank within the
 * limit, else between two grapheme clusters, else between two code points.
 * A code fence that is open at the cut is closed and opened again, with its
 * language, in the next piece; what that takes counts. Nothing but the blanks
 * at a cut is lost.
 */
#ifndef LB_RECORD_CUT_H
#define LB_RECORD_CUT_H

#include <stddef.h>

#include "base/error.h"

/* What a limit of text counts. */
enum lb_unit { LB_UNIT_BYTES, LB_UNIT_CODE_POINTS, LB_UNIT_UTF16 };

/* How long a text is, in units. `len` bytes of UTF-8. */
size_t lb_text_units(const char *text, size_t len, enum lb_unit unit);

/*
 * fn gets each piece, in order, at least one unless the text is blank; it
 * returns 0, or -1 to stop. `room` says how long a piece is on the wire, where
 * that differs from lb_text_units() (markup); NULL for that. LB_CONFIG when
 * the limit cannot hold one character.
 */
typedef size_t lb_cut_room(const char *text, size_t len, void *arg);
typedef int lb_cut_fn(void *arg, const char *text, size_t len);
int lb_cut(const char *text, size_t len, size_t limit, enum lb_unit unit,
	   lb_cut_fn *fn, void *arg, struct lb_error *err);

#endif
