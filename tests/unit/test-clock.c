/* test-clock - durations, sizes, time as text; ids. TAP. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/id.h"
#include "tap.h"

struct row {
	const char *text;
	int64_t expected; /* -1: refused */
};

static const struct row durations[] = {
	{"30", 30000},
	{"30s", 30000},
	{"500ms", 500},
	{"5m", 300000},
	{"2h", 7200000},
	{"7d", 604800000},
	{"1.5s", 1500},
	{".5", 500},
	{"0", 0},
	{"0.0004s", 0},
	{"", -1},
	{"s", -1},
	{"-1", -1},
	{"+1", -1},
	{" 1", -1},
	{"1 s", -1},
	{"1x", -1},
	{"1sx", -1},
	{"0x10", -1},
	{"1e3", -1},
	{"inf", -1},
	{"nan", -1},
	{".", -1},
	{"1.2.3", -1},
	{"1S", -1},
	{"none", -1},
	{"99999999999999d", -1},
	{"100000000d", 8640000000000000LL},
};

static const struct row sizes[] = {
	{"0", 0},
	{"1", 1},
	{"64k", 65536},
	{"64K", 65536},
	{"16M", 16777216},
	{"1.5k", 1536},
	{"2G", 2147483648LL},
	{"1T", -1},
	{"1kb", -1},
	{"-1", -1},
	{"0x10", -1},
	{"1e3", -1},
	{"", -1},
	{"99999999999G", -1},
};

static const struct {
	int64_t ms;
	const char *expected;
} times[] = {
	{0, "1970-01-01T00:00:00.000Z"},
	{1767225600123, "2026-01-01T00:00:00.123Z"},
	{253402300799999, "9999-12-31T23:59:59.999Z"},
	{253402300800000, "1970-01-01T00:00:00.000Z"},
	{-1, "1970-01-01T00:00:00.000Z"},
	{INT64_MAX, "1970-01-01T00:00:00.000Z"},
};

static const struct {
	const char *id;
	bool valid;
} ids[] = {
	{"01890a5d-ac96-774b-bcce-b302099a8057", true},
	{"01890a5d-ac96-774b-8cce-b302099a8057", true},
	{"01890a5d-ac96-474b-bcce-b302099a8057", false},
	{"01890a5d-ac96-774b-ccce-b302099a8057", false},
	{"01890A5D-ac96-774b-bcce-b302099a8057", false},
	{"01890a5d-ac96-774b-bcce-b302099a805", false},
	{"01890a5d-ac96-774b-bcce-b302099a80577", false},
	{"01890a5d_ac96-774b-bcce-b302099a8057", false},
	{"g1890a5d-ac96-774b-bcce-b302099a8057", false},
	{"", false},
	{NULL, false},
};

#define EACH(i, table)                                                         \
	for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)

static void test(const struct row *row, bool duration)
{
	struct lb_error err = {0};
	int64_t got = -1;
	int r = duration ? lb_duration_parse(row->text, &got, &err)
			 : lb_size_parse(row->text, &got, &err);

	tap_ok((r == 0) == (row->expected >= 0) && got == row->expected,
	       row->text);
	if (r < 0)
		tap_ok(err.code == LB_USAGE, "refused as a mistake of usage");
}

static void test_new_ids(void)
{
	char a[LB_ID_SIZE], b[LB_ID_SIZE];
	size_t same = 0;

	for (int i = 0; i < 1000; i++) { /* more than one pool of bytes */
		lb_id_new(0x0123456789ab, a);
		lb_id_new(0x0123456789ab, b);
		same += strcmp(a, b) == 0 || !lb_id_valid(a) ||
			strncmp(a, "01234567-89ab-7", 15) != 0;
	}
	tap_ok(same == 0, "new ids are valid, differ, and hold the time");
}

static void test_local(void)
{
	char got[LB_CLOCK_TEXT];

	setenv("TZ", "XST-9:30", 1);
	lb_clock_local(1767225600123, got);
	tap_same("2026-01-01 09:30:00", got, "where people are");
	setenv("TZ", "YST3", 1);
	lb_clock_local(1767225600123, got);
	tap_same("2025-12-31 21:00:00", got, "... somewhere else");
	lb_clock_local(-1, got);
	tap_same("1970-01-01 00:00:00", got, "no time");
	lb_clock_local(INT64_MAX, got);
	tap_same("1970-01-01 00:00:00", got, "a time too far");
}

int main(void)
{
	EACH(i, durations)
	test(&durations[i], true);
	EACH(i, sizes)
	test(&sizes[i], false);
	EACH(i, times)
	{
		char got[LB_CLOCK_TEXT];

		lb_clock_text(times[i].ms, got);
		tap_same(times[i].expected, got, "a time as text");
	}
	test_local();
	EACH(i, ids)
	tap_ok(lb_id_valid(ids[i].id) == ids[i].valid,
	       ids[i].id ? ids[i].id : "no id");
	test_new_ids();
	return tap_end();
}
