/* measure.c - a quota that is kept by looking. */
#include <sys/statvfs.h>

#include "box/run.h"
#include "fs/tree.h"

enum {
	SOON_MS = 50,
	LATEST_MS = 2000,
	DEAR_MS = 10, /* a look that takes longer is taken less often */
	FILES_A_MB = 64,
	LEAST_FILES = 1000,
	FLOOR_MB = 64, /* of the disk: what others need to go on */
};

/* Is the disk itself about to be full? */
static bool is_full(int fd)
{
	struct statvfs v;

	return fstatvfs(fd, &v) == 0 &&
	       (uint64_t)v.f_bavail * v.f_frsize < (uint64_t)FLOOR_MB << 20;
}

bool lb_run_measure(const struct lb_box_run *run, int *again_ms)
{
	int64_t quota_mb = run->job.spec->quota_mb,
		files = quota_mb * FILES_A_MB, took;
	const struct lb_tree_limits limits = {
		.max_bytes = quota_mb << 20,
		.max_entries = files < LEAST_FILES ? LEAST_FILES : files,
	};
	struct lb_tree_size size;
	int fd = run->session.workspace_fd;
	struct lb_error err;

	if (fd < 0)
		return true;
	if (lb_tree_size(fd, &limits, &size, &err) < 0)
		return false; /* what cannot be looked at has no limit */
	took = size.took_us / 1000;
	*again_ms = SOON_MS;
	if (took > DEAR_MS)
		*again_ms = took * 10 > LATEST_MS ? LATEST_MS : (int)took * 10;
	/* Over it from the start is no reason: else nothing could be deleted. */
	if (size.bytes <= run->had.bytes && size.entries <= run->had.entries &&
	    size.unread <= run->had.unread)
		return true;
	return !lb_tree_is_over(&size, &limits) && !is_full(fd);
}
