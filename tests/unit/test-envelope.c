/*
 * test-envelope - the decoder of Connect streams. Each stream is fed whole, a
 * byte at a time and in every two-way split; all must give the same. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "net/envelope.h"

struct row {
	const char *what;
	const char *input;
	size_t len;
	const char *expected; /* "text;", "text.;" for the last, "!" refused */
};

#define TEXT(s) s, sizeof(s) - 1

static const struct row rows[] = {
	{"an empty stream", TEXT(""), ""},
	{"one message", TEXT("\0\0\0\0\2{}"), "{};"},
	{"an empty message", TEXT("\0\0\0\0\0"), ";"},
	{"two, and the last", TEXT("\0\0\0\0\1a\0\0\0\0\2bc\2\0\0\0\1d"),
	 "a;bc;d.;"},
	{"a message that is cut off", TEXT("\0\0\0\0\1a\0\0\0\0\3bc"), "a;"},
	{"a head that is cut off", TEXT("\0\0\0\0\1a\0\0"), "a;"},
	{"one of the longest length", TEXT("\0\0\0\0\10abcdefgh"), "abcdefgh;"},
	{"a longer one", TEXT("\0\0\0\0\1a\0\0\0\0\11abcdefghi"), "a;!"},
	{"as long as can be", TEXT("\0\377\377\377\377a"), "!"},
	{"one that is compressed", TEXT("\1\0\0\0\1a"), "!"},
	{"the last, compressed", TEXT("\3\0\0\0\1a"), "!"},
	{"more after the last", TEXT("\2\0\0\0\1a\0\0\0\0\1b"), "a.;!"},
	{"one that the caller refuses",
	 TEXT("\0\0\0\0\1a\0\0\0\0\1#\0\0\0\0\1b"), "a;!"},
};

static int failed, tests;

static void check(bool ok, const char *what, const char *got)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, what);
	if (!ok)
		printf("# got %s\n", got);
	failed |= !ok;
}

static int note(void *arg, bool is_last, const char *text, size_t len,
		struct lb_error *err)
{
	struct lb_buf *got = arg;

	if (len == 1 && *text == '#')
		return lb_fail(err, LB_DATA, "not that");
	lb_buf_put(got, text, len);
	lb_buf_puts(got, is_last ? ".;" : ";");
	return 0;
}

static int feed(struct lb_envelope *e, const char *text, size_t len,
		struct lb_buf *got)
{
	struct lb_error err;

	if (lb_envelope_feed(e, text, len, note, got, &err) == 0)
		return 0;
	lb_buf_puts(got, "!");
	return -1;
}

/* In two pieces; `at` 0: a byte at a time. */
static bool play(const struct row *r, size_t at, struct lb_buf *got)
{
	struct lb_envelope e = {.max = 8};
	int result = 0;

	lb_buf_reset(got);
	if (at > 0) {
		result = feed(&e, r->input, at, got);
		if (result == 0)
			feed(&e, r->input + at, r->len - at, got);
	}
	for (size_t i = 0; at == 0 && i < r->len && result == 0; i++)
		result = feed(&e, r->input + i, 1, got);
	lb_envelope_release(&e);
	return strcmp(lb_buf_str(got), r->expected) == 0;
}

static void check_put(void)
{
	lb_autobuf struct lb_buf out = {NULL}, got = {NULL};
	lb_autobuf struct lb_buf text = {NULL};
	struct lb_envelope e = {.max = 0};

	for (int i = 0; i < 70000; i++)
		lb_buf_putc(&text, 'x');
	lb_envelope_put(&out, text.data, text.len);
	check(out.len == 70005 && memcmp(out.data, "\0\0\1\21\160", 5) == 0,
	      "a message is put with its length", "another");
	feed(&e, out.data, out.len, &got);
	check(got.len == 70001, "and read", "another");
	lb_envelope_release(&e);
}

int main(void)
{
	lb_autobuf struct lb_buf got = {NULL};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool ok = true;

		for (size_t at = 0; ok && at <= rows[i].len; at++)
			ok = play(&rows[i], at, &got);
		check(ok, rows[i].what, lb_buf_str(&got));
	}
	check_put();
	printf("1..%d\n", tests);
	return failed;
}
