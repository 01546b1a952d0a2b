#include "net/http.h"

#include <stdbool.h>
#include <time.h>

#include "net/curl.h"

enum { DAY_S = 24 * 60 * 60 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Whole seconds; -1 for anything else or more than a day. */
static int64_t seconds(const char *text)
{
	int64_t s = 0;

	while (is_digit(*text) && s <= DAY_S)
		s = s * 10 + (*text++ - '0');
	while (*text == ' ' || *text == '\t')
		text++;
	return *text == '\0' && s <= DAY_S ? s * 1000 : -1;
}

/* The three forms of HTTP-date begin with the name of a day. */
static int64_t date(const char *text, int64_t now_ms)
{
	struct lb_error err;
	time_t at = -1;
	int64_t wait;

	if (is_letter(*text) && lb_curl_load(&err) == 0)
		at = curl_getdate(text, NULL);
	wait = (int64_t)at * 1000 - now_ms;

	return at == -1 || wait < 0 || wait > DAY_S * 1000 ? -1 : wait;
}

int64_t lb_retry_after(const char *value, int64_t now_ms)
{
	while (*value == ' ' || *value == '\t')
		value++;
	return is_digit(*value) ? seconds(value) : date(value, now_ms);
}
