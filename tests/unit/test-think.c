/* test-think - <think> blocks, however a text is cut. TAP. */
#include "base/buf.h"
#include "record/think.h"
#include "tap.h"

/* What is answer, what is reasoning; `open`: a block is at the end. */
static const struct {
	const char *what, *text, *answer, *reasoning;
	bool open, orphans;
} rows[] = {
	{"text without a tag", "plain <b> text", "plain <b> text", ""},
	{"a block in front", "<think>\nhm\n</think>\n\nYes.", "Yes.", "\nhm\n"},
	{"several blocks", "a<think>1</think> b<think>2</think>\nc", "abc",
	 "12"},
	{"a tag that is none after all", "a <thin x <think b",
	 "a <thin x <think b", ""},
	{"a tag begun twice", "<<think>x</</think>y", "<y", "x</"},
	{"a block that is left open", "a<think>b</thin", "a", "b</thin", true},
	{"a closing tag alone is text", "a</think>b", "a</think>b", ""},
	{"or the end of what was reasoning all the time", "a\n</think>\n b",
	 "b", "a\n|", false, true},
	{"and twice", "a</think>b</think>c", "c", "a|b|", false, true},
	{"a closing tag alone, cut off", "a</thin", "a</thin", "", false, true},
	{"both tags begin alike", "<</think>a<think>b</think></think>c", "c",
	 "<|ba|", false, true},
	{"nothing", "", "", ""},
};

struct got {
	struct lb_buf answer, reasoning;
};

/* An orphan: what was answer is reasoning, and a bar. */
static void take(void *arg, bool reasoning, const char *text, size_t len)
{
	struct got *g = arg;

	if (reasoning && len == 0) {
		lb_buf_put(&g->reasoning, lb_buf_str(&g->answer),
			   g->answer.len);
		lb_buf_putc(&g->reasoning, '|');
		lb_buf_reset(&g->answer);
		return;
	}
	lb_buf_put(reasoning ? &g->reasoning : &g->answer, text, len);
}

/* In pieces of `n` bytes. */
static bool is_as_wanted(size_t row, size_t n)
{
	struct lb_think t = {.orphans = rows[row].orphans};
	struct got g = {{0}, {0}};
	const char *text = rows[row].text;
	bool open, good;

	for (size_t len; (len = strnlen(text, n)) > 0; text += len)
		lb_think_feed(&t, text, len, take, &g);
	open = lb_think_finish(&t, take, &g);
	good = open == rows[row].open &&
	       strcmp(lb_buf_str(&g.answer), rows[row].answer) == 0 &&
	       strcmp(lb_buf_str(&g.reasoning), rows[row].reasoning) == 0;
	if (!good)
		printf("# in pieces of %zu: '%s' and '%s'\n", n,
		       lb_buf_str(&g.answer), lb_buf_str(&g.reasoning));
	lb_buf_release(&g.answer);
	lb_buf_release(&g.reasoning);
	return good;
}

/* No more is held back than what may become a tag. */
static void test_held(void)
{
	struct lb_think t = {0};
	struct got g = {{0}, {0}};

	lb_think_feed(&t, "Hello <", 7, take, &g);
	tap_same("Hello ", lb_buf_str(&g.answer), "only '<' is held back");
	lb_think_feed(&t, "b", 1, take, &g);
	tap_same("Hello <b", lb_buf_str(&g.answer),
		 "and given out when it is no tag");
	lb_buf_release(&g.answer);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool good = true;

		for (size_t n = 1; n <= strlen(rows[i].text) + 1; n++)
			good = good && is_as_wanted(i, n);
		tap_ok(good, rows[i].what);
	}
	test_held();
	return tap_end();
}
