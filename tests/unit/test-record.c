/* test-record - lines, members, repairs, and records made of records. TAP. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/line.h"
#include "record/plain.h"
#include "record/prune.h"
#include "record/record.h"
#include "tap.h"

#define EACH(i, table)                                                         \
	for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)

/* ---- lines */

static const struct {
	const char *what;
	int pad; /* blanks written before input */
	const char *input;
	size_t max;
	const char
		*expected; /* L<number>:<length>, or D<number> when refused */
} streams[] = {
	{"nothing at all", 0, "", 99, ""},
	{"one line", 0, "{}\n", 99, "L1:2"},
	{"no last newline", 0, "{}\n{}x", 99, "L1:2 L2:3"},
	{"blank lines count but carry nothing", 0, "\n \t\r\n{}\n\n", 99,
	 "L3:2"},
	{"a blank last line without newline", 0, "{}\n  ", 99, "L1:2"},
	{"a NUL is no blank", 0, "a\n", 99, "L1:1"},
	{"as long as allowed", 0, "1234567\n12\n", 7, "L1:7 L2:2"},
	{"one byte too long", 0, "12345678\n12\n", 7, "D1 L2:2"},
	{"as long as allowed, no newline", 0, "1234567", 7, "L1:7"},
	{"too long, no newline", 0, "12345678", 7, "D1"},
	{"far too long, then a line", 0,
	 "0123456789012345678901234567890123456789\n{}", 4, "D1 L2:2"},
	{"two too long in a row", 0, "123456\n123456\n12\n", 4, "D1 D2 L3:2"},
	{"longer than a read, refused", 300000, "{}\n{}\n", 7, "D1 L2:2"},
	{"longer than a read, allowed", 300000, "{}\n{}\n", 400000,
	 "L1:300002 L2:2"},
	{"longer than a read, one too many", 300000, "{}\n{}\n", 300001,
	 "D1 L2:2"},
};

static void note_line(struct lb_buf *got, int r, const struct lb_line *line)
{
	lb_buf_puts(got, got->len ? " " : "");
	if (r > 0)
		lb_buf_printf(got, "L%lu:%zu", line->number, line->len);
	else
		lb_buf_printf(got, "D%lu", line->number);
}

/* All lines of a file, as filters read. */
static void read_file(size_t i)
{
	int fd = memfd_create("lines", MFD_CLOEXEC), r;
	struct lb_lines *in = lb_lines_open(fd, streams[i].max);
	lb_autobuf struct lb_buf got = {0};
	struct lb_error err;
	struct lb_line line;

	if (dprintf(fd, "%*s%s", streams[i].pad, "", streams[i].input) < 0 ||
	    lseek(fd, 0, SEEK_SET) != 0)
		return;
	while ((r = lb_lines_next(in, &line, &err)) != 0)
		note_line(&got, r, &line);
	tap_same(streams[i].expected, lb_buf_str(&got), streams[i].what);
	tap_ok(lb_lines_ended(in), "and it is at its end");
	lb_lines_close(in);
	close(fd);
}

/* The same through a non-blocking pipe, byte for byte: take after each. */
static void read_pipe(size_t i)
{
	lb_autobuf struct lb_buf got = {0};
	const char *p = streams[i].input;
	struct lb_lines *in;
	struct lb_error err;
	struct lb_line line;
	int ends[2], r, idle;

	if (streams[i].pad || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	in = lb_lines_open(ends[0], streams[i].max);
	idle = lb_lines_fill(in, &err);
	for (; *p; p++) {
		if (write(ends[1], p, 1) != 1 || lb_lines_fill(in, &err) != 1)
			break;
		while ((r = lb_lines_take(in, &line, &err)) != 0)
			note_line(&got, r, &line);
	}
	close(ends[1]);
	r = lb_lines_fill(in, &err);
	tap_ok(idle == 1 && r == 0 && !*p, "nothing yet is not the end");
	while ((r = lb_lines_take(in, &line, &err)) != 0)
		note_line(&got, r, &line);
	tap_same(streams[i].expected, lb_buf_str(&got), streams[i].what);
	lb_lines_close(in);
	close(ends[0]);
}

static void test_bad_descriptor(void)
{
	struct lb_lines *in = lb_lines_open(-1, 9);
	struct lb_error err = {0};
	struct lb_line line;

	tap_ok(lb_lines_next(in, &line, &err) < 0 && err.code == LB_IO,
	       "a descriptor that cannot be read");
	lb_lines_close(in);
}

/* ---- members */

static const struct {
	const char *text, *expected; /* key=value of each; NULL: no object */
} scans[] = {
	{"{}", ""},
	{" { } ", ""},
	{"{\"a\":1}", "a=1;"},
	{" {\"a\" : [1,{\"b\":\"]}\"}] , \"b\":\"x\\\"y\" } ",
	 "a=[1,{\"b\":\"]}\"}];b=\"x\\\"y\";"},
	{"{\"a\\\"\":-1.5e3,\"\":null}", "a\\\"=-1.5e3;=null;"},
	{"{\"a\":\"\\\\\",\"b\":\"\\\\\\\\\"}", "a=\"\\\\\";b=\"\\\\\\\\\";"},
	{"", NULL},
	{"[]", NULL},
	{"{", NULL},
	{"{\"a\"", NULL},
	{"{\"a\":", NULL},
	{"{\"a\":}", NULL},
	{"{\"a\":1", NULL},
	{"{\"a\":1,}", NULL},
	{"{\"a\":1}}", NULL},
	{"{\"a\":1} {}", NULL},
	{"{\"a\":\"x", NULL},
	{"{\"a\":[1", NULL},
	{"{a:1}", NULL},
	{"{\"a\" 1}", NULL},
};

static const struct {
	const char *text, *expected; /* NULL: not told without a parse */
} kinds[] = {
	{"{\"kind\":\"a\"", "a"},
	{"{ \t\"kind\" :\r \"re_ce-1pt\" nonsense", "re_ce-1pt"},
	{"{\"kind\":\"a", NULL},
	{"{\"kind\":\"\"}", NULL},
	{"{\"kind\":\"A\"}", NULL},
	{"{\"kind\":\"a\\u0062\"}", NULL},
	{"{\"k\\u0069nd\":\"a\"}", NULL},
	{"{\"id\":1,\"kind\":\"a\"}", NULL},
	{" {\"kind\":\"a\"}", NULL},
	{"{\"kind\":1}", NULL},
	{"{", NULL},
	{"", NULL},
};

static const struct {
	const char *text, *expected;
} prunes[] = {
	{"{\"p\":1}", "{}"},
	{"{\"p\":1,\"a\":2}", "{\"a\":2}"},
	{"{\"a\":2,\"p\":1}", "{\"a\":2}"},
	{"{\"a\":2, \"p\" : {\"p\":[1]} ,\"b\":3}", "{\"a\":2 ,\"b\":3}"},
	{"{\"p\":1,\"p\":2,\"a\":0.10}", "{\"a\":0.10}"},
	{"{\"p\":1,\"p\":2}", "{}"},
	{"{\"a\":{\"p\":1},\"p\":2,\"b\":[{\"p\":3,\"c\":4}]}",
	 "{\"a\":{},\"b\":[{\"c\":4}]}"},
	{"[\"p\",{\"a\":\"p\"},\"p\"]", "[\"p\",{\"a\":\"p\"},\"p\"]"},
	{"{\"a\":[\"p\",1],\"b\":{\"c\":1},\"p\":\"}\"}",
	 "{\"a\":[\"p\",1],\"b\":{\"c\":1}}"},
	{"{\"\\u0070\":1,\"\\u0050\":2,\"\\\\p\":3}",
	 "{\"\\u0050\":2,\"\\\\p\":3}"},
	{"{\"pp\":1,\"\":2}", "{\"pp\":1,\"\":2}"},
	{"18446744073709551616", "18446744073709551616"},
	{"\"p\"", "\"p\""},
};

static void test_scan(void)
{
	EACH(i, scans)
	{
		struct lb_members m = {0};
		lb_autobuf struct lb_buf got = {0};
		bool object = lb_scan(scans[i].text, strlen(scans[i].text), &m);

		for (size_t k = 0; object && k < m.n; k++)
			lb_buf_printf(&got, "%.*s=%.*s;", (int)m.at[k].key.len,
				      m.at[k].key.at, (int)m.at[k].value.len,
				      m.at[k].value.at);
		tap_same(scans[i].expected ? scans[i].expected : "none",
			 object ? lb_buf_str(&got) : "none", scans[i].text);
		lb_members_release(&m);
	}
	EACH(i, kinds)
	{
		struct lb_span span;
		bool told = lb_scan_kind(kinds[i].text, strlen(kinds[i].text),
					 &span);

		tap_ok(told == (kinds[i].expected != NULL) &&
			       (!told || lb_span_is(span, kinds[i].expected)),
		       kinds[i].text);
	}
	EACH(i, prunes)
	{
		lb_autobuf struct lb_buf got = {0};

		lb_prune(&got,
			 (struct lb_span){prunes[i].text,
					  strlen(prunes[i].text)},
			 "p");
		tap_same(prunes[i].expected, lb_buf_str(&got), prunes[i].text);
	}
}

/* ---- records */

static const struct {
	const char *text,
		*expected; /* the bytes that go on; NULL: as they are */
	const char *why;   /* NULL: it is a record */
} records[] = {
	{"{\"kind\":\"a\",\"n\":[0.10,1e2,-0]}", NULL, NULL},
	{"{\"n\":18446744073709551616}", NULL, NULL},
	{"{\"n\":-9223372036854775809,\"m\":1}", NULL, NULL},
	{"{\"s\":\"\\u0000\"}", NULL, NULL},
	{"{\"s\":\"\xff\"}", "{\"s\":\"\xef\xbf\xbd\"}", NULL},
	{"{\"s\":\"\\ud800\"}", "{\"s\":\"\\ufffd\"}", NULL},
	{"{\"s\":\"\\udc00\\ud83d\\ude00\\uD800\"}",
	 "{\"s\":\"\\ufffd\\ud83d\\ude00\\ufffd\"}", NULL},
	{"{\"s\":\"\\\\ud800\\ud800\\ud800\\udc00\"}",
	 "{\"s\":\"\\\\ud800\\ufffd\\ud800\\udc00\"}", NULL},
	{"{\"s\":\"\xff\",\"n\":18446744073709551616}",
	 "{\"s\":\"\xef\xbf\xbd\",\"n\":18446744073709551616}", NULL},
	{"{\"n\":18446744073709551616,\"s\":\"\xff\"}",
	 "{\"n\":18446744073709551616,\"s\":\"\xef\xbf\xbd\"}", NULL},
	{"[]", NULL, "not an object"},
	{"7", NULL, "not an object"},
	{"{\"a\":1,\"a\":2}", NULL, "a key stands there twice"},
	{"{\"a\":1,\"\\u0061\":2}", NULL, "a key stands there twice"},
	{"{\"k\\u0069nd\":\"a\"}", NULL, "'kind' is spelled with escapes"},
	{"{\"a\":{\"b\":1,\"b\":2}}", NULL, NULL}, /* inner keys are not ours */
	{"{\"n\":1e400}", NULL, "column 10: real number overflow"},
	{"{\"s\":\"hush\" x}", NULL, "column 13: '}' expected"},
	{"{} {}", NULL, "column 4: end of file expected"},
	{"{\"a\\u0000b\":1}", NULL,
	 "column 11: NUL byte in object key not supported"},
};

static void test_parse(void)
{
	struct lb_record r = {0};

	EACH(i, records)
	{
		const char *text = records[i].text;
		const char *want =
			records[i].expected ? records[i].expected : text;
		struct lb_error err = {.text = ""};
		int got = lb_record_parse(&r, text, strlen(text), &err);

		if (records[i].why) {
			tap_same(records[i].why, err.text, text);
			continue;
		}
		tap_ok(got == 0 && r.len == strlen(want) &&
			       memcmp(r.text, want, r.len) == 0,
		       want);
	}
	lb_record_release(&r);
}

static void test_nul(void)
{
	static const char text[] = "{\"n\":7\0}";
	struct lb_record r = {0};
	struct lb_error err;

	tap_ok(lb_record_parse(&r, text, sizeof(text) - 1, &err) < 0,
	       "a NUL byte is no blank");
	tap_same("column 7: a NUL byte", err.text, "and is named");
	lb_record_release(&r);
}

static void test_values(void)
{
	static const char text[] =
		"{\"s\":\"a\\u0000b\",\"o\":{\"l\":[\"\\u0000\"]}}";
	struct lb_record r = {0};
	struct lb_error err;
	const json_t *list;

	tap_ok(lb_record_parse(&r, text, sizeof(text) - 1, &err) == 0,
	       "NULs are read");
	tap_same("a\xef\xbf\xbd"
		 "b",
		 json_string_value(json_object_get(r.json, "s")), "as U+FFFD");
	list = json_object_get(json_object_get(r.json, "o"), "l");
	tap_same("\xef\xbf\xbd", json_string_value(json_array_get(list, 0)),
		 "all the way down");
	lb_record_release(&r);
}

static const struct lb_problem problem = {"stage", LB_CODE_IO, "why", true, 2};

static void test_splice(void)
{
	static const char text[] =
		"{ \"n\":0.10 ,\"kind\":\"a\", \"x\\u0061\":1, \"y\": [ ] }";
	static const char *const without[] = {"xa", NULL};
	static const char *const with[] = {"n", "xa", NULL};
	lb_autobuf struct lb_buf b = {0};
	struct lb_record r = {0};
	struct lb_error err;

	lb_record_parse(&r, text, sizeof(text) - 1, &err);
	lb_splice(&b, &r, "b", without);
	lb_put_str(&b, "s", "\"");
	lb_put_int(&b, "i", INT64_MIN);
	lb_put_int(&b, "z", 0);
	lb_put_bool(&b, "t", true);
	lb_put_end(&b);
	tap_same("{\"kind\":\"b\",\"n\":0.10,\"y\":[ ],\"s\":\"\\\"\","
		 "\"i\":-9223372036854775808,\"z\":0,\"t\":true}\n",
		 b.data, "members keep their bytes, but those left out");
	lb_buf_reset(&b);
	lb_pick_members(&b, &r, "b", with);
	lb_put_end(&b);
	tap_same("{\"kind\":\"b\",\"n\":0.10,\"x\\u0061\":1}\n", b.data,
		 "or those named alone");
	lb_buf_reset(&b);
	lb_put_drop(&b, &r, "s", "r");
	tap_same("{\"kind\":\"drop\",\"n\":0.10,\"x\\u0061\":1,\"y\":[ ],"
		 "\"stage\":\"s\",\"reason\":\"r\"}\n",
		 b.data, "a drop");
	lb_record_release(&r);
}

/* An error about a record of which one member is this long. */
static void test_error(const char *key, size_t len, const char *expected)
{
	lb_autobuf struct lb_buf text = {0}, b = {0};
	lb_autofree char *filler = lb_alloc(len + 1);
	struct lb_record r = {0};
	struct lb_error err;

	memset(filler, 'x', len);
	lb_buf_printf(&text,
		      "{\"kind\":\"a\",\"id\":\"i\",\"chain\":[],"
		      "\"%s\":\"%s\"}",
		      key, filler);
	lb_record_parse(&r, text.data, text.len, &err);
	lb_put_error(&b, &r, &problem);
	if (expected)
		tap_same(expected, b.data, "an error without what is long");
	else
		tap_ok(memmem(b.data, b.len, text.data, text.len),
		       "an error holds its record");
	lb_record_release(&r);
}

#define PROBLEM                                                                \
	"\"stage\":\"stage\",\"code\":\"io\",\"message\":\"why\","             \
	"\"retryable\":true,\"sent_parts\":2,"

static void test_errors(void)
{
	static const char cut[] =
		"{\"kind\":\"error\",\"id\":\"i\"," PROBLEM
		"\"record\":{\"kind\":\"a\",\"id\":\"i\",\"cut\":true}}\n";

	const size_t frame =
		strlen("{\"kind\":\"a\",\"id\":\"i\",\"chain\":[],\"x\":\"\"}");

	test_error("x", 60000, NULL);
	test_error("x", 65536 - frame, NULL); /* 64 KiB in all */
	test_error("x", 65537 - frame, cut);
	test_error("sender_name", 1000000, cut);
}

static void test_bad_line(size_t lead, const char *filler, const char *end,
			  size_t kept)
{
	lb_autobuf struct lb_buf line = {0}, b = {0};
	json_auto_t *record = NULL;
	const json_t *got;

	while (line.len < lead)
		lb_buf_putc(&line, 'a');
	while (line.len < 5000)
		lb_buf_puts(&line, filler);
	lb_put_bad_line(&b, "s", "w", line.data, line.len, 7);
	record = json_loads(b.data, 0, NULL);
	got = json_object_get(record, "line");
	tap_ok(json_string_length(got) == kept, "a bad line is cut");
	tap_ok(kept == 0 || strcmp(json_string_value(got) + kept - strlen(end),
				   end) == 0,
	       "behind a whole character");
	tap_ok(json_integer_value(json_object_get(record, "line_number")) == 7,
	       "and named");
}

/* lb_plain() says yes only to what a parse takes without repair. */
static void test_plain(void)
{
	static const struct {
		const char *text;
		bool plain;
	} rows[] = {
		{"{}", true},
		{" {\"a\" : [1, -2.50, true,false,null,\"\\u00e9\\n\"] } ",
		 true},
		{"{\"a\":{\"b\":1,\"b\":2}}", true},
		{"{\"a\":\"\xe7\x8e\x8b\"}", true},
		{"{\"a\":0}", true},
		{"", false},
		{"[]", false},
		{"{", false},
		{"{\"a\"}", false},
		{"{\"a\":}", false},
		{"{\"a\":1,}", false},
		{"{,}", false},
		{"{\"a\":[1,]}", false},
		{"{\"a\":[1}", false},
		{"{} {}", false},
		{"{}x", false},
		{"{\"a\":1,\"a\":2}", false},
		{"{\"\\u0061\":1}", false},
		{"{\"a\":01}", false},
		{"{\"a\":-}", false},
		{"{\"a\":1.}", false},
		{"{\"a\":.5}", false},
		{"{\"a\":+1}", false},
		{"{\"a\":1e5}", false},
		{"{\"a\":18446744073709551616}", false},
		{"{\"a\":nul}", false},
		{"{\"a\":nullx}", false},
		{"{\"a\":\"\xff\"}", false},
		{"{\"a\":\"\xed\xa0\x80\"}", false},
		{"{\"a\":\"\\ud83d\"}", false},
		{"{\"a\":\"\\u0000\"}", false},
		{"{\"a\":\"\\u12g4\"}", false},
		{"{\"a\":\"\\x\"}", false},
		{"{\"a\":\"\t\"}", false},
		{"{\"a\":\"b", false},
		{"{\"a\":\"b\\\"}", false},
		{"{\"a\\u0000\":1}", false},
	};
	struct lb_members m = {.n = 0};
	struct lb_record r = {0};
	struct lb_error err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = rows[i].text;
		size_t len = strlen(text);

		tap_ok(lb_plain(text, len, &m) == rows[i].plain, text);
		if (rows[i].plain)
			tap_ok(lb_record_parse(&r, text, len, &err) == 0 &&
				       r.text == text && r.members.n == m.n,
			       "a parse says so, too");
	}
	tap_ok(!lb_plain("{\"a\":\"\0\"}", 9, &m), "a NUL byte");
	lb_members_release(&m);
	lb_record_release(&r);
}

int main(void)
{
	EACH(i, streams)
	{
		read_file(i);
		read_pipe(i);
	}
	test_bad_descriptor();
	test_scan();
	test_parse();
	test_nul();
	test_values();
	test_splice();
	test_errors();
	test_bad_line(0, "a", "a", 4096);
	test_bad_line(0, "\xe7\x8e\x8b", "\xe7\x8e\x8b", 4095);
	test_bad_line(1, "\xe7\x8e\x8b", "\xe7\x8e\x8b", 4096);
	test_bad_line(2, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 4094);
	test_bad_line(1, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 4093);
	test_bad_line(0, "\xff", "\xef\xbf\xbd", 4095);
	test_plain();
	return tap_end();
}
