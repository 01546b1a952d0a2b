/* lb-queue take */
#include <stdio.h>

#include "base/clock.h"
#include "base/id.h"
#include "queue.h"
#include "record/out.h"
#include "record/record.h"
#include "store/queue-clock.h"

static long most = 1;
static int64_t deadline = 5 * 60 * 1000;
static bool status;

const struct lb_opt take_options[] = {
	{0, "deadline", "TIME", "how long they are yours (default 5m)",
	 .duration = &deadline},
	{'e', "exit-status", .help = "exit 1 when there is none",
	 .flag = &status},
	{'n', "limit", "N", "take at most N records (default 1)",
	 .number = &most, .min = 1, .max = 1000000},
	{0},
};

struct taking {
	struct lb_buf lines;
	struct lb_record record;
	char token[LB_ID_SIZE];
};

/* The record with the token, so that ack knows. */
static int one(void *arg, const struct lb_queue_item *item)
{
	static const char *const without[] = {"lease", NULL};
	struct taking *t = arg;
	struct lb_error err;
	const char *kind;

	if (lb_record_parse(&t->record, item->text, item->len, &err) < 0)
		return 0; /* put has parsed it: the file was tampered with */
	kind = json_string_value(json_object_get(t->record.json, "kind"));
	lb_splice(&t->lines, &t->record, kind ? kind : "", without);
	lb_put_str(&t->lines, "lease", t->token);
	lb_put_end(&t->lines);
	return t->lines.len > 64U << 20;
}

/* Returns how many, or -1. */
static int take(struct lb_queue *q, struct taking *t, struct lb_error *err)
{
	int64_t now = lb_clock_now(), owner;
	int n = -1;

	if (lb_queue_reap(q, now, err) < 0 || lb_queue_begin(q, true, err) < 0)
		return -1;
	owner = lb_queue_join(q, t->token,
			      deadline > INT64_MAX - now ? INT64_MAX
							 : now + deadline,
			      now, err);
	if (owner > 0)
		n = lb_queue_take(q, owner, LB_QUEUE_ANY,
				  (struct lb_queue_room){(int)most, (int)most},
				  now, one, t, err);
	if (n > 0 && lb_queue_commit(q, err) == 0)
		return n;
	lb_queue_rollback(q);
	return n > 0 ? -1 : n;
}

/* What nobody got waits again. */
static void give_back(struct lb_queue *q, const char *token)
{
	struct lb_error err;
	int64_t owner;

	if (lb_queue_begin(q, true, &err) < 0)
		return;
	owner = lb_queue_owner(q, token, lb_clock_now(), &err);
	if (owner > 0 && lb_queue_leave(q, owner, false, &err) == 0 &&
	    lb_queue_commit(q, &err) == 0)
		return;
	lb_queue_rollback(q);
}

int take_verb(int argc, char **argv)
{
	const char *name = queue_name(argc, argv);
	struct taking t = {.lines = {0}};
	struct lb_queue *q;
	struct lb_error err;
	int n = queue_look(name, &q, &err), bad = 0;

	lb_id_new(lb_clock_now(), t.token);
	if (n > 0)
		n = take(q, &t, &err);
	if (n == 0 && q) /* or is it only that the clock was put back? */
		n = lb_queue_clock(q, 0, lb_clock_now(), &err);
	if (n > 0 && t.lines.len == 0)
		n = take(q, &t, &err);
	if (n > 0)
		bad = fwrite(t.lines.data, t.lines.len, 1, stdout) != 1 ||
		      fflush(stdout) == EOF;
	if (bad)
		give_back(q, t.token);
	lb_queue_close(q);
	lb_buf_release(&t.lines);
	lb_record_release(&t.record);
	if (n < 0)
		return lb_report(&err);
	return status && n == 0 ? LB_NO : LB_OK; /* lb_finish() tells of bad */
}
