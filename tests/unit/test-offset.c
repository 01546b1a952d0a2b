/* test-offset - how far a bot has read: alone, and with what it read. TAP. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/offset.h"
#include "tap.h"

static char state[] = "/tmp/lb-test-offset-XXXXXX";
static struct lb_error err;

static void is(struct lb_queue *q, const char *bot, const char *source,
	       const char *expected, int64_t when)
{
	lb_autofree char *value = NULL;
	int64_t time = 0;
	int r = lb_offset_get(q, bot, source, &value, &time, &err);

	tap_ok(r == (expected ? 1 : 0), "there is one, or none");
	tap_same(expected ? expected : "", value ? value : "", "the offset");
	tap_ok(time == when, "when it was written");
}

static void set(struct lb_queue *q, const char *bot, const char *value,
		int64_t now)
{
	tap_ok(lb_offset_set(q, bot, "updates", value, now, &err) == 0,
	       "it is set");
}

static void put(struct lb_queue *q, const char *key)
{
	struct lb_queue_entry e = {key, "s", 0, "{}", 2};

	tap_ok(lb_queue_put(q, &e, 1000, &err) == 1, "a record is put");
}

/* A second process sees it only once it is committed. */
static void together(struct lb_queue *q, struct lb_queue *other)
{
	lb_queue_begin(q, true, &err);
	put(q, "r1");
	set(q, "b", "9", 30);
	is(other, "b", "updates", "8", 20);
	lb_queue_rollback(q);
	is(q, "b", "updates", "8", 20);
	lb_queue_begin(q, true, &err);
	tap_ok(lb_queue_depth(q, &err) == 0, "nor is the record there");
	put(q, "r1");
	set(q, "b", "9", 30);
	tap_ok(lb_queue_commit(q, &err) == 0, "both are committed");
	is(other, "b", "updates", "9", 30);
	is(other, "c", "updates", "x", 11);
}

int main(void)
{
	lb_autofree char *remove = NULL;
	struct lb_queue *q, *other;

	if (!mkdtemp(state))
		return 99;
	q = lb_queue_open(state, "in", 1000, &err);
	other = lb_queue_open(state, "in", 1000, &err);
	is(q, "b", "updates", NULL, 0);
	set(q, "b", "7", 10);
	set(q, "c", "x", 11);
	is(q, "b", "updates", "7", 10);
	is(q, "b", "other", NULL, 0);
	set(q, "b", "8", 20);
	is(other, "b", "updates", "8", 20);
	together(q, other);
	lb_queue_close(q);
	lb_queue_close(other);
	remove = lb_printf("rm -rf '%s'", state);
	return system(remove) ? 99 : tap_end();
}
