/* measure.c - a quota that is kept by looking. */
#include "box/place.h"
#include "box/run.h"
#include "fs/tree.h"

enum {
	SOON_MS = 50,
	LATEST_MS = 2000,
	DEAR_MS = 10, /* a look that takes longer is taken less often */
};

static void limits_of(const struct lb_box_run *run,
		      struct lb_tree_limits *limits)
{
	int64_t mb = run->job.spec->quota_mb;

	*limits = (struct lb_tree_limits){
		.max_bytes = mb << 20,
		.max_entries = lb_box_files(run->box->config, mb),
	};
}

void lb_run_measure_first(struct lb_box_run *run)
{
	struct lb_tree_limits limits;
	struct lb_error err;
	int fd = run->measured;

	if (fd < 0)
		return;
	limits_of(run, &limits);
	if (lb_tree_size(fd, &limits, &run->had, &err) < 0)
		run->had = (struct lb_tree_size){0};
	/* It is over it already: how much, exactly? */
	if (run->had.bytes > limits.max_bytes ||
	    run->had.entries > limits.max_entries)
		lb_tree_size(fd, &(struct lb_tree_limits){0}, &run->had, &err);
}

bool lb_run_measure(const struct lb_box_run *run, int *again_ms)
{
	struct lb_tree_limits limits;
	struct lb_tree_size size;
	struct lb_error err;
	int fd = run->measured;
	int64_t took;

	limits_of(run, &limits);
	/* Over it from the start is no reason: else nothing could be deleted. */
	if (limits.max_bytes < run->had.bytes)
		limits.max_bytes = run->had.bytes;
	if (limits.max_entries < run->had.entries)
		limits.max_entries = run->had.entries;
	*again_ms = SOON_MS;
	if (fd < 0 || lb_tree_size(fd, &limits, &size, &err) < 0)
		return true;
	took = size.took_us / 1000;
	if (took > DEAR_MS)
		*again_ms = took * 10 > LATEST_MS ? LATEST_MS : (int)took * 10;
	/* So it is with folders that could not be looked into: they can be
	 * given their rights back. */
	if (size.unread <= run->had.unread)
		size.unread = 0;
	return !lb_tree_is_over(&size, &limits);
}
