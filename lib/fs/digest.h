/*
 * fs/digest.h - SHA-256 (FIPS 180-4).
 */
#ifndef LB_FS_DIGEST_H
#define LB_FS_DIGEST_H

#include <stddef.h>

enum { LB_DIGEST_SIZE = 32 };

/* Of `n` pieces, one behind the other. */
struct lb_piece {
	const void *at;
	size_t len;
};

void lb_digest(const struct lb_piece *pieces, size_t n,
	       unsigned char out[LB_DIGEST_SIZE]);

#endif
