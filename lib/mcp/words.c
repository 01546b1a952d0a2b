#include "mcp/words.h"

#include <stdlib.h>

#include "base/mem.h"

void lb_words_add(struct lb_words *w, char *take)
{
	if (w->n < LB_WORDS_MAX)
		w->at[w->n++] = take;
	else
		free(take);
	w->at[w->n] = NULL;
}

void lb_words_pair(struct lb_words *w, const char *option, const char *text)
{
	lb_words_add(w, lb_strdup(option));
	lb_words_add(w, lb_strdup(text));
}

char **lb_words_list(struct lb_words *w)
{
	return w->at;
}

void lb_words_release(struct lb_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->at[i]);
	w->n = 0;
}
