#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static void *checked(void *p)
{
	if (!p) {
		fputs("lb: out of memory\n", stderr);
		_Exit(LB_OS);
	}
	return p;
}

void *lb_alloc_raw(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *lb_alloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *lb_grow(void *take, size_t size)
{
	return checked(realloc(take, size ? size : 1));
}

char *lb_strndup(const char *s, size_t len)
{
	char *copy = checked(malloc(len + 1));

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *lb_strdup(const char *s)
{
	return lb_strndup(s, strlen(s));
}

char *lb_printf(const char *fmt, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	return checked(text);
}
