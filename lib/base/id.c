#include "base/id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"

enum { FIRST = 64, POOL = 4096 };

/* Random bytes in bulk: one system call serves many ids. A program that makes
 * one alone does not wait for those of hundreds. */
static void fill(unsigned char *out, size_t n)
{
	static unsigned char pool[POOL];
	static size_t left, ask = FIRST;

	if (left < n) {
		ssize_t got;

		do
			got = getrandom(pool, ask, 0);
		while (got < 0 && errno == EINTR);
		if (got < (ssize_t)n) {
			fputs("lb: no random numbers\n", stderr);
			_Exit(LB_OS);
		}
		left = (size_t)got;
		ask = sizeof(pool);
	}
	left -= n;
	memcpy(out, pool + left, n);
}

/* 48 bits of time, the version, 12 bits, the variant, 62 bits: RFC 9562 5.7. */
static void spell(int64_t ms, unsigned char b[16], char out[LB_ID_SIZE])
{
	static const char hex[] = "0123456789abcdef";
	char *p = out;

	for (int i = 0; i < 6; i++)
		b[i] = (unsigned char)((uint64_t)ms >> (40 - 8 * i));
	b[6] = (unsigned char)(0x70 | (b[6] & 0x0f));
	b[8] = (unsigned char)(0x80 | (b[8] & 0x3f));
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = hex[b[i] >> 4];
		*p++ = hex[b[i] & 15];
	}
	*p = '\0';
}

uint64_t lb_random(void)
{
	uint64_t bits;

	fill((unsigned char *)&bits, sizeof(bits));
	return bits;
}

void lb_id_new(int64_t ms, char out[LB_ID_SIZE])
{
	unsigned char b[16];

	fill(b, sizeof(b));
	spell(ms, b, out);
}

void lb_id_derive(int64_t ms, const unsigned char digest[16],
		  char out[LB_ID_SIZE])
{
	unsigned char b[16];

	memcpy(b + 6, digest, 10);
	spell(ms, b, out);
}

bool lb_id_valid(const char *id)
{
	static const char shape[] = "xxxxxxxx-xxxx-7xxx-Vxxx-xxxxxxxxxxxx";

	if (!id || strlen(id) != sizeof(shape) - 1)
		return false;
	for (size_t i = 0; shape[i]; i++) {
		const char *allowed = "0123456789abcdef";
		char one[2] = {shape[i], '\0'};

		if (shape[i] == 'V')
			allowed = "89ab";
		else if (shape[i] != 'x')
			allowed = one;
		if (!strchr(allowed, id[i]))
			return false;
	}
	return true;
}
