#include "pipeline/automaton.h"

#include <string.h>

#include "base/mem.h"

/*
 * A trie, its states numbered in the order of their depth, so that those
 * which follow a state stand side by side.
 */
struct state {
	uint32_t first, n; /* the states that follow it */
	uint32_t fail;     /* the longest other one that ends the same way */
	uint32_t depth;
	uint32_t match; /* the longest word that ends here */
};

struct lb_automaton {
	struct state *states;
	unsigned char *label; /* the byte that leads to a state */
	uint32_t n;
	uint32_t from_none[256];
};

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The words that lead through a state: a stretch of the sorted list. */
struct stretch {
	size_t from, to;
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted(const char *const *words, size_t n, size_t *bytes)
{
	char **list = lb_alloc((n + 1) * sizeof(*list));

	*bytes = 0;
	for (size_t i = 0; i < n; i++) {
		list[i] = lb_strdup(words[i]);
		for (char *c = list[i]; *c; c++, ++*bytes)
			*c = (char)fold(*c);
	}
	qsort(list, n, sizeof(*list), by_bytes);
	return list;
}

static uint32_t follow(const struct lb_automaton *a, const struct state *s,
		       unsigned char byte)
{
	const unsigned char *at =
		s->n ? memchr(a->label + s->first, byte, s->n) : NULL;

	return at ? (uint32_t)(at - a->label) : 0;
}

static uint32_t step(const struct lb_automaton *a, uint32_t state,
		     unsigned char byte)
{
	while (state) {
		uint32_t next = follow(a, &a->states[state], byte);

		if (next)
			return next;
		state = a->states[state].fail;
	}
	return a->from_none[byte];
}

/* The states behind state i, which the words of `in` lead through. */
static void spread(struct lb_automaton *a, struct stretch *ways, uint32_t i,
		   char *const *words)
{
	struct state *s = &a->states[i];
	struct stretch in = ways[i];

	while (in.from < in.to && !words[in.from][s->depth]) {
		s->match = s->depth; /* a word that ends here */
		in.from++;
	}
	s->first = a->n;
	while (in.from < in.to) {
		unsigned char byte = (unsigned char)words[in.from][s->depth];
		size_t to = in.from;

		while (to < in.to && (unsigned char)words[to][s->depth] == byte)
			to++;
		a->label[a->n] = byte;
		a->states[a->n].depth = s->depth + 1;
		ways[a->n++] = (struct stretch){in.from, to};
		s->n++;
		in.from = to;
	}
}

/* Where each of them falls back to: a state of less depth, known by now. */
static void link_states(struct lb_automaton *a, uint32_t i)
{
	const struct state *s = &a->states[i];

	for (uint32_t next = s->first; next < s->first + s->n; next++) {
		struct state *t = &a->states[next];
		uint32_t back;

		if (i == 0) {
			a->from_none[a->label[next]] = next;
			continue;
		}
		back = step(a, s->fail, a->label[next]);
		t->fail = back;
	}
}

struct lb_automaton *lb_automaton_open(const char *const *words, size_t n)
{
	struct lb_automaton *a = lb_alloc(sizeof(*a));
	size_t bytes;
	char **list = sorted(words, n, &bytes);
	lb_autofree struct stretch *ways =
		lb_alloc((bytes + 1) * sizeof(*ways));

	a->states = lb_alloc((bytes + 1) * sizeof(*a->states));
	a->label = lb_alloc(bytes + 1);
	a->n = 1;
	ways[0] = (struct stretch){0, n};
	for (uint32_t i = 0; i < a->n; i++)
		spread(a, ways, i, list);
	for (uint32_t i = 0; i < a->n; i++) {
		struct state *s = &a->states[i];

		link_states(a, i);
		if (s->match < a->states[s->fail].match)
			s->match = a->states[s->fail].match;
	}
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return a;
}

void lb_automaton_close(struct lb_automaton *a)
{
	if (!a)
		return;
	free(a->states);
	free(a->label);
	free(a);
}

uint32_t lb_automaton_step(const struct lb_automaton *a, uint32_t state,
			   char byte)
{
	return step(a, state, fold(byte));
}

size_t lb_automaton_match(const struct lb_automaton *a, uint32_t state)
{
	return a->states[state].match;
}

bool lb_automaton_finds(const struct lb_automaton *a, const char *text,
			size_t len)
{
	uint32_t state = 0;

	for (size_t i = 0; i < len; i++) {
		state = state ? step(a, state, fold(text[i]))
			      : a->from_none[fold(text[i])];
		if (state && a->states[state].match > 0)
			return true;
	}
	return false;
}

size_t lb_automaton_begun(const struct lb_automaton *a, uint32_t state)
{
	return a->states[state].depth;
}
