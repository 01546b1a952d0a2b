/* test-utf8 - characters, repairs, cuts, what a terminal may see. TAP. */
#include "base/utf8.h"
#include "tap.h"

#define FFFD "\xef\xbf\xbd"

struct row {
	const char *input, *expected, *what;
};

/* The first bad byte becomes U+FFFD, then the next is looked at. */
static const struct row cleans[] = {
	{"", "", "nothing"},
	{"plain ascii, longer than a word", "plain ascii, longer than a word",
	 "ASCII stays"},
	{"\xc3\xa9\xe7\x8e\x8b\xf0\x9f\x98\x80",
	 "\xc3\xa9\xe7\x8e\x8b"
	 "\xf0\x9f\x98\x80",
	 "two, three and four bytes stay"},
	{"a\xff"
	 "b",
	 "a" FFFD "b", "a byte that leads nothing"},
	{"a\x80", "a" FFFD, "a tail alone"},
	{"\xc0\xaf", FFFD FFFD, "an overlong slash"},
	{"\xe0\x80\xaf", FFFD FFFD FFFD, "an overlong form of three"},
	{"\xf0\x80\x80\xaf", FFFD FFFD FFFD FFFD, "an overlong form of four"},
	{"\xed\xa0\x80", FFFD FFFD FFFD, "a surrogate"},
	{"\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD, "above U+10FFFF"},
	{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "U+10FFFF itself"},
	{"\xf5\x80\x80\x80", FFFD FFFD FFFD FFFD, "a lead that never was"},
	{"\xe7\x8e", FFFD FFFD, "cut at the end"},
	{"\xe7\x8e"
	 "a",
	 FFFD FFFD "a", "cut before another"},
	{"12345678\xff"
	 "12345678",
	 "12345678" FFFD "12345678", "after a whole word of ASCII"},
};

static const struct row visibles[] = {
	{"a\tb\nc", "a\tb\nc", "tab and newline stay"},
	{"a\rb\bc\ad\x7f"
	 "e",
	 "abcde", "other controls go"},
	{"\x1b[31mred\x1b[0m", "red", "colours go"},
	{"\x1b]0;title\x07text", "text", "a title ended by BEL goes"},
	{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link",
	 "a link ended by ST goes"},
	{"\x1bPq#0\x1b\\x", "x", "a device string goes"},
	{"\x1b(Bx\x1b", "Bx", "a short sequence, an ESC at the end"},
	{"\x1b[", "", "a sequence that never ends"},
	{"\xc2\x9b"
	 "31mx\xc2\xa0y",
	 "31mx\xc2\xa0y", "C1 goes, a no-break space stays"},
	{"a\xff\x9b", "a" FFFD FFFD, "bad bytes are replaced"},
	{"a\xe2\x80\xae"
	 "b\xe2\x81\xa6"
	 "c\xe2\x81\xa9 \xd7\x90\xe2\x80\x8f \xe2\x80\xa8",
	 "abc \xd7\x90\xe2\x80\x8f \xe2\x80\xa8",
	 "what turns the order of letters goes, letters stay"},
};

struct number {
	const char *input;
	size_t max, expected;
	const char *what;
};

static const struct number cuts[] = {
	{"abc", 5, 3, "shorter than the cut"},
	{"abcdef", 3, 3, "between ASCII"},
	{"ab\xe7\x8e\x8b", 4, 2, "within three bytes"},
	{"ab\xe7\x8e\x8b", 5, 5, "behind them"},
	{"\xf0\x9f\x98\x80", 3, 0, "nothing fits"},
};

static const struct number partials[] = {
	{"abc", 0, 0, "whole ASCII"},
	{"ab\xe7\x8e", 0, 2, "two of three"},
	{"ab\xe7", 0, 1, "one of three"},
	{"\xf0\x9f\x98", 0, 3, "three of four"},
	{"\xf0\x9f\x98\x80", 0, 0, "four of four"},
	{"a\x80\x80\x80", 0, 0, "tails alone"},
	{"", 0, 0, "nothing"},
};

static const struct number counts[] = {
	{"", 0, 0, "nothing"},
	{"abc", 0, 3, "ASCII"},
	{"\xe7\x8e\x8b\xf0\x9f\x98\x80\xc3\xa9", 0, 3, "one of each length"},
};

#define EACH(i, table)                                                         \
	for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)

int main(void)
{
	EACH(i, cleans)
	{
		const struct row *row = &cleans[i];
		lb_autobuf struct lb_buf out = {0};

		lb_utf8_clean(&out, row->input, strlen(row->input));
		tap_same(row->expected, lb_buf_str(&out), row->what);
		tap_ok(lb_utf8_valid(row->input, strlen(row->input)) ==
			       (strcmp(row->input, row->expected) == 0),
		       "and valid only when unchanged");
	}
	EACH(i, visibles)
	{
		const struct row *row = &visibles[i];
		lb_autobuf struct lb_buf out = {0};

		lb_text_visible(&out, row->input, strlen(row->input));
		tap_same(row->expected, lb_buf_str(&out), row->what);
	}
	EACH(i, cuts)
	tap_ok(lb_utf8_cut(cuts[i].input, strlen(cuts[i].input), cuts[i].max) ==
		       cuts[i].expected,
	       cuts[i].what);
	EACH(i, partials)
	tap_ok(lb_utf8_partial(partials[i].input, strlen(partials[i].input)) ==
		       partials[i].expected,
	       partials[i].what);
	EACH(i, counts)
	tap_ok(lb_utf8_count(counts[i].input, strlen(counts[i].input)) ==
		       counts[i].expected,
	       counts[i].what);
	return tap_end();
}
