/* test-words - what a pipeline does not want to say, whole and in pieces. TAP. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "pipeline/words.h"
#include "tap.h"

static char path[] = "/tmp/test-words.XXXXXX";

/* The list that a configuration with these lines below content-filter has. */
static struct lb_words *list(const char *lines, struct lb_error *err)
{
	FILE *f = fopen(path, "w");
	struct lb_config *config;
	struct lb_words *w;

	fprintf(f, "pipelines: {p: {safety: {content-filter: {%s}}}}\n", lines);
	fclose(f);
	config = lb_config_load(path, err);
	w = config ? lb_words_open(config, "p", err) : NULL;
	lb_config_close(config);
	return w;
}

#define BAD "words: [bad, worse, baddest, 坏蛋, Élan]"

static const struct {
	const char *lines, *text, *masked;
} rows[] = {
	{BAD, "a bad day", "a *** day"},
	{BAD, "nothing here", "nothing here"},
	{BAD, "", ""},
	{BAD, "BaD worSE", "*** *****"}, /* either case */
	{BAD, "baddes baddest", "***des *******"},
	{BAD, "badbad", "******"},
	{BAD, "你是坏蛋吗", "你是**吗"}, /* a mask a character */
	{BAD, "坏人", "坏人"},
	{BAD, "Élan élan", "**** élan"}, /* case is ASCII's alone */
	{BAD ", mask: '█'", "a bad day", "a ███ day"},
	{BAD ", mask-word: '[no]'", "badbad worse", "[no][no] [no]"},
	{BAD ", mask: ''", "a bad day", "a  day"},
	{"words: [abc, bcd]", "xabcdx", "x****x"}, /* overlap: one */
	{"words: [abc, bcd], mask-word: '#'", "xabcdx", "x#x"},
	{"words: [aa], mask-word: '#'", "aaaaab", "#b"},
	{"words: [she, he, hers, his]", "ushers", "u*****"},
	{"words: [abcdef, bcd]", "abcdx", "a***x"}, /* within a beginning */
	{"words: ['b.d']", "bad bed BED", "*** *** BED"},
	{"words: ['(?i)b.d', ed]", "Bad bed", "*** ***"},
	{"words: ['b[ae]d', 'ed']", "bedx", "***x"},
	{"words: ['x*']", "axxb", "a**b"},     /* nothing is no match */
	{"words: ['^a']", "aa\naa", "*a\n*a"}, /* of a line */
	{"words: ['a$']", "aa\naa", "a*\na*"},
	{"words: ['a.b']", "a\nb", "a\nb"}, /* within a line */
	{"words: ['(?<=x)a']", "a xa", "a x*"},
	{"words: ['\\bcat\\b']", "cat concat", "*** concat"},
	{"words: ['\\p{Han}+']", "ab坏蛋c", "ab**c"},
	{"words: [bad], check-sensitive-words: false", "bad", "bad"},
	{"words: ['a(?=b)']", "ab ac", "*b ac"},
};

/* The same text in pieces of n characters. */
static void in_pieces(struct lb_words *w, const char *text, size_t n,
		      struct lb_buf *out)
{
	struct lb_words_stream s = {0};
	size_t len = strlen(text);

	while (len > 0) {
		size_t take = 0;

		for (size_t i = 0; i < n && take < len; i++)
			take += lb_utf8_char(text + take, len - take);
		lb_words_feed(w, &s, text, take, out);
		text += take;
		len -= take;
	}
	lb_words_end(w, &s, out);
	lb_words_stream_release(&s);
}

static void test_row(const char *lines, const char *text, const char *masked)
{
	struct lb_error err = {0};
	struct lb_words *w = list(lines, &err);
	struct lb_buf out = {0};

	if (!w) {
		tap_same("", err.text, lines);
		return;
	}
	lb_words_mask(w, text, strlen(text), &out);
	tap_same(masked, lb_buf_str(&out), text);
	tap_ok(lb_words_found(w, text, strlen(text)) ==
		       (strcmp(text, masked) != 0),
	       "and it is known whether there is one");
	for (size_t n = 1; n <= 4; n++) {
		lb_buf_reset(&out);
		in_pieces(w, text, n, &out);
		tap_same(masked, lb_buf_str(&out), "and so in pieces");
	}
	lb_buf_release(&out);
	lb_words_close(w);
}

/* What cannot become a word any more is given out at once. */
static void test_held(void)
{
	struct lb_error err = {0};
	struct lb_words *w = list(BAD, &err);
	struct lb_words_stream s = {0};
	struct lb_buf out = {0};

	lb_words_feed(w, &s, "so ba", 5, &out);
	tap_same("so ", lb_buf_str(&out), "only a beginning is held back");
	lb_words_feed(w, &s, "n", 1, &out);
	tap_same("so ban", lb_buf_str(&out), "until it is none");
	lb_words_feed(w, &s, " bad", 4, &out);
	tap_same("so ban ", lb_buf_str(&out), "a word may become a longer one");
	lb_words_feed(w, &s, "!", 1, &out);
	tap_same("so ban ***!", lb_buf_str(&out), "or not");
	tap_ok(s.found, "it was found");
	lb_words_stream_release(&s);
	lb_words_close(w);
	lb_buf_release(&out);

	w = list("words: ['b.d']", &err);
	lb_words_feed(w, &s, "one\ntwo", 7, &out);
	tap_same("one\n", lb_buf_str(&out), "for patterns, a line is");
	lb_words_stream_release(&s);
	lb_words_close(w);
	lb_buf_release(&out);
}

/* A line without an end: bounded memory, and the same however it is cut. */
static void test_long_line(void)
{
	struct lb_error err = {0};
	struct lb_words *w =
		list("words: ['b.d', 'e{3}', zz], mask: '*'", &err);
	struct lb_words_stream s = {0};
	struct lb_buf text = {0}, whole = {0}, out = {0};
	size_t most = 0;

	for (int i = 0; i < 20000; i++)
		lb_buf_puts(&text, i % 511 == 0    ? "bad"
				   : i % 1021 == 0 ? "eee坏"
						   : "é");
	lb_words_mask(w, text.data, text.len, &whole);
	for (size_t at = 0, n; at < text.len; at += n) {
		n = lb_utf8_char(text.data + at, text.len - at);
		lb_words_feed(w, &s, text.data + at, n, &out);
		most = s.text.len > most ? s.text.len : most;
	}
	lb_words_end(w, &s, &out);
	tap_ok(out.len == whole.len &&
		       memcmp(out.data, whole.data, out.len) == 0,
	       "a long line comes out the same in pieces");
	tap_ok(!strstr(whole.data, "bad") && !strstr(whole.data, "eee"),
	       "and no match is lost where its windows meet");
	tap_ok(most < (size_t)4 * 2 * LB_WORDS_WINDOW,
	       "what is held back is bounded");
	lb_words_stream_release(&s);
	lb_words_close(w);
	lb_buf_release(&text);
	lb_buf_release(&whole);
	lb_buf_release(&out);
}

/* Wherever the windows of a long line meet. */
static void test_borders(void)
{
	struct lb_error err = {0};
	struct lb_words *w = list("words: ['b.d', '^a']", &err);
	size_t lost = 0, lines = 0;

	for (int before = 500; before < 1100; before++) {
		struct lb_buf text = {0}, out = {0};

		for (int i = 0; i < 2000; i++)
			lb_buf_puts(&text, i == before ? "bad" : "é");
		lb_buf_puts(&text, "\nab");
		lb_words_mask(w, text.data, text.len, &out);
		lost += strstr(out.data, "é***é") == NULL;
		lines += strstr(out.data, "\n*b") != NULL;
		lb_buf_release(&text);
		lb_buf_release(&out);
	}
	tap_ok(lost == 0, "nothing is lost where windows meet");
	tap_ok(lines == 600, "behind a long line, a line begins");
	lb_words_close(w);
}

static void test_evil(void)
{
	struct lb_error err = {0};
	struct lb_words *w =
		list("words: ['(a+)+$', '(a|aa)+$', '(.*a){20}b', bad]", &err);
	struct lb_buf text = {0}, out = {0};
	int64_t began = lb_clock_mono();

	for (int i = 0; i < 5000; i++)
		lb_buf_puts(&text, "aaaaaaa!");
	lb_buf_puts(&text, " bad");
	lb_words_mask(w, text.data, text.len, &out);
	tap_ok(lb_clock_mono() - began < 3000,
	       "patterns that would not end are bounded");
	tap_ok(strstr(out.data, " ***") != NULL,
	       "and words are hidden all the same");
	lb_buf_release(&text);
	lb_buf_release(&out);
	lb_words_close(w);
}

static const struct {
	const char *lines, *why;
} wrong[] = {
	{"words: [a, 'b(']", ":1: pipelines.p.safety.content-filter.words: "
			     "'b(' is not a pattern: "},
	{"words-file: /nowhere/at/all",
	 ":1: pipelines.p.safety.content-filter.words-file: cannot open"},
	{"mask: aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff"
	 "ggggg",
	 ".mask: more than 64 characters"},
	{"scope: everywhere", "'everywhere' is not all, income-msg or output-"},
};

static void test_wrong(void)
{
	struct lb_buf many = {0};
	struct lb_error err = {0};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		err = (struct lb_error){0};
		tap_ok(!list(wrong[i].lines, &err) && err.code == LB_CONFIG,
		       wrong[i].lines);
		tap_ok(strstr(err.text, wrong[i].why) != NULL, err.text);
	}
	lb_buf_puts(&many, "words: [");
	for (int i = 0; i < 65; i++)
		lb_buf_printf(&many, "'a%d.',", i);
	lb_buf_puts(&many, "]");
	tap_ok(!list(lb_buf_str(&many), &err) &&
		       strstr(err.text, "more than 64 patterns"),
	       "at most 64 patterns");
	lb_buf_release(&many);
}

static void test_sides(void)
{
	static const struct {
		const char *lines;
		bool in, out;
	} sides[] = {
		{BAD, true, true},
		{BAD ", scope: all", true, true},
		{BAD ", scope: income-msg", true, false},
		{BAD ", scope: output-msg", false, true},
		{BAD ", check-sensitive-words: false", false, false},
		{"scope: all", false, false},
	};
	struct lb_error err = {0};

	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		struct lb_words *w = list(sides[i].lines, &err);

		tap_ok(w && lb_words_apply(w, LB_WORDS_IN) == sides[i].in &&
			       lb_words_apply(w, LB_WORDS_OUT) == sides[i].out,
		       sides[i].lines);
		lb_words_close(w);
	}
}

static void test_file(const char *text, const char *masked)
{
	char name[] = "/tmp/test-words-file.XXXXXX";
	int fd = mkstemp(name);
	lb_autofree char *lines =
		lb_printf("words: [own], words-file: %s", name);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return;
	close(fd);
	test_row(lines, "own bad evil", masked);
	unlink(name);
}

int main(void)
{
	if (close(mkstemp(path)) < 0)
		return 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_row(rows[i].lines, rows[i].text, rows[i].masked);
	test_held();
	test_long_line();
	test_borders();
	test_evil();
	test_wrong();
	test_sides();
	test_file("# a comment\nbad\r\n\nevil", "*** *** ****");
	test_file("{\"mask\":\"-\",\"mask_word\":\"\",\"words\":[\"b.d\"]}",
		  "--- --- evil");
	test_file("{\"mask\":\"*\",\"mask_word\":\"X\",\"words\":[\"bad\"]}",
		  "X X evil");
	unlink(path);
	return tap_end();
}
