/* tap.h - what a unit test prints: one line a check, the plan at the end. */
#ifndef LB_TESTS_TAP_H
#define LB_TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t tap_n, tap_bad;

static inline void tap_ok(bool good, const char *what)
{
	tap_n++;
	tap_bad += !good;
	printf("%sok %zu - %s\n", good ? "" : "not ", tap_n, what);
}

static inline void tap_same(const char *want, const char *got, const char *what)
{
	bool good = strcmp(want, got) == 0;

	tap_ok(good, what);
	if (!good)
		printf("# expected '%s'\n#      got '%s'\n", want, got);
}

static inline int tap_end(void)
{
	printf("1..%zu\n", tap_n);
	return tap_bad > 0;
}

#endif
