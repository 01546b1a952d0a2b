/*
 * pipeline/split.h - where a long text may be cut.
 */
#ifndef LB_PIPELINE_SPLIT_H
#define LB_PIPELINE_SPLIT_H

#include <stddef.h>

/*
 * Bytes of the first part of text (UTF-8), at most max_chars code points:
 * it ends after a paragraph, a line, a sentence or a word, the best that
 * stands in the second half of the window, else between characters. Nothing
 * is dropped: the parts joined are the text. At least one character.
 */
size_t lb_split(const char *text, size_t len, size_t max_chars);

#endif
