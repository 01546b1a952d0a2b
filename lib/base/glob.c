#include "base/glob.h"

bool lb_glob(const char *pattern, const char *text, size_t len)
{
	const char *end = text + len, *star = NULL, *again = NULL;

	while (text < end) {
		if (*pattern == '*') {
			star = ++pattern;
			again = text;
		} else if (*pattern && *pattern == *text) {
			pattern++;
			text++;
		} else if (star) { /* let the last star have one more */
			pattern = star;
			text = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
