/*
 * record/grapheme.h - what people take for one character.
 *
 * A text must not be cut within one: before a combining mark, around the
 * joiner of an emoji sequence, within a flag, within CRLF. The rules of UAX 29
 * as far as chat needs them; Korean jamo count as letters.
 */
#ifndef LB_RECORD_GRAPHEME_H
#define LB_RECORD_GRAPHEME_H

#include <stdbool.h>
#include <stddef.h>

/* May text be cut at `at`? 0 and len are always borders. */
bool lb_grapheme_border(const char *text, size_t len, size_t at);

#endif
