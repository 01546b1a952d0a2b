#include "base/near.h"

#include <stdbool.h>
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

/* Do two neighbours that changed places make the difference? */
static bool is_swap(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a && *b && a[0] == b[1] && a[1] == b[0] &&
	       strcmp(a + 2, b + 2) == 0;
}

void lb_slip_try(struct lb_slip *slip, const char *word)
{
	size_t typed = strlen(slip->typed);
	size_t far =
		is_swap(slip->typed, word) ? 1 : lb_near(slip->typed, word);
	bool near = far <= (strlen(word) > 4 ? 2 : 1);
	bool begins = typed > 2 && strncmp(slip->typed, word, typed) == 0;

	if ((!near && !begins) || (slip->meant && far >= slip->far))
		return;
	slip->meant = word;
	slip->far = far;
}
