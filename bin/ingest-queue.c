#include "ingest-queue.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/prog.h"
#include "config/config.h"
#include "record/ticket.h"
#include "store/queue.h"

enum { BUSY_MS = 5000 };

static struct lb_queue *queue;
static struct lb_record record;
static struct lb_ticket ticket;

static int put(const char *line, size_t len, struct lb_error *err)
{
	int64_t now = lb_clock_now();
	struct lb_queue_entry e = {.text = line, .len = len};

	if (lb_record_parse(&record, line, len, err) < 0 ||
	    lb_ticket_read(&ticket, &record, now, err) < 0)
		return -1;
	e.key = lb_buf_str(&ticket.key);
	e.session = lb_buf_str(&ticket.session);
	e.not_before = ticket.not_before;
	return lb_queue_put(queue, &e, now, err) < 0 ? -1 : 0;
}

/* All that came in one read: one transaction. */
static int put_all(void *arg, const char *text, size_t len,
		   struct lb_error *err)
{
	const char *end = text + len;

	(void)arg;
	if (lb_queue_begin(queue, true, err) < 0)
		return -1;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline || put(text, (size_t)(newline - text), err) < 0) {
			lb_queue_rollback(queue);
			return -1;
		}
		text = newline + 1;
	}
	return lb_queue_commit(queue, err);
}

struct lb_out *ingest_queue_open(const char *name, struct lb_error *err)
{
	lb_autofree char *state = NULL;

	if (lb_queue_name_check(name, err) < 0)
		lb_usage("--queue: %s", err->text);
	state = lb_config_state(err);
	queue = state ? lb_queue_open(state, name, BUSY_MS, err) : NULL;
	return queue ? lb_out_to(put_all, NULL) : NULL;
}

void ingest_queue_close(void)
{
	lb_queue_close(queue);
	lb_record_release(&record);
	lb_ticket_release(&ticket);
}
