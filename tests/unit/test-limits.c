/* test-limits - what platforms take, and what a bot's `limits` change. TAP. */
#include <string.h>

#include "base/json.h"
#include "platform/limits.h"
#include "tap.h"

/* A few rows as the platforms publish them; the order of members matters. */
static const struct {
	const char *platform;
	size_t text, caption;
	enum lb_unit unit;
	int64_t media_out, photo_out, edit_ms;
} rows[] = {
	{"telegram", 4096, 1024, LB_UNIT_UTF16, 50 << 20, 10 << 20, 1000},
	{"discord", 2000, 2000, LB_UNIT_CODE_POINTS, 10 << 20, 10 << 20, 1000},
	{"LINE", 5000, 0, LB_UNIT_UTF16, 0, 10 << 20, 0},
	{"lark", 150 << 10, 0, LB_UNIT_BYTES, 30 << 20, 10 << 20, 300},
	{"irc", 512, 0, LB_UNIT_BYTES, 0, 0, 0},
	{"onebot", 3000, 0, LB_UNIT_CODE_POINTS, 0, 0, 0},
	{"matrix", 32768, 0, LB_UNIT_BYTES, 0, 0, 3000},
};

static const struct {
	const char *over, *expected; /* an error; NULL: none */
} overs[] = {
	{"{}", NULL},
	{"{\"text\":4}", NULL},
	{"{\"text\":3}", "limits: 'text' is not what it may be"},
	{"{\"text\":-1}", "limits: 'text' is not what it may be"},
	{"{\"text\":\"x\"}", "limits: 'text' is not what it may be"},
	{"{\"text\":null}", "limits: 'text' is not what it may be"},
	{"{\"burst\":0}", "limits: 'burst' is not what it may be"},
	{"{\"unit\":\"feet\"}",
	 "limits: 'unit' is none of bytes, code-points and utf16"},
	{"{\"unit\":1}",
	 "limits: 'unit' is none of bytes, code-points and utf16"},
	{"{\"media-in\":\"9G\"}", "limits: 'media-in' is not what it may be"},
	{"{\"edit-interval\":\"2h\"}",
	 "limits: 'edit-interval' is not what it may be"},
	{"{\"edit-interval\":9223372036854775807}",
	 "limits: 'edit-interval' is not what it may be"},
	{"{\"texts\":1}", "limits: there is no limit 'texts'"},
	{"[]", "'limits' is not an object"},
};

static void test_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct lb_limits *l = lb_limits_find(rows[i].platform);

		tap_ok(l && l->text == rows[i].text &&
			       l->caption == rows[i].caption &&
			       l->unit == rows[i].unit &&
			       l->media_out == rows[i].media_out &&
			       l->photo_out == rows[i].photo_out &&
			       l->edit_ms == rows[i].edit_ms,
		       rows[i].platform);
	}
	tap_ok(!lb_limits_find("pigeon"), "no such platform");
	for (const struct lb_limits *l = lb_limits; l->platform; l++)
		tap_ok(lb_limits_find(l->platform) == l && l->text >= 512 &&
			       l->burst >= 1 && l->media_out <= 1 << 30,
		       l->platform);
}

static void test_over(void)
{
	static const char all[] =
		"{\"text\":100,\"caption\":50,\"unit\":\"bytes\","
		"\"media-in\":\"1M\",\"media-out\":2,\"photo-out\":\"3k\","
		"\"chat-interval\":\"500ms\",\"group-interval\":2,"
		"\"all-interval\":\"10ms\",\"burst\":7,"
		"\"edit-interval\":\"2s\",\"group-edit-interval\":\"1m\"}";
	struct lb_limits l;
	struct lb_error err = {0};

	for (size_t i = 0; i < sizeof(overs) / sizeof(overs[0]); i++) {
		json_auto_t *over = json_loads(overs[i].over, 0, NULL);
		int r = lb_limits_read("telegram", over, &l, &err);

		if (overs[i].expected)
			tap_same(overs[i].expected, r < 0 ? err.text : "none",
				 overs[i].over);
		else
			tap_ok(r == 0, overs[i].over);
		tap_ok(r == 0 || err.code == LB_CONFIG, "its code");
	}
	{
		json_auto_t *over = json_loads(all, 0, NULL);

		tap_ok(lb_limits_read("telegram", over, &l, &err) == 0, "all");
	}
	tap_ok(l.text == 100 && l.caption == 50 && l.unit == LB_UNIT_BYTES &&
		       l.media_in == 1 << 20 && l.media_out == 2 &&
		       l.photo_out == 3072 && l.burst == 7,
	       "what may be sent");
	tap_ok(l.chat_ms == 500 && l.group_ms == 2000 && l.all_ms == 10 &&
		       l.edit_ms == 2000 && l.group_edit_ms == 60000,
	       "when it may be");
	tap_same("telegram", l.platform, "of which platform");
	tap_ok(lb_limits_read("irc", NULL, &l, &err) == 0 && l.text == 512,
	       "no object changes nothing");
	tap_ok(lb_limits_read("pigeon", NULL, &l, &err) < 0 &&
		       err.code == LB_BUG,
	       "a platform without a line");
}

int main(void)
{
	test_rows();
	test_over();
	return tap_end();
}
