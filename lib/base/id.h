/*
 * base/id.h - record ids: UUID version 7 (RFC 9562), lower case.
 */
#ifndef LB_BASE_ID_H
#define LB_BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

enum { LB_ID_SIZE = 37 }; /* the NUL included */

/* A new id: 48 bits of `ms` since the epoch, 74 random bits. */
void lb_id_new(int64_t ms, char out[LB_ID_SIZE]);

/*
 * The id of an event that its platform names: the same 48 bits of `ms` and the
 * first 74 of a digest of that name, so the same event has the same id.
 */
void lb_id_derive(int64_t ms, const unsigned char digest[16],
		  char out[LB_ID_SIZE]);

/* Bits that nobody can guess: the same source, for pauses and draws. */
uint64_t lb_random(void);

/* Is this a UUID of version 7? NULL is not. */
bool lb_id_valid(const char *id);

#endif
