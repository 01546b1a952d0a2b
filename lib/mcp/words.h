/*
 * mcp/words.h - lists of texts that are made: arguments, an environment,
 * headers.
 */
#ifndef LB_MCP_WORDS_H
#define LB_MCP_WORDS_H

#include <stddef.h>

enum { LB_WORDS_MAX = 1024 }; /* more are left out */

/* Zeroed memory is an empty list. */
struct lb_words {
	char *at[LB_WORDS_MAX + 1]; /* owned; NULL-ended */
	size_t n;
};

#define lb_autowords __attribute__((cleanup(lb_words_release)))

void lb_words_add(struct lb_words *w, char *take);
/* An option and its text, which is copied. */
void lb_words_pair(struct lb_words *w, const char *option, const char *text);
char **lb_words_list(struct lb_words *w);
void lb_words_release(struct lb_words *w);

#endif
