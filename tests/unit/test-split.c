/* test-split - where long texts are cut: parts joined are the text. TAP. */
#include "base/buf.h"
#include "base/utf8.h"
#include "pipeline/split.h"
#include "tap.h"

#define WANG "\xe7\x8e\x8b"
#define STOP "\xe3\x80\x82"
#define SMILE "\xf0\x9f\x98\x80"

static const struct {
	size_t max;
	const char *text, *expected; /* parts with | between */
} rows[] = {
	{10, "", ""},
	{10, "short", "short"},
	{10, "ten chars.", "ten chars."},
	{10, "one two three", "one two |three"},
	{10, "0123456789abc", "0123456789|abc"},
	{10, "a b0123456789", "a b0123456|789"}, /* too early to cut at */
	{12, "one two.\n\nthree", "one two.\n\n|three"},
	{14, "para.\n\nl\nx y and more", "para.\n\nl\n|x y and more"},
	{10, "line 1\nword and", "line 1\n|word and"},
	{10, "go on! a b c d e", "go on! |a b c d e"},
	{10, "go on? a b c d e", "go on? |a b c d e"},
	{4, WANG WANG STOP WANG WANG WANG, WANG WANG STOP "|" WANG WANG WANG},
	{3, SMILE SMILE SMILE SMILE, SMILE SMILE SMILE "|" SMILE},
	{1, "ab" SMILE, "a|b|" SMILE},
	{0, "ab", "a|b"}, /* at least one character */
	{2, "\n\n\n\n\n", "\n\n|\n\n|\n"},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lb_autobuf struct lb_buf got = {0}, joined = {0};
		const char *at = rows[i].text;
		size_t left = strlen(at), max = rows[i].max ? rows[i].max : 1;
		bool fit = true;

		while (left > 0) {
			size_t n = lb_split(at, left, rows[i].max);

			if (n == 0 || n > left)
				break;
			fit = fit && lb_utf8_count(at, n) <= max &&
			      lb_utf8_valid(at, n);
			if (got.len > 0)
				lb_buf_putc(&got, '|');
			lb_buf_put(&got, at, n);
			lb_buf_put(&joined, at, n);
			at += n;
			left -= n;
		}
		tap_same(rows[i].expected, lb_buf_str(&got), "the parts");
		tap_same(rows[i].text, lb_buf_str(&joined), "joined again");
		tap_ok(fit, "each as long as allowed, whole characters");
	}
	return tap_end();
}
