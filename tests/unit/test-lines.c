/*
 * test-lines - grep finds the lines that match alone, whichever way it looks
 * for them. TAP.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tap.h"
#include "tool/lines.h"

static const struct {
	const char *pattern, *literal;
	bool whole, many;
} literals[] = {
	{"needle", "needle", true, true},
	{"needle\\(", "needle(", false, true},
	{"foo\\d+barbaz", "barbaz", false, true},
	{"fo*bar", "bar", false, true},
	{"foo?", "fo", false, true},
	{"abc+d", "abc", false, true},
	{"abc{2}def", "def", false, true},
	{"abc{x", "abc", false, true},
	{"abc{2,3}", "ab", false, true},
	/* PCRE2 10.43 takes these for numbers of times, too. */
	{"abc{,3}d", "ab", false, true},
	{"abc{ 0, 3 }d", "ab", false, true},
	{"(foo|bar)baz", "baz", false, true},
	{"foo|bar", "", false, true},
	{"[abc]def", "def", false, true},
	{"[]abc]def", "def", false, true},
	{"[^]abc]def", "def", false, true},
	{"[[:alpha:]]x", "x", false, true},
	{"[[:x]|abc:]z]foo", "", false, true},
	{"[\\c]\\*:a[::[:h:a?]", "", false, true},
	{"(\\c))bcd", "", false, true},
	{"(\\d)bcd", "bcd", false, true},
	{"[a\\]b]def", "def", false, true},
	{"(a[)]b)cd", "cd", false, true},
	{"(?i)foo", "", false, true},
	{"(?:foo)bar", "bar", false, true},
	{"(?=foo)bar", "bar", false, false},
	{"foo(?!x)", "foo", false, false},
	{"\\x41foo", "", false, true},
	{"\\Qa.b\\E", "", false, false},
	{"foo\\z", "", false, false},
	{"a++b", "a", false, false},
	{"foo\r", "foo\r", false, true},
	{"caf\xc3\xa9?x", "caf", false, true},
	{"\\.c$", ".c", false, true},
	{"^foo", "foo", false, true},
	{"", "", true, true},
	{"(*UCP)foo", "", false, false},
	{"foo\\", "", false, false},
};

static void check_literal(size_t i)
{
	struct lb_literal l;
	lb_autofree char *text = NULL;

	lb_literal_read(&l, literals[i].pattern);
	text = lb_strndup(l.text, l.len);
	tap_same(literals[i].literal, text, literals[i].pattern);
	tap_ok(l.many == literals[i].many &&
		       (l.len == 0 || l.whole == literals[i].whole),
	       "and how it may be used");
}

/* ---- all ways find the same ---- */

static const char *const patterns[] = {
	"ab",          "a.*b",    "^a",        "b$",           "^$",
	"\\bab\\b",    "a\\s+b",  "a[^x]b",    "(a|b)\\1",     "(?i)AB",
	"a(?!b)",      "a\\Z",    "\\Aa",      "(?<=a)b",      "a++b",
	"b\\s*$",      "[^a]+$",  "\\w+ \\w+", "a{2,}",        "\xc3\xa9",
	"[\xc3\xa9z]", "\\Bb",    "(?:ab)+",   "a?b?$",        "\\Rb",
	"a\\W",        "(?s)a.b", "a(?=\\s)",  "(?s)a.*b",     "\\D\\d",
	"$",           "\\s*$",   "ab{,1}$",   "[[:a]|b:]b]a", "b\r",
};

static bool note(void *arg, const struct lb_line_found *line)
{
	lb_buf_printf(arg, "%zu ", line->number);
	return true;
}

/* What each line says of itself. */
static void slowly(struct lb_regex *re, const struct lb_buf *text,
		   struct lb_buf *out)
{
	size_t at = 0, number = 0;

	while (at < text->len) {
		const char *line = text->data + at;
		const char *nl = memchr(line, '\n', text->len - at);
		size_t len = nl ? (size_t)(nl - line) : text->len - at;
		struct lb_regex_place place = {0};

		at += len + 1;
		number++;
		len -= len > 0 && line[len - 1] == '\r';
		if (lb_regex_find(re, line, len, &place, NULL))
			lb_buf_printf(out, "%zu ", number);
	}
}

static void check_pattern(const char *pattern, const struct lb_buf *text)
{
	struct lb_line_search s = {.deadline = INT64_MAX, .found = note};
	lb_autobuf struct lb_buf quick = {0}, slow = {0};
	struct lb_error err;

	s.arg = &quick;
	s.re = lb_regex_open_lines(pattern, &err);
	lb_literal_read(&s.literal, pattern);
	lb_line_search(&s, text->data, text->len);
	slowly(s.re, text, &slow);
	tap_same(lb_buf_str(&slow), lb_buf_str(&quick), pattern);
	lb_regex_close(s.re);
}

/* Lines of few characters, so that all patterns have something to find; longer
 * than a block is, and with ends of all kinds. */
static void make(struct lb_buf *text, unsigned seed)
{
	static const char *const bits[] = {"a",    "b", "a",  "b",
					   " ",    "x", "ab", "\xc3\xa9",
					   "\xff", "1", "\t"};

	srand(seed);
	for (int i = 0; i < 6000; i++) {
		for (int n = rand() % 7; n > 0; n--)
			lb_buf_puts(text, bits[rand() % 11]);
		lb_buf_puts(text, rand() % 8 ? "\n" : "\r\n");
	}
	for (int i = 0; i < 9000; i++)
		lb_buf_puts(text, bits[rand() % 11]);
	lb_buf_puts(text, "\nab");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++)
		check_literal(i);
	for (unsigned seed = 1; seed <= 2; seed++) {
		lb_autobuf struct lb_buf text = {0};

		make(&text, seed);
		for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]);
		     i++)
			check_pattern(patterns[i], &text);
	}
	return tap_end();
}
