/* The list of those that wait, of each session. */
#include <sqlite3.h>

#include "store/queue-db.h"

/* What comes after seq; 0: nothing; -1 failed. */
static int64_t next_of(struct lb_queue *q, int64_t seq, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store, "SELECT next FROM line WHERE seq = ?",
			    err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "i", seq);
	r = lb_db_step(q->store, query, err);
	if (r == 0)
		return lb_fail(err, LB_DATA, "'%s' is damaged: no %lld in line",
			       q->store->path, (long long)seq);
	return r < 0 ? -1 : sqlite3_column_int64(query, 0);
}

static int set_next(struct lb_queue *q, int64_t seq, int64_t next,
		    struct lb_error *err)
{
	return lb_db_write(q->store, "UPDATE line SET next = ? WHERE seq = ?",
			   err, "ii", next, seq);
}

/* What comes back is older than most that waits: its place is near the head. */
static int link_inside(struct lb_queue *q, struct dirty *d, int64_t seq,
		       struct lb_error *err)
{
	int64_t before = d->head, next;

	while ((next = next_of(q, before, err)) > 0 && next < seq)
		before = next;
	if (next < 0 || set_next(q, before, seq, err) < 0)
		return -1;
	return set_next(q, seq, next, err);
}

int lb_queue_link(struct lb_queue *q, struct dirty *d, int64_t seq,
		  struct lb_error *err)
{
	int64_t head = d->head, tail = d->tail;

	if (head == 0 || seq < head)
		d->head = seq;
	if (seq > tail)
		d->tail = seq;
	if (seq > tail) /* also of an empty list, whose tail is 0 */
		return head == 0 ? set_next(q, seq, 0, err)
				 : (set_next(q, tail, seq, err) < 0
					    ? -1
					    : set_next(q, seq, 0, err));
	return seq < head ? set_next(q, seq, head, err)
			  : link_inside(q, d, seq, err);
}

int lb_queue_unlink(struct lb_queue *q, struct dirty *d, struct lb_error *err)
{
	int64_t next = next_of(q, d->head, err);

	if (next < 0)
		return -1;
	d->head = next;
	if (next == 0)
		d->tail = 0;
	return 0;
}

int lb_queue_unlink_any(struct lb_queue *q, struct dirty *d, int64_t seq,
			struct lb_error *err)
{
	int64_t before = d->head, next;

	if (before == seq)
		return lb_queue_unlink(q, d, err);
	while ((next = next_of(q, before, err)) > 0 && next != seq)
		before = next;
	if (next <= 0)
		return next < 0 ? -1
				: lb_fail(err, LB_DATA,
					  "'%s' is damaged: %lld is in no line",
					  q->store->path, (long long)seq);
	next = next_of(q, seq, err);
	if (next < 0)
		return -1;
	if (next == 0)
		d->tail = before;
	return set_next(q, before, next, err);
}
