/* test-markup - Markdown as Telegram shows it, and as plain text. TAP. */
#include <time.h>

#include "base/mem.h"
#include "platform/markup.h"
#include "record/cut.h"
#include "tap.h"
#include "telegram-html.h"

#define WANG "\xe7\x8e\x8b"
#define COLON "\xef\xbc\x9a"
#define BULLET "\xe2\x80\xa2"
#define RULE "\xe2\x80\x94\xe2\x80\x94\xe2\x80\x94"

static const struct {
	const char *text, *html, *plain;
} rows[] = {
	{"", "", ""},
	{"plain\ntext", "plain\ntext", "plain\ntext"},
	{"\n\na\n\n\nb\n", "a\n\n\nb", "a\n\n\nb"},
	/* Emphasis */
	{"**b** *i* ~~s~~", "<b>b</b> <i>i</i> <s>s</s>", "b i s"},
	{"__b__ _i_", "<b>b</b> <i>i</i>", "b i"},
	{"**a *b* c**", "<b>a <i>b</i> c</b>", "a b c"},
	{"***x***", "<i><b>x</b></i>", "x"},
	{"***x* y**", "<b><i>x</i> y</b>", "x y"},
	{"**a **b** c**", "<b>a b c</b>", "a b c"},
	{"*a ~~b* c~~", "<i>a ~~b</i> c~~", "a ~~b c~~"},
	{"snake_case_word __init__x", "snake_case_word __init__x",
	 "snake_case_word __init__x"},
	{"2 * 3 * 4 ~ 5", "2 * 3 * 4 ~ 5", "2 * 3 * 4 ~ 5"},
	{"**open *x", "**open *x", "**open *x"},
	{"**" WANG COLON "**" WANG, "<b>" WANG COLON "</b>" WANG,
	 WANG COLON WANG},
	{"**" WANG ":**" WANG, "<b>" WANG ":</b>" WANG, WANG ":" WANG},
	{"*one\ntwo*", "<i>one\ntwo</i>", "one\ntwo"},
	{"*one\n\ntwo*", "*one\n\ntwo*", "*one\n\ntwo*"},
	{"\\*a\\* \\d", "*a* \\d", "*a* \\d"},
	/* Code */
	{"`a <b> **c**`", "<code>a &lt;b&gt; **c**</code>", "a <b> **c**"},
	{"`` a`b ``", "<code>a`b</code>", "a`b"},
	{"`open **b**", "`open <b>b</b>", "`open b"},
	{"```c++\nint a<b>;\n  x\n```\nz",
	 "<pre><code class=\"language-c++\">int a&lt;b&gt;;\n  "
	 "x</code></pre>\nz",
	 "int a<b>;\n  x\nz"},
	{"~~~\n```\n**x**\n~~~", "<pre>```\n**x**</pre>", "```\n**x**"},
	{"```\nnever closed", "<pre>never closed</pre>", "never closed"},
	{"```\"><b>\nx\n```", "<pre>x</pre>", "x"},
	{"a\n```\n```\nb", "a\nb", "a\nb"},
	{"- x\n  ```py\n  y\n    z\n  ```",
	 BULLET " x\n<pre><code class=\"language-py\">y\n  z</code></pre>",
	 BULLET " x\ny\n  z"},
	/* Links and images */
	{"[t](http://x.y/a_b?c=1&d)",
	 "<a href=\"http://x.y/a_b?c=1&amp;d\">t</a>",
	 "t (http://x.y/a_b?c=1&d)"},
	{"[a (b)](http://x/(y)_z \"title\")",
	 "<a href=\"http://x/(y)_z\">a (b)</a>", "a (b) (http://x/(y)_z)"},
	{"[**b**](<http://x/a>)", "<a href=\"http://x/a\"><b>b</b></a>",
	 "b (http://x/a)"},
	{"[x](javascript:alert)", "x (javascript:alert)",
	 "x (javascript:alert)"},
	{"[x](/rel) [y]() [](http://z)", "x (/rel) y http://z",
	 "x (/rel) y http://z"},
	{"[x](http://a\"><b>)", "<a href=\"http://a&quot;&gt;&lt;b&gt;\">x</a>",
	 "x (http://a\"><b>)"},
	{"[http://x](http://x)", "<a href=\"http://x\">http://x</a>",
	 "http://x"},
	{"[a [b](http://c)](http://d)",
	 "[a <a href=\"http://c\">b</a>](http://d)",
	 "[a b (http://c)](http://d)"},
	{"*a [b*](http://c)", "*a <a href=\"http://c\">b*</a>",
	 "*a b* (http://c)"},
	{"![alt](http://x.com/a_b.png) and | a | b |",
	 "alt (http://x.com/a_b.png) and | a | b |",
	 "alt (http://x.com/a_b.png) and | a | b |"},
	{"[![i](http://p)](http://l)", "<a href=\"http://l\">i (http://p)</a>",
	 "i (http://p) (http://l)"},
	{"<http://x/a_b_c> http://x/_a_/b", "http://x/a_b_c http://x/_a_/b",
	 "http://x/a_b_c http://x/_a_/b"},
	/* What looks like HTML */
	{"<b>x</b> & \"y\" &lt;z&gt; &copy;",
	 "&lt;b&gt;x&lt;/b&gt; &amp; &quot;y&quot; &lt;z&gt; &amp;copy;",
	 "<b>x</b> & \"y\" <z> &copy;"},
	{"a<br/>b<broken", "a\nb&lt;broken", "a\nb<broken"},
	/* Lines */
	{"# Head *i* #\ntext", "<b>Head <i>i</i> </b>\ntext", "Head i \ntext"},
	{"## a **b** c", "<b>a b c</b>", "a b c"},
	{"#tag ####### x", "#tag ####### x", "#tag ####### x"},
	{"- a\n  * b\n+ c", BULLET " a\n  " BULLET " b\n" BULLET " c",
	 BULLET " a\n  " BULLET " b\n" BULLET " c"},
	{"- *a\n- b*", BULLET " *a\n" BULLET " b*",
	 BULLET " *a\n" BULLET " b*"},
	{"- [ ] a\n- [x] b", "\xe2\x98\x90 a\n\xe2\x98\x91 b",
	 "\xe2\x98\x90 a\n\xe2\x98\x91 b"},
	{"1. *a\n2. b*", "1. *a\n2. b*", "1. *a\n2. b*"},
	{"a\n***\nb\n- - -", "a\n" RULE "\nb\n" RULE, "a\n" RULE "\nb\n" RULE},
	{"> a **b**\n> c\nd", "<blockquote>a <b>b</b>\nc</blockquote>\nd",
	 "> a b\n> c\nd"},
	{"> > a", "<blockquote>&gt; a</blockquote>", "> > a"},
	{"> a\n> ```\n> x\n> ```\n> b",
	 "<blockquote>a</blockquote>\n<pre>x</pre>\n"
	 "<blockquote>b</blockquote>",
	 "> a\n> ```\n> x\n> ```\n> b"},
	{"> ```\n> x\ny", "<pre>x</pre>\ny", "> ```\n> x\ny"},
	{"| a | b |\n|---|--:|\n| **1** | <x> |\nz",
	 "<pre>| a | b |\n|---|--:|\n| 1 | &lt;x&gt; |</pre>\nz",
	 "| a | b |\n|---|--:|\n| 1 | <x> |\nz"},
	{"a | b\nc", "a | b\nc", "a | b\nc"},
	/* Bytes */
	{"a\xff\x01\rb",
	 "a\xef\xbf\xbd"
	 "b",
	 "a\xef\xbf\xbd"
	 "b"},
};

static void test_row(size_t i)
{
	lb_autobuf struct lb_buf html = {0}, plain = {0};
	size_t len = strlen(rows[i].text);
	long units;

	lb_markup(rows[i].text, len, LB_MARKUP_TELEGRAM_HTML, &html);
	lb_markup(rows[i].text, len, LB_MARKUP_PLAIN, &plain);
	tap_same(rows[i].html, lb_buf_str(&html), rows[i].html);
	tap_same(rows[i].plain, lb_buf_str(&plain), "and plain");
	units = html_units(lb_buf_str(&html), html.len);
	tap_ok(units >= 0 && (size_t)units <= lb_text_units(rows[i].text, len,
							    LB_UNIT_UTF16),
	       "accepted, and no longer than it was");
}

/* The checker itself: what Telegram would refuse. */
static void test_checker(void)
{
	static const char *const bad[] = {
		"<b>x",
		"x</b>",
		"<b><i>x</b></i>",
		"<u>x</u>",
		"a & b",
		"a &copy;",
		"a < b",
		"a > b",
		"<b><b>x</b></b>",
		"<pre><b>x</b></pre>",
		"<code><i>x</i></code>",
		"<a href=\"x>y</a>",
		"<blockquote>a<blockquote>b</blockquote></blockquote>",
		"<code class=\"language-c\">x</code>",
		"\xff",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap_ok(html_units(bad[i], strlen(bad[i])) < 0, bad[i]);
	tap_ok(html_units("<b>a</b>&lt;\xf0\x9f\x99\x82", 19 - 3) == 4,
	       "units are those of the text");
}

/* A MiB of the worst there is. */
static void test_large(const char *unit)
{
	size_t len = 1 << 20, n = strlen(unit);
	lb_autofree char *text = lb_alloc(len);
	lb_autobuf struct lb_buf html = {0};
	clock_t began = clock();

	for (size_t i = 0; i < len; i++)
		text[i] = unit[i % n];
	lb_markup(text, len, LB_MARKUP_TELEGRAM_HTML, &html);
	tap_ok(clock() - began < 20 * CLOCKS_PER_SEC, "1 MiB in linear time");
	tap_ok(html_units(lb_buf_str(&html), html.len) >= 0, "accepted");
	printf("# %ld ms\n", (long)((clock() - began) * 1000 / CLOCKS_PER_SEC));
}

int main(void)
{
	static const char *const hard[] = {
		"*",        "[",         ">",          "`",        "> ",
		"*a",       "**a ",      "a**b",       "*a_ ",     "_a*~~b",
		"[a](",     "](",        "![",         "[](<",     "[a](b)",
		"[[a](b)]", "``a`",      "<",          "&",        "\\",
		"- ",       "# ",        "|\n",        "|-|\n",    "```\n",
		"> ```\n",  "[a](b \"",  "*a**b*c***", "a\n> b\n", "[*a](",
		"~~a~~ ",   "<http://a", "` `` ``` ",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_row(i);
	test_checker();
	for (size_t i = 0; i < sizeof(hard) / sizeof(hard[0]); i++)
		test_large(hard[i]);
	return tap_end();
}
