/*
 * base/utf8.h - text from outside.
 *
 * Whatever comes from a chat, a model or a file passes lb_utf8_clean() before
 * it becomes a JSON string, and lb_text_visible() before it reaches a
 * terminal. UTF-8 is as RFC 3629 has it: no surrogates, no overlong forms,
 * nothing above U+10FFFF.
 */
#ifndef LB_BASE_UTF8_H
#define LB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Bytes of the well-formed character at text (1-4), or 0 if it is none. */
size_t lb_utf8_char(const char *text, size_t len);

bool lb_utf8_valid(const char *text, size_t len);

/* Append text with every ill-formed byte replaced by U+FFFD. */
void lb_utf8_clean(struct lb_buf *out, const char *text, size_t len);

/* Does that character end a line, turn what is beside it, or hide? Not those
 * of ASCII. */
bool lb_utf8_is_odd(const char *c, size_t n);

/* The longest prefix of at most max bytes that ends between characters. */
size_t lb_utf8_cut(const char *text, size_t len, size_t max);

/* Code points in well-formed text. */
size_t lb_utf8_count(const char *text, size_t len);

/* Bytes at the end of text that are the start of an unfinished character. */
size_t lb_utf8_partial(const char *text, size_t len);

/*
 * Append text without what a terminal would obey: C0 controls except newline
 * and tab, DEL, C1 controls, whole ESC sequences, and what turns the order of
 * the text that follows (U+202A-202E, U+2066-2069).
 */
void lb_text_visible(struct lb_buf *out, const char *text, size_t len);

#endif
