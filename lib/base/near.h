/*
 * base/near.h - "did you mean": how far apart two words are.
 */
#ifndef LB_BASE_NEAR_H
#define LB_BASE_NEAR_H

#include <stddef.h>

/*
 * Letters to change, add or leave out to make one of the other; SIZE_MAX for
 * words too long to be slips (200 bytes).
 */
size_t lb_near(const char *a, const char *b);

/* Of the words that are tried, the one that `typed` may be a slip for. */
struct lb_slip {
	const char *typed;
	const char *meant; /* borrowed; NULL while none is near */
	size_t far;
};

/*
 * A word is near within a letter or two, when two are swapped, or when `typed`
 * is its beginning.
 */
void lb_slip_try(struct lb_slip *slip, const char *word);

#endif
