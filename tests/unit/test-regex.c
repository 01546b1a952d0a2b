/* test-regex - patterns, and those that would never end. TAP. */
#include "base/clock.h"
#include "base/regex.h"
#include "tap.h"

static const struct {
	const char *pattern, *text;
	bool found;
} rows[] = {
	{"b+", "abbc", true},
	{"^b", "abbc", false},
	{"(?i)HELLO", "hello", true},
	{"^.$", "\xe7\x8e\x8b", true},
	{"", "", true},
	{"^\\d{3}$", "123", true},
	{"\\p{Han}", "x\xe7\x8e\x8b", true},
	{"a.c", "a\nc", false},
	{"x", "\xff", false},
};

static void test_bounds(void)
{
	static const char *const evil[] = {"^(a+)+$", "^(a|aa)+$",
					   "^(.*a){20}$", "^(\\w+\\s?)*$"};
	char text[4096];
	struct lb_error err;

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '!';
	for (size_t i = 0; i < sizeof(evil) / sizeof(evil[0]); i++) {
		struct lb_regex *re = lb_regex_open(evil[i], &err);
		int64_t began = lb_clock_mono();
		bool gave_up = false, found;

		found = lb_regex_search(re, text, sizeof(text), &gave_up);
		tap_ok(!found && lb_clock_mono() - began < 2000,
		       "a pattern that would not end is bounded");
		tap_ok(gave_up, "and says that it gave up");
		lb_regex_close(re);
	}
}

int main(void)
{
	struct lb_error err = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_regex *re = lb_regex_open(rows[i].pattern, &err);

		tap_ok(re && lb_regex_search(re, rows[i].text,
					     strlen(rows[i].text),
					     NULL) == rows[i].found,
		       rows[i].pattern);
		lb_regex_close(re);
	}
	tap_ok(!lb_regex_open("(", &err) && err.code == LB_USAGE,
	       "what is no pattern is refused");
	tap_ok(strstr(err.text, "'(' is not a pattern: ") == err.text &&
		       strstr(err.text, " at 1"),
	       "with the place of the mistake");
	tap_ok(!lb_regex_open("\\C", &err), "bytes within a character are not "
					    "to be had");
	test_bounds();
	return tap_end();
}
