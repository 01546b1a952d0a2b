/*
 * pipeline/automaton.h - many words looked for at once.
 *
 * The automaton of Aho and Corasick over bytes: a text is read once, whatever
 * the number of words. Letters of ASCII match in either case; everything else
 * matches as it is written.
 */
#ifndef LB_PIPELINE_AUTOMATON_H
#define LB_PIPELINE_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lb_automaton;

/* Words are copied; none may be empty. All of them have under 2^31 bytes. */
struct lb_automaton *lb_automaton_open(const char *const *words, size_t n);
void lb_automaton_close(struct lb_automaton *a);

/*
 * The state behind one more byte; it begins with 0. In state 0 no word has
 * begun.
 */
uint32_t lb_automaton_step(const struct lb_automaton *a, uint32_t state,
			   char byte);

/* Bytes of the longest word that ends here; 0 for none. */
size_t lb_automaton_match(const struct lb_automaton *a, uint32_t state);

/* Is there a word in a text? */
bool lb_automaton_finds(const struct lb_automaton *a, const char *text,
			size_t len);

/* How many of the last bytes may be the beginning of a word. */
size_t lb_automaton_begun(const struct lb_automaton *a, uint32_t state);

#endif
