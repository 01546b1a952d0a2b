/* lb-queue ack */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "config/config.h"
#include "queue.h"
#include "record/filter.h"
#include "record/ticket.h"

enum { AGAIN_MS = 1000 }; /* when what may pass is tried again */

static const char *lease;
static bool back, strict;
static int64_t max_line;

const struct lb_opt ack_options[] = {
	{0, "back", .help = "with --lease: they are not done, but wait again",
	 .flag = &back},
	{0, "lease", "TOKEN", "all that was taken with it is done",
	 .text = &lease},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0},
};

struct ack {
	struct lb_queue *q;
	struct lb_buf lines; /* what came in this read */
	struct lb_buf said;  /* of it, what was done: written when it is */
	struct lb_buf key;
	struct lb_record record;
	bool failed;
	int code;
};

/* The record in somebody's hand that r tells of; 1, 0 none, -1 failed. */
static int find_held(struct ack *a, struct lb_queue_found *found,
		     struct lb_error *err)
{
	const json_t *json = a->record.json;
	const char *id = lb_json_str(json, "id");
	const char *session = lb_json_str(json, "session");
	int64_t part;
	int got;

	if (!id)
		return 0;
	got = lb_queue_find(a->q, id, session, found, err);
	if (got == 0 && lb_json_int(json, "part", &part)) {
		lb_buf_reset(&a->key);
		lb_ticket_part(&a->key, id, part);
		got = lb_queue_find(a->q, lb_buf_str(&a->key), session, found,
				    err);
	}
	return got > 0 ? found->owner > 0 : got;
}

/* One record that says how another ended. */
static int end_one(struct ack *a, const char *line, size_t len,
		   struct lb_error *err)
{
	const char *into, *id;
	struct lb_queue_found found;
	enum lb_ending how;
	int64_t now = lb_clock_now();
	bool tried;
	int got;

	if (lb_record_parse(&a->record, line, len, err) < 0)
		return -1;
	how = lb_record_ending(&a->record, &into);
	id = lb_json_str(a->record.json, "id");
	got = how == LB_ENDS_NOTHING || !id ? 2 : find_held(a, &found, err);
	tried = !lb_json_str(a->record.json, "behind");
	if (got == 1 && how == LB_ENDS_RETRY)
		got = lb_queue_put_back(a->q, found.owner, found.seq,
					now + (tried ? AGAIN_MS
						     : QUEUE_BEHIND_MS),
					tried, err);
	else if (got == 1)
		got = lb_queue_finish(a->q, found.owner, found.seq,
				      how == LB_ENDS_MOVED ? LB_QUEUE_MOVED
							   : LB_QUEUE_DONE,
				      now, line, len, err);
	if (got < 0)
		return -1;
	if (got == 0) {
		lb_complain("'%.64s' is in nobody's hand", id);
		a->code = LB_UNAVAILABLE;
	} else if (how != LB_ENDS_RETRY) {
		lb_buf_put(&a->said, line, len);
		lb_buf_putc(&a->said, '\n');
	}
	return 0;
}

static int end_all(struct ack *a, struct lb_error *err)
{
	size_t at = 0;

	if (lb_queue_begin(a->q, true, err) < 0)
		return -1;
	while (at < a->lines.len) {
		const char *line = a->lines.data + at;
		const char *end = memchr(line, '\n', a->lines.len - at);

		if (end_one(a, line, (size_t)(end - line), err) < 0) {
			lb_queue_rollback(a->q);
			return -1;
		}
		at += (size_t)(end - line) + 1;
	}
	return lb_queue_commit(a->q, err);
}

static int on_record(void *arg, struct lb_record *r, struct lb_out *out,
		     struct lb_error *err)
{
	struct ack *a = arg;

	(void)out;
	(void)err;
	lb_buf_put(&a->lines, r->text, r->len);
	lb_buf_putc(&a->lines, '\n');
	return 0;
}

static int on_pause(void *arg, struct lb_out *out, struct lb_error *err)
{
	struct ack *a = arg;

	if (a->lines.len == 0 || a->failed)
		return 0;
	a->failed = end_all(a, err) < 0;
	if (a->failed)
		return -1;
	lb_out_put(out, lb_buf_str(&a->said), a->said.len);
	lb_buf_reset(&a->said);
	lb_buf_reset(&a->lines);
	return 0;
}

static int by_lease(struct lb_queue *q, struct lb_error *err)
{
	int64_t now = lb_clock_now(), owner;
	int n = 0;

	if (lb_queue_begin(q, true, err) < 0)
		return -1;
	owner = lb_queue_owner(q, lease, now, err);
	if (owner > 0 && !back)
		n = lb_queue_finish_all(q, owner, now, err);
	if (owner > 0 && n >= 0 && lb_queue_leave(q, owner, false, err) == 0)
		return lb_queue_commit(q, err);
	lb_queue_rollback(q);
	if (owner == 0)
		lb_fail(err, LB_UNAVAILABLE, "lease '%.64s' has ended", lease);
	return -1;
}

static int by_records(struct lb_queue *q)
{
	struct ack a = {.q = q};
	struct lb_filter filter = {.stage = "lb-queue",
				   .owned = lb_ending_kinds,
				   .on_record = on_record,
				   .on_pause = on_pause,
				   .on_end = on_pause,
				   .arg = &a,
				   .strict = strict};
	int code;

	filter.max_line = (size_t)(max_line ? max_line : lb_config_max_line());
	lb_note_terminal();
	code = lb_filter_run(&filter);
	lb_buf_release(&a.lines);
	lb_buf_release(&a.said);
	lb_buf_release(&a.key);
	lb_record_release(&a.record);
	return code ? code : a.code;
}

int ack_verb(int argc, char **argv)
{
	const char *name = queue_name(argc, argv);
	struct lb_error err;
	struct lb_queue *q;
	int code = LB_OK;

	if (back && !lease)
		lb_usage("--back needs --lease");
	q = queue_open(name, QUEUE_BUSY_MS, &err);
	if (!q)
		return lb_report(&err);
	if (!lease)
		code = by_records(q);
	else if (by_lease(q, &err) < 0)
		code = lb_report(&err);
	lb_queue_close(q);
	return code;
}
