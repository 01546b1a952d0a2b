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

#endif
