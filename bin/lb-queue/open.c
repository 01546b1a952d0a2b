/* lb-queue - the queue that is meant. */
#include "base/mem.h"
#include "config/config.h"
#include "queue.h"

const char *queue_name(int argc, char **argv)
{
	struct lb_error err;
	const char *name = argc > 0 ? argv[0] : "in";

	if (lb_queue_name_check(name, &err) < 0)
		lb_usage("%s", err.text);
	return name;
}

struct lb_queue *queue_open(const char *name, int busy_ms, struct lb_error *err)
{
	lb_autofree char *state = lb_config_state(err);

	return state ? lb_queue_open(state, name, busy_ms, err) : NULL;
}

int queue_look(const char *name, struct lb_queue **take, struct lb_error *err)
{
	lb_autofree char *state = lb_config_state(err);

	*take = NULL;
	if (!state)
		return -1;
	if (!lb_queue_exists(state))
		return 0;
	*take = lb_queue_open(state, name, QUEUE_BUSY_MS, err);
	return *take ? 1 : -1;
}
