#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t lb_clock_now(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t lb_clock_mono(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void lb_clock_text(int64_t ms, char out[LB_CLOCK_TEXT])
{
	time_t s = (time_t)(ms / 1000);
	struct tm tm;
	size_t n;

	if (ms < 0 || !gmtime_r(&s, &tm) || tm.tm_year > 9999 - 1900) {
		tm = (struct tm){.tm_mday = 1, .tm_year = 70};
		ms = 0;
	}
	n = strftime(out, LB_CLOCK_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, LB_CLOCK_TEXT - n, ".%03dZ", (int)(ms % 1000));
}

void lb_clock_local(int64_t ms, char out[LB_CLOCK_TEXT])
{
	time_t s = (time_t)(ms / 1000);
	struct tm tm;

	tzset();
	if (ms < 0 || !localtime_r(&s, &tm) || tm.tm_year > 9999 - 1900)
		tm = (struct tm){.tm_mday = 1, .tm_year = 70};
	strftime(out, LB_CLOCK_TEXT, "%Y-%m-%d %H:%M:%S", &tm);
}

struct unit {
	const char *name;
	int64_t factor;
};

static int parse(const char *text, const struct unit *units, const char *what,
		 int64_t *out, struct lb_error *err)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	/* strtod() also reads signs, blanks, 0x1p3, 1e3, inf and nan. */
	if (errno || end == text ||
	    (size_t)(end - text) != strspn(text, "0123456789."))
		return lb_fail(err, LB_USAGE, "'%s' is not %s", text, what);
	for (; units->name; units++) {
		double scaled = v * (double)units->factor;

		if (strcmp(end, units->name) != 0)
			continue;
		if (scaled > 9e15)
			break;
		*out = (int64_t)scaled;
		*out += scaled - (double)*out >= 0.5; /* libm costs a start */
		return 0;
	}
	return lb_fail(err, LB_USAGE, "'%s' is not %s", text, what);
}

int lb_duration_parse(const char *text, int64_t *ms, struct lb_error *err)
{
	static const struct unit units[] = {
		{"", 1000},     {"s", 1000},     {"ms", 1}, {"m", 60000},
		{"h", 3600000}, {"d", 86400000}, {NULL, 0},
	};

	return parse(text, units, "a duration such as 500ms, 30s or 5m", ms,
		     err);
}

int lb_size_parse(const char *text, int64_t *bytes, struct lb_error *err)
{
	static const struct unit units[] = {
		{"", 1},        {"k", 1 << 10}, {"K", 1 << 10},
		{"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0},
	};

	return parse(text, units, "a size such as 64k or 16M", bytes, err);
}
