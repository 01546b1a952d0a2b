/* test-regex - patterns, and those that would never end. TAP. */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
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

/* All that is behind each byte is looked through, without a step back. */
static void test_long_text(void)
{
	static const char *const evil[] = {
		"(?=.*+[0-9])a",
		"(?=.*[0-9])a",
		"(?:a(?!.*+[0-9]))*+c|[0-9]",
	};
	static const size_t sizes[] = {90 * 1000, 2000 * 1000};
	char *text = lb_alloc_raw(sizes[1]);
	struct lb_error err;

	memset(text, 'a', sizes[1]);
	for (size_t i = 0; i < 6; i++) {
		struct lb_regex *re = lb_regex_open(evil[i % 3], &err);
		clock_t began = clock();
		bool gave_up = false;

		tap_ok(!lb_regex_search(re, text, sizes[i / 3], &gave_up) &&
			       clock() - began < 10 * CLOCKS_PER_SEC,
		       "a search through a long text is bounded");
		tap_ok(gave_up, "and says that it gave up");
		lb_regex_close(re);
	}
	free(text);
}

/* However long the text is, and wherever in it something stands. */
static void test_far(void)
{
	static const struct {
		const char *pattern, *what;
		bool found;
	} far[] = {
		{"needle", "needle", true},
		{"(?<=y)z", "yz", true},
		{"^z", "z", false},
		{"(?m)^z$", "\nz", true},
		{"q|(?<=\xc3\xa9)\\Gz", "z", false},
		{"z\\z", "z", true},
		{"\xe7\x8e\x8b{2}", "\xe7\x8e\x8b\xe7\x8e\x8b", true},
		{"$", "", true},
		{"\\bneedle\\b", "needless", false},
	};
	size_t size = 4 << 20;
	char *text = lb_alloc_raw(size);
	struct lb_error err;

	for (size_t i = 0; i < size; i++) /* of two bytes each */
		text[i] = i % 2 ? '\xa9' : '\xc3';
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		struct lb_regex *re = lb_regex_open(far[i].pattern, &err);
		size_t len = strlen(far[i].what), at = size - 100;
		struct lb_regex_place place = {.at = 2};
		bool gave_up = false;

		memcpy(text + at, far[i].what, len);
		len += at;
		tap_ok(lb_regex_search(re, text, len, &gave_up) ==
				       far[i].found &&
			       !gave_up,
		       far[i].pattern);
		tap_ok(lb_regex_find(re, text, len, &place, NULL) ==
				       far[i].found &&
			       (!far[i].found || place.to == len),
		       "and its place");
		lb_regex_close(re);
		for (size_t k = size - 100; k < size; k++)
			text[k] = k % 2 ? '\xa9' : '\xc3';
	}
	for (int i = 0; i < 2; i++) { /* not where a stretch begins, either */
		struct lb_regex *re = lb_regex_open(i ? "q|(?<!^)\\G\xc3\xa9"
						      : "q(*COMMIT)r|\xc3\xa9z",
						    &err);

		memcpy(text, i ? "\xc3\xa9" : "qq", 2);
		memcpy(text + size - 100, "\xc3\xa9z", 3);
		tap_ok(!lb_regex_search(re, text, size - 97, NULL),
		       "what depends on where a search began is searched once");
		lb_regex_close(re);
	}
	free(text);
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
	test_long_text();
	test_far();
	return tap_end();
}
