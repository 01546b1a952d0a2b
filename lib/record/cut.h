/*
 * record/cut.h - a text into pieces of a limited length.
 *
 * A piece ends at the last paragraph, else line, sentence or blank that stands
 * in the second half of what the limit allows, else between two characters as
 * people see them (record/grapheme.h), else between two code points. The time
 * it takes grows as the text does.
 */
#ifndef LB_RECORD_CUT_H
#define LB_RECORD_CUT_H

#include <stddef.h>

#include "base/error.h"

/* What a limit of text counts. */
enum lb_unit { LB_UNIT_BYTES, LB_UNIT_CODE_POINTS, LB_UNIT_UTF16 };

/* How long a text is, in units. A byte that is no UTF-8 counts as one. */
size_t lb_text_units(const char *text, size_t len, enum lb_unit unit);

/*
 * Bytes of the first piece. Nothing is dropped and nothing added: the pieces
 * joined are the text. At least one code point, also where the limit cannot
 * hold it; 0 for no text.
 */
size_t lb_cut_first(const char *text, size_t len, size_t limit,
		    enum lb_unit unit);

/*
 * All pieces, each to be read alone: a code fence that is open at a cut is
 * closed, and opened again in the next piece with its language (which counts);
 * blanks at a cut are lost. Where a fence leaves no room it is text like
 * other text. fn gets each piece, in order; none is blank. It returns 0, or -1
 * to stop, and so does this. LB_CONFIG, before the first piece: the limit
 * cannot hold one character.
 */
typedef int lb_cut_fn(void *arg, const char *text, size_t len);
int lb_cut(const char *text, size_t len, size_t limit, enum lb_unit unit,
	   lb_cut_fn *fn, void *arg, struct lb_error *err);

#endif
