/* test-base64 - the vectors of RFC 4648, and what is none. TAP. */
#include "base/base64.h"
#include "tap.h"

static const struct {
	const char *text, *bytes; /* NULL: refused */
} rows[] = {
	{"", ""},
	{"Zg==", "f"},
	{"Zm8=", "fo"},
	{"Zm9v", "foo"},
	{"Zm9vYg==", "foob"},
	{"Zm9vYmE=", "fooba"},
	{"Zm9vYmFy", "foobar"},
	{"Zm9vYg", "foob"},
	{"Zm9v\r\nYmFy\n", "foobar"},
	{"+/+/", "\xfb\xff\xbf"},
	{"Zm9vY", NULL},
	{"Zg=", NULL},
	{"Zg===", NULL},
	{"Z===", NULL},
	{"Zg==Zg==", NULL},
	{"Zm9-", NULL},
	{"=", NULL},
	{"Zm9v=", NULL},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lb_autobuf struct lb_buf out = {0};
		bool ok;

		lb_buf_puts(&out, "|");
		ok = lb_base64_decode(&out, rows[i].text, strlen(rows[i].text));
		tap_ok(ok == (rows[i].bytes != NULL), rows[i].text);
		tap_same(rows[i].bytes ? rows[i].bytes : "", out.data + 1,
			 "its bytes");
	}
	/* The first rows are as they are written. */
	for (size_t i = 0; i < 7; i++) {
		lb_autobuf struct lb_buf out = {0};

		lb_base64_encode(&out, rows[i].bytes, strlen(rows[i].bytes));
		tap_same(rows[i].text, lb_buf_str(&out), "and back");
	}
	return tap_end();
}
