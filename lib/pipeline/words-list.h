/*
 * pipeline/words-list.h - the inside of a list of words; for words*.c alone.
 */
#ifndef LB_PIPELINE_WORDS_LIST_H
#define LB_PIPELINE_WORDS_LIST_H

#include "pipeline/automaton.h"
#include "pipeline/patterns.h"
#include "pipeline/words.h"

struct lb_words {
	char *pipeline;
	bool in, out;               /* the scope */
	struct lb_automaton *words; /* NULL: none */
	struct lb_patterns patterns;
	char *mask, *mask_word;
	bool warned;                  /* that a text took too long */
	struct lb_words_stream whole; /* for texts that come in one piece */
	struct lb_buf scratch;
};

#endif
