#include "base/near.h"

#include <stdint.h>
#include <string.h>

enum { MAX_WORD = 200 };

size_t lb_near(const char *a, const char *b)
{
	size_t row[MAX_WORD + 1], n = strlen(b);

	if (n > MAX_WORD || strlen(a) > MAX_WORD)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; *a; a++, i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = corner + (*a != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}
