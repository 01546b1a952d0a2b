#include "ingest-queue.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/prog.h"
#include "config/config.h"
#include "platform/inbox.h"
#include "store/queue.h"

enum { BUSY_MS = 5000 };

static struct lb_queue *queue;
/* All that came in one read: one transaction. */
static int put_all(void *arg, const char *text, size_t len,
		   struct lb_error *err)
{
	(void)arg;
	if (lb_queue_begin(queue, true, err) < 0)
		return -1;
	if (lb_inbox_put(queue, text, len, lb_clock_now(), err) < 0) {
		lb_queue_rollback(queue);
		return -1;
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
}
