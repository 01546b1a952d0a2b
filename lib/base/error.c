#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int lb_fail(struct lb_error *err, enum lb_exit code, const char *fmt, ...)
{
	va_list args;

	err->code = code;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -1;
}

int lb_fail_sys(struct lb_error *err, enum lb_exit code, const char *fmt, ...)
{
	int saved = errno;
	va_list args;
	size_t used;

	err->code = code;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s",
		 strerror(saved));
	errno = saved;
	return -1;
}

int lb_error_wrap(struct lb_error *err, const char *fmt, ...)
{
	char was[LB_ERROR_TEXT];
	va_list args;
	size_t used;

	memcpy(was, err->text, sizeof(was));
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %.*s",
		 (int)sizeof(was) - 1, was);
	return -1;
}
