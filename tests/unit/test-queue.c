/* test-queue - the queue's order, leases and counts against a model. TAP. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/queue-db.h"
#include "store/queue-look.h"
#include "store/queue.h"
#include "tap.h"

static char state[] = "/tmp/lb-test-queue-XXXXXX";
static struct lb_error err;
static int each = 9; /* at most of one session */

/* What was taken, as "a1 a2 b1". */
struct taken {
	char text[512];
	int64_t seq[64];
	int n;
};

static int note(void *arg, const struct lb_queue_item *item)
{
	struct taken *t = arg;
	size_t len = strlen(t->text);

	snprintf(t->text + len, sizeof(t->text) - len, "%s%.*s%s",
		 len ? " " : "", (int)item->len, item->text,
		 item->alone ? "!" : "");
	t->seq[t->n++] = item->seq;
	return 0;
}

static void put(struct lb_queue *q, const char *names, int64_t not_before)
{
	char name[8];

	lb_queue_begin(q, true, &err);
	for (; *names; names += strcspn(names, " "), names += *names == ' ') {
		struct lb_queue_entry e = {name, NULL, not_before, name, 0};
		char session[2] = {*names, '\0'};

		e.len = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)e.len, names);
		e.session = session;
		tap_ok(lb_queue_put(q, &e, 1000, &err) == 1, name);
	}
	tap_ok(lb_queue_commit(q, &err) == 0, "it is in the queue");
}

static int64_t join(struct lb_queue *q)
{
	int64_t owner;

	lb_queue_begin(q, false, &err);
	owner = lb_queue_join(q, NULL, 0, 1000, &err);
	tap_ok(owner > 0 && lb_queue_commit(q, &err) == 0, "a new owner");
	return owner;
}

static struct taken take(struct lb_queue *q, int64_t owner,
			 enum lb_queue_which which, int max, int64_t now,
			 const char *expected)
{
	struct taken t = {.n = 0};

	lb_queue_begin(q, false, &err);
	lb_queue_take(q, owner, which, (struct lb_queue_room){max, each}, now,
		      note, &t, &err);
	lb_queue_commit(q, &err);
	tap_same(expected, t.text, "what is taken");
	return t;
}

static int finish(struct lb_queue *q, int64_t owner, int64_t seq)
{
	int r;

	lb_queue_begin(q, true, &err);
	r = lb_queue_finish(q, owner, seq, LB_QUEUE_DONE, 2000, "{}", 2, &err);
	lb_queue_commit(q, &err);
	return r;
}

static void leave(struct lb_queue *q, int64_t owner, bool died)
{
	lb_queue_begin(q, true, &err);
	tap_ok(lb_queue_leave(q, owner, died, &err) == 0 &&
		       lb_queue_commit(q, &err) == 0,
	       "the owner leaves");
}

static void back(struct lb_queue *q, int64_t owner, int64_t seq, int64_t at)
{
	lb_queue_begin(q, true, &err);
	tap_ok(lb_queue_put_back(q, owner, seq, at, true, &err) == 1 &&
		       lb_queue_commit(q, &err) == 0,
	       "one goes back");
}

static void test_leases(void)
{
	struct lb_queue *q = lb_queue_open(state, "leases", 5000, &err);
	struct taken t;
	int64_t one, two;

	put(q, "a1 a2 b1 a3 b2", 0);
	one = join(q);
	two = join(q);
	t = take(q, one, LB_QUEUE_FREE, 2, 1000, "a1 a2");
	take(q, two, LB_QUEUE_FREE, 9, 1000, "b1 b2");
	take(q, two, LB_QUEUE_OWN, 9, 1000, "");
	tap_ok(finish(q, two, t.seq[0]) == 0, "not another's to end");
	tap_ok(finish(q, one, t.seq[0]) == 1, "one's own is");
	tap_ok(finish(q, one, t.seq[0]) == 0, "once");
	take(q, two, LB_QUEUE_FREE, 9, 1000, "");
	take(q, one, LB_QUEUE_OWN, 9, 1000, "a3");
	leave(q, one, false);
	take(q, two, LB_QUEUE_FREE, 9, 1000, "a2 a3");
	leave(q, two, true);
	one = join(q);
	take(q, one, LB_QUEUE_FREE, 9, 1000, "");
	take(q, one, LB_QUEUE_ALONE, 9, 1000, "a2!");
	take(q, one, LB_QUEUE_ANY, 9, 1000, "b1! b2!");
	leave(q, one, true);
	lb_queue_close(q);
}

static void test_shares(void)
{
	struct lb_queue *q = lb_queue_open(state, "shares", 5000, &err);
	struct taken t;
	int64_t one;

	each = 4;
	put(q, "a1 a2 a3 a4 a5 a6 b1", 0);
	one = join(q);
	take(q, one, LB_QUEUE_FREE, 2, 1000, "a1 a2");
	t = take(q, one, LB_QUEUE_OWN, 9, 1000, "a3 a4");
	take(q, one, LB_QUEUE_OWN, 9, 1000, "");
	take(q, one, LB_QUEUE_FREE, 9, 1000, "b1");
	finish(q, one, t.seq[0]);
	take(q, one, LB_QUEUE_OWN, 9, 1000, "a5");
	each = 9;
	leave(q, one, false);
	lb_queue_close(q);
}

static void test_waits(void)
{
	struct lb_queue *q = lb_queue_open(state, "waits", 5000, &err);
	struct taken t;
	int64_t one;

	put(q, "a1 a2 a3 a4 a5", 0);
	put(q, "b1", 9000);
	put(q, "b2", 0);
	one = join(q);
	tap_ok(lb_queue_ready(q, one, LB_QUEUE_OWN, 1000, &err) == 1,
	       "what is fresh may be for anybody");
	take(q, one, LB_QUEUE_OWN, 9, 1000, "");
	tap_ok(lb_queue_ready(q, one, LB_QUEUE_OWN, 1000, &err) == 0,
	       "until somebody looked");
	tap_ok(lb_queue_next(q, one, 1000, &err) == 9000, "b1 comes next");
	t = take(q, one, LB_QUEUE_FREE, 4, 1000, "a1 a2 a3 a4");
	back(q, one, t.seq[0], 5000);
	back(q, one, t.seq[1], 1000);
	back(q, one, t.seq[2], 1000);
	/* a1 waits, so all behind it do; then the order is the old one. */
	take(q, one, LB_QUEUE_OWN, 9, 4999, "");
	take(q, one, LB_QUEUE_OWN, 9, 5000, "a1 a2 a3 a5");
	take(q, one, LB_QUEUE_FREE, 9, 8999, "");
	take(q, one, LB_QUEUE_FREE, 9, 9000, "b1 b2");
	leave(q, one, false);
	lb_queue_close(q);
}

static void test_dead(void)
{
	struct lb_queue *q = lb_queue_open(state, "dead", 5000, &err);
	struct lb_queue_stats s;
	struct taken t;
	int64_t one;

	put(q, "a1 a2", 0);
	one = join(q);
	t = take(q, one, LB_QUEUE_FREE, 1, 1000, "a1");
	lb_queue_begin(q, true, &err);
	tap_ok(lb_queue_finish(q, one, t.seq[0], LB_QUEUE_DEAD, 2000, "{}", 2,
			       &err) == 1 &&
		       lb_queue_commit(q, &err) == 0,
	       "it is dead");
	tap_ok(lb_queue_stats(q, 1000, &s, &err) == 0 && s.depth == 1 &&
		       s.dead == 1 && s.held == 0 && s.leases == 0,
	       "and counted so");
	lb_queue_begin(q, true, &err);
	tap_ok(lb_queue_revive(q, t.seq[0], 1000, &err) == 1 &&
		       lb_queue_revive(q, t.seq[0], 1000, &err) == 0 &&
		       lb_queue_commit(q, &err) == 0,
	       "it may be tried again, once");
	take(q, one, LB_QUEUE_FREE, 9, 1000, "a1 a2");
	lb_queue_begin(q, true, &err);
	lb_queue_finish(q, one, t.seq[0], LB_QUEUE_DONE, 2000, "{}", 2, &err);
	lb_queue_rollback(q);
	tap_ok(lb_queue_stats(q, 1000, &s, &err) == 0 && s.held == 2,
	       "what is rolled back did not happen");
	leave(q, one, false);
	lb_queue_close(q);
}

/* An owner in another process: there while it lives, gone when it is. */
static void test_owners(void)
{
	struct lb_queue *a = lb_queue_open(state, "owners", 5000, &err);
	struct lb_queue *b = lb_queue_open(state, "owners", 5000, &err);
	int64_t one, two;

	put(a, "a1", 0);
	one = join(a);
	two = join(b);
	take(a, one, LB_QUEUE_FREE, 9, 1000, "a1");
	tap_ok(lb_queue_reap(b, 1000, &err) == 0, "both are there");
	lb_queue_close(a);
	tap_ok(lb_queue_reap(b, 1000, &err) == 1, "one is gone");
	take(b, two, LB_QUEUE_FREE, 9, 1000, "a1");
	leave(b, two, false);
	lb_queue_close(b);
}

static int listed(void *arg, const struct lb_queue_row *row)
{
	char *text = arg;
	size_t len = strlen(text);

	snprintf(text + len, 64 - len, "%s%s", len ? " " : "", row->key);
	return 0;
}

static void list(struct lb_queue *q, enum lb_queue_list which, int64_t now,
		 const char *expected)
{
	char text[64] = "";

	lb_queue_each(q, which, 9, now, listed, text, &err);
	tap_same(expected, text, "what is listed");
}

/* What nobody has put in line yet is there all the same. */
static void test_fresh(void)
{
	struct lb_queue *q = lb_queue_open(state, "fresh", 5000, &err);
	struct lb_queue_stats s;
	struct lb_queue_found found;
	struct taken t;
	int64_t one;

	put(q, "a1", 0);
	one = join(q);
	take(q, one, LB_QUEUE_FREE, 9, 1000, "a1");
	put(q, "b1 b2 a2", 0);
	put(q, "c1", 5000);
	list(q, LB_QUEUE_ALL, 1000, "a1 b1 b2 a2 c1");
	list(q, LB_QUEUE_LIST_READY, 1000, "b1");
	list(q, LB_QUEUE_LIST_READY, 5000, "b1 c1");
	tap_ok(lb_queue_stats(q, 1000, &s, &err) == 0 && s.depth == 5 &&
		       s.held == 1 && s.delayed == 1 && s.oldest == 1000,
	       "and counted");
	tap_ok(lb_queue_find(q, "b2", "b", &found, &err) == 1 &&
		       found.ended == 0 && found.owner == 0,
	       "and found");
	lb_queue_begin(q, true, &err);
	lb_queue_sort(q, 1000, &err);
	lb_queue_rollback(q);
	take(q, one, LB_QUEUE_OWN, 9, 1000, "a2");
	list(q, LB_QUEUE_ALL, 1000, "a1 b1 b2 a2 c1");
	list(q, LB_QUEUE_LIST_READY, 1000, "b1");
	take(q, one, LB_QUEUE_FREE, 9, 1000, "b1 b2");
	t = take(q, one, LB_QUEUE_FREE, 9, 5000, "c1");
	finish(q, one, t.seq[0]);
	leave(q, one, false);
	lb_queue_close(q);
}

/* A number that was given back is used again: by what must not be missed. */
static void test_numbers(void)
{
	struct lb_queue *q = lb_queue_open(state, "numbers", 5000, &err);
	struct lb_queue *other = lb_queue_open(state, "other", 5000, &err);
	struct taken t;
	int64_t one, two, last;

	one = join(q);
	two = join(other);
	for (int i = 0; i < 3; i++) {
		const char *const names[] = {"x1", "x2", "x3"};

		put(q, "a1 a2", 0);
		t = take(q, one, LB_QUEUE_FREE, 9, 1000, "a1 a2");
		last = t.seq[1];
		finish(q, one, t.seq[0]);
		finish(q, one, t.seq[1]);
		tap_ok(lb_queue_purge(q, 3000, true, 9, &err) == 2,
		       "they are forgotten");
		put(other, names[i], 0);
		t = take(other, two, LB_QUEUE_FREE, 9, 1000, names[i]);
		tap_ok(t.seq[0] < last, "their numbers are used again");
		finish(other, two, t.seq[0]);
	}
	/* A session that waits for its first look is not forgotten. */
	put(q, "b1", 0);
	tap_ok(lb_queue_purge(q, INT64_MAX, true, 9, &err) == 0,
	       "nothing to forget");
	take(q, one, LB_QUEUE_FREE, 9, 1000, "b1");
	lb_queue_close(q);
	lb_queue_close(other);
}

int main(void)
{
	lb_autofree char *rm = NULL;

	if (!mkdtemp(state))
		return 99;
	test_leases();
	test_shares();
	test_waits();
	test_dead();
	test_owners();
	test_fresh();
	test_numbers();
	rm = lb_printf("rm -rf %s", state);
	return system(rm) != 0 || tap_end();
}
