/* test-json - values by path, merges, numbers, strings as JSON. TAP. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "tap.h"

static json_t *load(const char *text)
{
	return json_loads(text, JSON_DECODE_ANY, NULL);
}

static char *dump(const json_t *value)
{
	lb_autobuf struct lb_buf b = {0};

	if (value)
		lb_buf_json(&b, value);
	else
		lb_buf_puts(&b, "nothing");
	return lb_buf_take(&b);
}

static void same_json(const char *want, const json_t *value, const char *what)
{
	char *got = dump(value);

	tap_same(want, got, what);
	free(got);
}

static const struct {
	const char *path, *expected;
} paths[] = {
	{"a.b.0", "1"},
	{"a.b.1.c", "2"},
	{"a.b", "[1,{\"c\":2}]"},
	{"a.b.2", "nothing"},
	{"a.b.-1", "nothing"},
	{"a.b.+0", "nothing"},
	{"a.b. 0", "nothing"},
	{"a.b.0x0", "nothing"},
	{"a.b..c", "nothing"},
	{"a.b.", "[1,{\"c\":2}]"},
	{"a.x", "nothing"},
	{"a.b.0.c", "nothing"},
	{"a.b.99999999999999999999", "nothing"},
};

static const struct {
	const char *value;
	bool whole;
	int64_t expected;
} numbers[] = {
	{"7", true, 7},
	{"-7", true, -7},
	{"7.0", true, 7},
	{"1e3", true, 1000},
	{"9007199254740992.0", true, 9007199254740992},
	{"9007199254740994.0", false, 0},
	{"7.5", false, 0},
	{"\"7\"", false, 0},
	{"true", false, 0},
	{"null", false, 0},
	{"9223372036854775807", true, INT64_MAX},
};

static const struct {
	const char *path, *expected;
} puts_[] = {
	{"a", "{\"a\":9}"},
	{"b.c", "{\"a\":1,\"b\":{\"c\":9}}"},
	{"a.b", "{\"a\":{\"b\":9}}"},
	{"", "{\"a\":1}"},
};

static const struct {
	const char *base, *over, *expected;
} merges[] = {
	{"{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}"},
	{"{\"a\":{\"x\":1}}", "{\"a\":{\"y\":2}}", "{\"a\":{\"x\":1,\"y\":2}}"},
	{"{\"a\":{\"x\":1}}", "{\"a\":2}", "{\"a\":2}"},
	{"{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}"},
	{"{\"a\":1}", "{\"a\":null}", "{\"a\":null}"},
};

#define EACH(i, table)                                                         \
	for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)

static void test_strings(void)
{
	static const char raw[] = "a\"\\\n\t\r\b\x1f\x7f\xc3\xa9";
	lb_autobuf struct lb_buf b = {0};
	json_auto_t *back = NULL, *o = json_object();

	lb_buf_json_str(&b, raw, sizeof(raw) - 1);
	tap_same("\"a\\\"\\\\\\n\\t\\r\\u0008\\u001f\\u007f\xc3\xa9\"", b.data,
		 "a string as JSON");
	back = load(b.data);
	tap_same(raw, json_string_value(back), "and back");
	lb_json_set_str(o, "s", "a\xff", 2);
	same_json("{\"s\":\"a\xef\xbf\xbd\"}", o, "bad bytes are repaired");
}

static void test_needs(void)
{
	json_auto_t *o = load("{\"s\":\"x\",\"n\":1,\"t\":true}");
	struct lb_error err;
	const char *text;

	tap_ok(lb_json_need_str(o, "s", &text, &err) == 0 &&
		       strcmp(text, "x") == 0,
	       "a string that is needed");
	tap_ok(lb_json_need_str(o, "n", &text, &err) < 0 && err.code == LB_DATA,
	       "a number where a string is needed");
	tap_same("field 'n' is not a string", err.text, "and what it says");
	lb_json_need_str(o, "x", &text, &err);
	tap_same("field 'x' is missing", err.text, "nothing where one is");
	tap_ok(lb_json_bool(o, "t", false) && lb_json_bool(o, "x", true) &&
		       !lb_json_bool(o, "n", false),
	       "a boolean, or what else");
	tap_ok(!lb_json_str(o, "n") && !lb_json_str(NULL, "n"), "no string");
}

static void test_buf(void)
{
	lb_autobuf struct lb_buf b = {0};
	size_t cap;

	for (int i = 0; i < 1000; i++)
		lb_buf_printf(&b, "%d,", i);
	tap_ok(b.len == 3890 && strlen(b.data) == b.len, "it grows");
	lb_buf_shift(&b, 3886);
	tap_same("999,", b.data, "and shrinks from the front");
	cap = b.cap;
	lb_buf_reset(&b);
	tap_ok(b.len == 0 && b.cap == cap && !*b.data, "empty, memory kept");
	lb_buf_put(&b, NULL, 0);
	lb_buf_reserve(&b, cap - 1);
	tap_ok(b.cap == cap, "what fits with its NUL fits");
	lb_buf_reserve(&b, cap);
	tap_ok(b.cap > cap, "one byte more does not");
}

int main(void)
{
	json_auto_t *tree = load("{\"a\":{\"b\":[1,{\"c\":2}]}}");

	EACH(i, paths)
	same_json(paths[i].expected, lb_json_path(tree, paths[i].path),
		  paths[i].path);
	EACH(i, numbers)
	{
		json_auto_t *o = json_object();
		int64_t got = 0;
		bool whole;

		json_object_set_new(o, "n", load(numbers[i].value));
		whole = lb_json_int(o, "n", &got);
		tap_ok(whole == numbers[i].whole && got == numbers[i].expected,
		       numbers[i].value);
	}
	EACH(i, puts_)
	{
		json_auto_t *o = load("{\"a\":1}");

		lb_json_put(o, puts_[i].path, json_integer(9));
		same_json(puts_[i].expected, o, "a value put at a path");
	}
	EACH(i, merges)
	{
		json_auto_t *base = load(merges[i].base);
		json_auto_t *over = load(merges[i].over);

		lb_json_merge(base, over);
		same_json(merges[i].expected, base, "a merge");
	}
	test_strings();
	test_needs();
	test_buf();
	return tap_end();
}
