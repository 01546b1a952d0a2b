/* test-box-output.c - what is shown of a long stream, and results. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "box/output.h"
#include "tap.h"

/* How many characters stay of so many, where so many are shown. */
static const struct vector {
	uint64_t chars;
	size_t shown;
	uint64_t head, tail;
	const char *notice;
} vectors[] = {
	{4001, 4000, 2377, 1586, "\n\n... [38 characters truncated] ...\n\n"},
	{5000, 4000, 2376, 1585, "\n\n... [1039 characters truncated] ...\n\n"},
	{10000, 4000, 2376, 1585,
	 "\n\n... [6039 characters truncated] ...\n\n"},
	{100000, 4000, 2376, 1584,
	 "\n\n... [96040 characters truncated] ...\n\n"},
	{100, 50, 7, 6, "\n\n... [87 characters truncated] ...\n\n"},
	{100, 10, 0, 0, "\n\n... [100"},
	{1, 0, 0, 0, ""},
};

static void check_vectors(void)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *v = &vectors[i];
		struct lb_box_split s = lb_box_split(v->chars, v->shown);
		lb_autofree char *what =
			lb_printf("%llu characters, %zu shown",
				  (unsigned long long)v->chars, v->shown);

		s.notice[s.n_notice] = '\0';
		tap_same(v->notice, s.notice, what);
		tap_ok(s.head == v->head && s.tail == v->tail, what);
		if (s.head != v->head || s.tail != v->tail)
			printf("# %llu and %llu\n", (unsigned long long)s.head,
			       (unsigned long long)s.tail);
	}
}

/* What is shown when it comes in pieces of that size. */
static void show(const char *text, size_t len, size_t shown, size_t piece,
		 struct lb_buf *out, bool *truncated)
{
	struct lb_box_output o = {.shown = shown};

	lb_buf_reset(out);
	for (size_t at = 0; at < len; at += piece)
		lb_box_output_add(&o, text + at,
				  len - at < piece ? len - at : piece);
	lb_box_output_text(&o, out, truncated);
	lb_box_output_release(&o);
}

/* The same with all of it in memory. */
static void expect(const char *text, size_t len, size_t shown,
		   struct lb_buf *out)
{
	lb_autobuf struct lb_buf clean = {0};
	struct lb_box_split s;
	size_t chars, head = 0, tail = 0;

	lb_utf8_clean(&clean, text, len);
	chars = lb_utf8_count(lb_buf_str(&clean), clean.len);
	lb_buf_reset(out);
	if (chars <= shown) {
		lb_buf_put(out, lb_buf_str(&clean), clean.len);
		return;
	}
	s = lb_box_split(chars, shown);
	for (uint64_t n = 0; n < s.head; n++)
		head += lb_utf8_char(clean.data + head, clean.len - head);
	for (uint64_t n = 0; n < chars - s.tail; n++)
		tail += lb_utf8_char(clean.data + tail, clean.len - tail);
	lb_buf_put(out, clean.data, head);
	lb_buf_put(out, s.notice, s.n_notice);
	lb_buf_put(out, clean.data + tail, clean.len - tail);
}

static const size_t sizes[] = {0, 1, 2, 10, 37, 38, 40, 50, 100, 200, 1000};
static const size_t pieces[] = {1, 2, 3, 5, 7, 64, 100000};

static bool check_all(const char *text, size_t len)
{
	lb_autobuf struct lb_buf want = {0}, got = {0};
	bool truncated;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		expect(text, len, sizes[i], &want);
		for (size_t j = 0; j < sizeof(pieces) / sizeof(pieces[0]);
		     j++) {
			show(text, len, sizes[i], pieces[j], &got, &truncated);
			if (strcmp(lb_buf_str(&want), lb_buf_str(&got)) == 0 &&
			    lb_utf8_count(lb_buf_str(&got), got.len) <=
				    sizes[i])
				continue;
			printf("# shown %zu, pieces of %zu, of %zu bytes\n",
			       sizes[i], pieces[j], len);
			return false;
		}
	}
	return true;
}

static const struct text {
	const char *what, *of;
} texts[] = {
	{"nothing", ""},
	{"ASCII", "abcdefghij"},
	{"three bytes each", "\u6c49\u5b57\u6c49"},
	{"four bytes each", "\U0001f600\U0001f601"},
	{"all lengths", "a\u00e9\u6c49\U0001f600"},
	{"ill-formed", "a\xff"
		       "b\xe6\xb1"
		       "c\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\x80"},
	{"tails alone", "\x80\x81\x82"},
	{"heads alone", "\xe6\xe6\xf0"},
	{"a beginning at the end", "xy\xf0\x9f\x98"},
};

static void check_texts(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		lb_autobuf struct lb_buf all = {0};
		bool good = true;

		for (size_t n = 0; n < 60 && good; n++) {
			good = check_all(lb_buf_str(&all), all.len);
			lb_buf_puts(&all, texts[i].of);
		}
		tap_ok(good, texts[i].what);
	}
}

static void check_random(void)
{
	uint32_t state = 7;
	bool good = true;

	for (int i = 0; i < 300 && good; i++) {
		lb_autobuf struct lb_buf text = {0};
		static const char of[] = "ab\n\xe6\xb1\x89\xf0\x9f\x98\x80\xff";

		for (int n = 0; n < i * 2; n++) {
			state = state * 1664525 + 1013904223;
			lb_buf_putc(&text, of[(state >> 16) % 11]);
		}
		good = check_all(lb_buf_str(&text), text.len);
	}
	tap_ok(good, "any bytes, in any pieces");
}

/* Memory is by what is shown, never by what comes. */
static void check_bound(void)
{
	struct lb_box_output o = {.shown = 100};
	char block[4096];

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 1000; i++)
		lb_box_output_add(&o, block, sizeof(block));
	tap_ok(o.head.cap + o.tail.cap < 2048, "memory is bounded");
	tap_ok(o.bytes == 4096000 && o.chars == 4096000, "and all is counted");
	lb_box_output_release(&o);
	tap_ok(o.shown == 100 && o.bytes == 0, "an empty one shows as much");
}

static char *result(struct lb_box_result *r, const char *out, size_t len,
		    bool raw)
{
	json_auto_t *o = NULL;

	r->out.shown = r->out.shown ? r->out.shown : 4000;
	r->err.shown = 4000;
	lb_box_output_add(&r->out, out, len);
	o = lb_box_result_json(r, raw);
	lb_box_result_release(r);
	return json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
}

static void check_results(void)
{
	struct lb_box_result r = {.session = "b/g_1",
				  .backend = "bubblewrap",
				  .duration_ms = 81,
				  .isolated = true,
				  .limits = LB_BOX_CGROUP,
				  .quota = LB_BOX_QUOTA_HARD};
	lb_autofree char *plain = result(&r, "4\n", 2, false);
	lb_autofree char *late = NULL, *dead = NULL;

	tap_same("{\"session_id\":\"b/g_1\",\"backend\":\"bubblewrap\","
		 "\"status\":\"completed\",\"ok\":true,\"exit_code\":0,"
		 "\"stdout\":\"4\\n\",\"stdout_truncated\":false,"
		 "\"stderr\":\"\",\"stderr_truncated\":false,"
		 "\"duration_ms\":81,\"isolated\":true,"
		 "\"limits_backend\":\"cgroup\",\"quota\":\"hard\"}",
		 plain, "a result");
	r = (struct lb_box_result){.backend = "host",
				   .end = LB_BOX_TIMED_OUT,
				   .exit_code = -1,
				   .notes = lb_json_pack("[s]", "n"),
				   .limits = LB_BOX_RLIMIT,
				   .quota = LB_BOX_QUOTA_SOFT};
	late = result(&r, "", 0, false);
	tap_same("{\"session_id\":null,\"backend\":\"host\","
		 "\"status\":\"timed_out\",\"ok\":false,\"exit_code\":null,"
		 "\"stdout\":\"\",\"stdout_truncated\":false,"
		 "\"stderr\":\"\",\"stderr_truncated\":false,"
		 "\"duration_ms\":0,\"isolated\":false,"
		 "\"limits_backend\":\"rlimit\",\"quota\":\"soft\","
		 "\"notes\":[\"n\"]}",
		 late, "one whose time was over, with a note");
	r = (struct lb_box_result){.killed_by = "output", .exit_code = 0};
	dead = result(&r, "", 0, false);
	tap_ok(strstr(dead, "\"ok\":false") &&
		       strstr(dead, "\"killed_by\":\"output\""),
	       "what was ended is not ok, whatever its status");
	r = (struct lb_box_result){.exit_code = 3};
	free(dead);
	dead = result(&r, "", 0, false);
	tap_ok(strstr(dead, "\"ok\":false,\"exit_code\":3"),
	       "nor is a status but 0");
}

static void check_raw(void)
{
	struct lb_box_result r = {.out.shown = 10};
	lb_autofree char *cut = result(&r,
				       "0123456789\xff"
				       "bcdefghij",
				       20, true);
	lb_autofree char *whole = NULL, *text = NULL, *fixed = NULL;

	tap_ok(strstr(cut, "\"stdout\":\"MDEyMzQ1Z2hpag==\","
			   "\"stdout_truncated\":true,"
			   "\"stdout_encoding\":\"base64\","
			   "\"stdout_bytes\":20,\"stdout_kept\":10,"
			   "\"stdout_head\":6"),
	       "raw bytes: 6 of the beginning, 4 of the end");
	r = (struct lb_box_result){.out.shown = 10};
	whole = result(&r, "a\xe6\xb1", 3, true);
	tap_ok(strstr(whole, "\"stdout\":\"Yeax\",\"stdout_truncated\":false,"
			     "\"stdout_encoding\":\"base64\",\"stderr\""),
	       "half a character at the end is not UTF-8");
	r = (struct lb_box_result){.out.shown = 10};
	text = result(&r, "a\u6c49", 4, true);
	tap_ok(strstr(text, "\"stdout\":\"a\\u6C49\"") &&
		       !strstr(text, "encoding"),
	       "what is UTF-8 is text, raw or not");
	r = (struct lb_box_result){.out.shown = 50};
	fixed = result(&r,
		       "\xff"
		       "123456789012345678901234567890123456789012345678901",
		       52, false);
	tap_ok(strstr(fixed, "\"stdout\":\"\\uFFFD123456\\n\\n... [39 "
			     "characters truncated] ...\\n\\n678901\","
			     "\"stdout_truncated\":true,"
			     "\"stdout_bytes\":52,\"stdout_kept\":13"),
	       "else it is repaired and cut");
	if (tap_bad > 0)
		printf("# %s\n", fixed);
}

int main(void)
{
	check_vectors();
	check_texts();
	check_random();
	check_bound();
	check_results();
	check_raw();
	return tap_end();
}
