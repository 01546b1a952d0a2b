/* lb-queue put */
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/watch.h"
#include "config/config.h"
#include "held.h"
#include "queue.h"
#include "record/filter.h"
#include "record/ticket.h"

/* Bytes gathered at most before they are stored; the longest pause between
 * two looks whether there is room again. */
enum { GATHER_MAX = 1 << 20, LOOK_MS = 1000 };

static const char *full = "refuse";
static long most;
static bool strict;
static int64_t max_line;

const struct lb_opt put_options[] = {
	{0, "full", "POLICY",
	 "when it is full: refuse (default), block or drop-oldest",
	 .text = &full},
	{0, "max", "N", "hold at most N records (default: any number)",
	 .number = &most, .min = 1, .max = 1000000000},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0},
};

static const char *const owned[] = {"message", "query", "reply", "chunk", NULL};

struct put {
	struct lb_queue *q;
	const char *name;
	struct held held;
	struct lb_buf said; /* what is told of it once it is on the disk */
	struct lb_record record;
	bool failed, refused;
};

static void say_queued(struct put *p, const struct entry *e, bool again)
{
	lb_buf_put(&p->said, p->held.bytes.data + e->queued, e->queued_len);
	if (again)
		lb_put_bool(&p->said, "duplicate", true);
	lb_put_end(&p->said);
}

static int say_refused(struct put *p, const struct entry *e,
		       struct lb_error *err)
{
	const struct lb_problem problem = {"lb-queue", LB_CODE_OVERLOADED,
					   "the queue is full", true, -1};

	if (!p->refused)
		lb_complain("queue '%s' is full: %ld records", p->name, most);
	p->refused = true;
	if (lb_record_parse(&p->record, p->held.bytes.data + e->text, e->len,
			    err) < 0)
		return -1;
	lb_put_error(&p->said, &p->record, &problem);
	return 1;
}

/* The oldest makes room. 1, 0: all are in hand, -1. */
static int drop_oldest(struct put *p, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	lb_autobuf struct lb_buf drop = {0};
	struct lb_record r = {0};
	int64_t seq;
	size_t len;
	int got = lb_queue_oldest(p->q, lb_clock_now(), &seq, &text, &len, err);

	if (got <= 0)
		return got;
	got = lb_record_parse(&r, text, len, err);
	if (got == 0) {
		lb_put_drop(&drop, &r, "lb-queue", "the queue is full");
		got = lb_queue_drop(p->q, seq, lb_clock_now(), drop.data,
				    drop.len - 1, err);
	}
	lb_record_release(&r);
	if (got == 0)
		lb_buf_put(&p->said, drop.data, drop.len);
	return got < 0 ? -1 : 1;
}

/* 1: there is room for one more; 0: there is none; -1 failed. */
static int room(struct put *p, struct lb_error *err)
{
	int64_t depth = most ? lb_queue_depth(p->q, err) : 0;

	if (depth < 0)
		return -1;
	if (!most || depth < most)
		return 1;
	return strcmp(full, "drop-oldest") == 0 ? drop_oldest(p, err) : 0;
}

/* One record: 1 it is settled, 0 it must wait for room, -1 failed. */
static int put_one(struct put *p, const struct entry *e, struct lb_error *err)
{
	const char *held = p->held.bytes.data;
	const struct lb_queue_entry row = {held + e->key, held + e->session,
					   e->not_before, held + e->text,
					   e->len};
	struct lb_queue_found found;
	int got = most ? lb_queue_find(p->q, row.key, row.session, &found, err)
		       : 0;

	if (got > 0) { /* it needs no room */
		say_queued(p, e, true);
		return 1;
	}
	if (got == 0)
		got = room(p, err);
	if (got == 0 && strcmp(full, "block") != 0)
		return say_refused(p, e, err);
	if (got <= 0)
		return got;
	got = lb_queue_put(p->q, &row, lb_clock_now(), err);
	if (got >= 0)
		say_queued(p, e, got == 0);
	return got < 0 ? -1 : 1;
}

/* As many as there is room for, in one transaction; what is left stays. */
static int put_all(struct put *p, struct lb_error *err)
{
	size_t at = 0;
	int got = 1;

	if (lb_queue_begin(p->q, true, err) < 0)
		return -1;
	while (got > 0 && at < p->held.n) {
		got = put_one(p, &p->held.entries[at], err);
		at += got > 0;
	}
	if (got < 0) {
		lb_queue_rollback(p->q);
		return -1;
	}
	held_shift(&p->held, at);
	return lb_queue_commit(p->q, err);
}

static void wait_for_room(struct put *p)
{
	struct pollfd w = {.fd = lb_watch_open(lb_queue_wakes(p->q)),
			   .events = POLLIN};

	poll(&w, 1, LOOK_MS); /* a negative descriptor is passed over */
	if (w.fd >= 0)
		close(w.fd);
}

static int store(struct put *p, struct lb_out *out, struct lb_error *err)
{
	while (p->held.n > 0 && !p->failed) {
		p->failed = put_all(p, err) < 0;
		if (p->failed)
			return -1;
		lb_out_put(out, lb_buf_str(&p->said), p->said.len);
		lb_buf_reset(&p->said);
		if (p->held.n == 0)
			break;
		if (lb_out_flush(out, err) < 0)
			return -1;
		wait_for_room(p);
	}
	return 0;
}

static int on_record(void *arg, struct lb_record *r, struct lb_out *out,
		     struct lb_error *err)
{
	struct put *p = arg;

	if (held_add(&p->held, r, err) < 0)
		return -1;
	return p->held.bytes.len < GATHER_MAX ? 0 : store(p, out, err);
}

/* Most lines need no parse. */
static bool on_line(void *arg, const struct lb_line *line)
{
	struct put *p = arg;

	return p->held.bytes.len < GATHER_MAX &&
	       held_add_plain(&p->held, line->text, line->len);
}

static int on_pause(void *arg, struct lb_out *out, struct lb_error *err)
{
	return store(arg, out, err);
}

int put_verb(int argc, char **argv)
{
	struct put p = {.name = queue_name(argc, argv)};

	struct lb_filter filter = {.stage = "lb-queue",
				   .owned = owned,
				   .on_line = on_line,
				   .on_record = on_record,
				   .on_pause = on_pause,
				   .on_end = on_pause,
				   .arg = &p};
	struct lb_error err;
	int code;

	if (strcmp(full, "refuse") != 0 && strcmp(full, "block") != 0 &&
	    strcmp(full, "drop-oldest") != 0)
		lb_usage("--full: '%s' is not refuse, block or drop-oldest",
			 full);
	filter.max_line = (size_t)(max_line ? max_line : lb_config_max_line());
	filter.strict = strict;
	p.held.queue = p.name;
	p.q = queue_open(p.name, QUEUE_BUSY_MS, &err);
	if (!p.q)
		return lb_report(&err);
	lb_note_terminal();
	code = lb_filter_run(&filter);
	lb_queue_close(p.q);
	held_release(&p.held);
	lb_buf_release(&p.said);
	lb_record_release(&p.record);
	return code == LB_OK && p.refused ? LB_AGAIN : code;
}
