/* test-cut - where long texts are cut, and what each piece is. TAP. */
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "record/cut.h"
#include "record/grapheme.h"
#include "tap.h"

#define WANG "\xe7\x8e\x8b"
#define STOP "\xe3\x80\x82"
#define QUOTE "\xe3\x80\x8d"
#define SMILE "\xf0\x9f\x99\x82"
#define ACUTE "\xcc\x81"
#define JOIN "\xe2\x80\x8d"
#define MAN "\xf0\x9f\x91\xa8"
#define FLAG_D "\xf0\x9f\x87\xa9"
#define FLAG_E "\xf0\x9f\x87\xaa"
#define TONE "\xf0\x9f\x8f\xbd"

/* lb_cut_first(), again and again: nothing is lost. */
static const struct {
	size_t max;
	const char *text, *expected; /* parts with | between */
} firsts[] = {
	{10, "", ""},
	{10, "short", "short"},
	{10, "ten chars.", "ten chars."},
	{10, "one two three", "one two |three"},
	{10, "0123456789abc", "0123456789|abc"},
	{10, "a b0123456789", "a b0123456|789"}, /* too early to cut at */
	{12, "one two.\n\nthree", "one two.\n\n|three"},
	{14, "para.\n\nl\nx y and more", "para.\n\nl\n|x y and more"},
	{12, "one two\r\n\r\nthree", "one two\r\n\r\n|three"},
	{8, "one two\r\nthree", "one two|\r\nthree"},
	{10, "line 1\nword and", "line 1\n|word and"},
	{10, "go on! a b c d e", "go on! |a b c d e"},
	{10, "go on? a b c d e", "go on? |a b c d e"},
	{4, WANG WANG STOP WANG WANG WANG, WANG WANG STOP "|" WANG WANG WANG},
	{5, WANG WANG STOP QUOTE WANG WANG, WANG WANG STOP QUOTE "|" WANG WANG},
	{3, WANG WANG STOP QUOTE WANG, WANG WANG STOP "|" QUOTE WANG},
	{3, SMILE SMILE SMILE SMILE, SMILE SMILE SMILE "|" SMILE},
	{3, "abe" ACUTE ACUTE "c", "ab|e" ACUTE ACUTE "|c"},
	{2, "e" ACUTE ACUTE ACUTE, "e" ACUTE "|" ACUTE ACUTE},
	{4, "ab" MAN JOIN MAN "c", "ab|" MAN JOIN MAN "c"},
	{4, "abc" MAN TONE, "abc|" MAN TONE},
	{3, FLAG_D FLAG_E FLAG_E FLAG_D, FLAG_D FLAG_E "|" FLAG_E FLAG_D},
	{4, "abc\r\n", "abc|\r\n"},
	{1, "ab" SMILE, "a|b|" SMILE},
	{0, "ab", "a|b"}, /* at least one character */
	{2, "\n\n\n\n\n", "\n\n|\n\n|\n"},
	{2, "\xff\xfe\x80z", "\xff\xfe|\x80z"},
};

/* lb_cut(): pieces that stand alone. */
static const struct {
	size_t max;
	enum lb_unit unit;
	const char *text, *expected;
} pieces[] = {
	{10, LB_UNIT_UTF16, "", ""},
	{10, LB_UNIT_UTF16, " \n \r\n", ""},
	{12, LB_UNIT_UTF16, "one two.\n\n\n \nthree", "one two.|three"},
	{10, LB_UNIT_UTF16, "one two   three", "one two|three"},
	{10, LB_UNIT_UTF16, "one line\n  two", "one line|  two"},
	{4, LB_UNIT_UTF16, "a" SMILE SMILE, "a" SMILE "|" SMILE},
	{4, LB_UNIT_CODE_POINTS, "a" SMILE SMILE, "a" SMILE SMILE},
	{4, LB_UNIT_BYTES, "a" SMILE SMILE, "a|" SMILE "|" SMILE},
	{5, LB_UNIT_BYTES, WANG WANG, WANG "|" WANG},
	/* Closed and opened again, with the language. */
	{30, LB_UNIT_BYTES,
	 "```py\nprint(1)\nprint(2)\nprint(3)\nprint(4)\n```\nend",
	 "```py\nprint(1)\nprint(2)\n```|```py\nprint(3)\nprint(4)\n```|end"},
	/* The end of it needs no piece of its own. */
	{24, LB_UNIT_BYTES, "```\n0123456\n0123456\n```\nend",
	 "```\n0123456\n0123456\n```|end"},
	{23, LB_UNIT_BYTES, "```\n0123456\n012345\n``````\nend",
	 "```\n0123456\n012345\n```|end"},
	/* A block that fits the next piece is left for it. */
	{32, LB_UNIT_BYTES, "some words before it\n~~~\none\ntwo\nthree\n~~~",
	 "some words before it|~~~\none\ntwo\nthree\n~~~"},
	/* One line longer than the limit. */
	{20, LB_UNIT_BYTES, "```\n0123456789abcdef01\n```",
	 "```\n0123456789ab\n```|```\ncdef01\n```"},
	/* A mark inside a line is none, nor is a shorter one. */
	{31, LB_UNIT_BYTES, "````\na ``` b\n```\ncccccccc\ndddddddd\n````",
	 "````\na ``` b\n```\ncccccccc\n````|````\ndddddddd\n````"},
	/* No room for a fence: text. */
	{8, LB_UNIT_BYTES, "```\nabcdefgh", "```\nabcd|efgh"},
	{24, LB_UNIT_BYTES, "```\r\nabcdefgh\r\nabcdefgh\r\n```\r\n",
	 "```\r\nabcdefgh\n```|```\nabcdefgh\r\n```"},
};

static void test_first(size_t i)
{
	lb_autobuf struct lb_buf got = {0}, joined = {0};
	const char *at = firsts[i].text;
	size_t left = strlen(at), max = firsts[i].max ? firsts[i].max : 1;
	bool fit = true;

	while (left > 0) {
		size_t n = lb_cut_first(at, left, firsts[i].max,
					LB_UNIT_CODE_POINTS);

		if (n == 0 || n > left)
			break;
		fit = fit && lb_text_units(at, n, LB_UNIT_CODE_POINTS) <= max;
		if (got.len > 0)
			lb_buf_putc(&got, '|');
		lb_buf_put(&got, at, n);
		lb_buf_put(&joined, at, n);
		at += n;
		left -= n;
	}
	tap_same(firsts[i].expected, lb_buf_str(&got), "the parts");
	tap_same(firsts[i].text, lb_buf_str(&joined), "joined again");
	tap_ok(fit, "each as long as allowed");
}

struct got {
	struct lb_buf text;
	size_t n, longest, stop_at;
	enum lb_unit unit;
	bool valid;
};

static int add(void *arg, const char *text, size_t len)
{
	struct got *g = arg;
	size_t units = lb_text_units(text, len, g->unit);

	if (g->n++ > 0)
		lb_buf_putc(&g->text, '|');
	lb_buf_put(&g->text, text, len);
	g->longest = units > g->longest ? units : g->longest;
	g->valid = g->valid && lb_utf8_valid(text, len);
	return g->n == g->stop_at ? -1 : 0;
}

static void test_piece(size_t i)
{
	struct got g = {.unit = pieces[i].unit, .valid = true};
	struct lb_error err;

	tap_ok(lb_cut(pieces[i].text, strlen(pieces[i].text), pieces[i].max,
		      pieces[i].unit, add, &g, &err) == 0,
	       "it can be cut");
	tap_same(pieces[i].expected, lb_buf_str(&g.text), "the pieces");
	tap_ok(g.longest <= pieces[i].max, "none longer than the limit");
	lb_buf_release(&g.text);
}

static void test_smileys(void)
{
	lb_autobuf struct lb_buf text = {0};
	struct got g = {.unit = LB_UNIT_UTF16, .valid = true};
	struct lb_error err = {0};

	lb_buf_putc(&text, 'a');
	for (int i = 0; i < 4096; i++)
		lb_buf_puts(&text, SMILE);
	tap_ok(lb_cut(text.data, text.len, 4096, LB_UNIT_UTF16, add, &g,
		      &err) == 0,
	       "a and 4,096 smileys");
	tap_ok(g.n == 3 && g.valid, "three pieces, none torn");
	tap_ok(g.text.len == text.len + 2, "nothing lost");
	tap_ok(g.longest == 4096, "as long as may be");
	g.n = 0;
	tap_ok(lb_cut(text.data, text.len, 1, LB_UNIT_UTF16, add, &g, &err) < 0,
	       "a limit of 1 cannot hold a smiley");
	tap_ok(g.n == 0 && err.code == LB_CONFIG, "and nothing is sent");
	tap_same("a limit of 1 cannot hold one character", err.text, "text");
	tap_ok(lb_cut("ab", 2, 0, LB_UNIT_UTF16, add, &g, &err) < 0,
	       "nor a limit of 0 anything");
	g.stop_at = 2;
	tap_ok(lb_cut("abcd", 4, 1, LB_UNIT_UTF16, add, &g, &err) < 0 &&
		       g.n == 2,
	       "fn can stop it");
	lb_buf_release(&g.text);
}

static int count(void *arg, const char *text, size_t len)
{
	size_t *n = arg;

	(void)text;
	(void)len;
	++*n;
	return 0;
}

/* 16 MiB of the worst there is: under a second, or hours. */
static void test_large(const char *unit, size_t limit)
{
	size_t len = 16 << 20, n = strlen(unit), pieces_n = 0;
	lb_autofree char *text = lb_alloc(len);
	clock_t began = clock();
	struct lb_error err;

	for (size_t i = 0; i < len; i++)
		text[i] = unit[i % n];
	tap_ok(lb_cut(text, len / n * n, limit, LB_UNIT_UTF16, count, &pieces_n,
		      &err) == 0,
	       "16 MiB can be cut");
	tap_ok(clock() - began < 30 * CLOCKS_PER_SEC, "in linear time");
	printf("# %ld ms, %zu pieces\n",
	       (long)((clock() - began) * 1000 / CLOCKS_PER_SEC), pieces_n);
}

int main(void)
{
	static const char *const hard[] = {
		"a",    " ",       "\n",  "```\n",   "```",   "~~~x\n",
		FLAG_D, "e" ACUTE, ACUTE, "> ```\n", "a\r\n", MAN JOIN,
	};

	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		test_first(i);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		test_piece(i);
	tap_ok(lb_text_units("a" SMILE WANG, 8, LB_UNIT_UTF16) == 4 &&
		       lb_text_units("a" SMILE WANG, 8, LB_UNIT_BYTES) == 8 &&
		       lb_text_units("a" SMILE WANG, 8, LB_UNIT_CODE_POINTS) ==
			       3,
	       "units");
	tap_ok(!lb_grapheme_border(SMILE, 4, 2) &&
		       lb_grapheme_border("\x80\x80", 2, 1),
	       "within a character, and within none");
	test_smileys();
	for (size_t i = 0; i < sizeof(hard) / sizeof(hard[0]); i++)
		test_large(hard[i], 4096);
	test_large(FLAG_D, 100);
	return tap_end();
}
