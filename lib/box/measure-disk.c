/* measure-disk.c - the disk below a session is not to be filled. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "box/run.h"

enum {
	BLOCK = 512,
	SOON_MS = 10,
	LATEST_MS = 2000,
	FLOOR_SHARE = 20,             /* a 20th of a small disk */
	BYTES_A_MS = 2 * 1000 * 1000, /* nothing is written faster */
};

/* What others need to go on; and how much less there must be, before somebody
 * can be said to have taken it. */
static const int64_t floor_bytes = 64 << 20, taken_bytes = 1 << 20;

static int64_t bytes(const struct statvfs *v, fsblkcnt_t blocks)
{
	return (int64_t)blocks * (int64_t)v->f_frsize;
}

/* What was written into a workspace that is a file, and is not yet in it. */
static int64_t on_its_way(const struct lb_box_run *run)
{
	struct statvfs v;
	struct stat st;
	int64_t more;

	if (run->session.quota != LB_BOX_QUOTA_HARD ||
	    fstatvfs(run->session.workspace_fd, &v) < 0 ||
	    fstatat(run->disk, "workspace.img", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	more = bytes(&v, v.f_blocks - v.f_bfree) -
	       (int64_t)st.st_blocks * BLOCK;
	return more > 0 ? more : 0;
}

/* Beyond what others need; INT64_MAX: not known. */
static int64_t left(const struct lb_box_run *run)
{
	struct statvfs v;
	int64_t floor;

	if (run->disk < 0 || fstatvfs(run->disk, &v) < 0)
		return INT64_MAX;
	floor = bytes(&v, v.f_blocks) / FLOOR_SHARE;
	if (floor > floor_bytes)
		floor = floor_bytes;
	return bytes(&v, v.f_bavail) - floor - on_its_way(run);
}

/* A session's files are on the disk that the bot works on; a person's own
 * folder is his to fill. */
void lb_run_disk_first(struct lb_box_run *run)
{
	const struct lb_box_session *s = &run->session;

	if (run->has_session && s->quota == LB_BOX_QUOTA_HARD)
		run->disk = open(s->folder,
				 O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	else if (run->has_session)
		run->disk = fcntl(s->workspace_fd, F_DUPFD_CLOEXEC, 0);
	else if (run->measured >= 0)
		run->disk = fcntl(run->measured, F_DUPFD_CLOEXEC, 0);
	run->disk_had = left(run);
}

bool lb_run_disk(const struct lb_box_run *run, int *again_ms)
{
	int64_t now = left(run), ms = now / BYTES_A_MS;

	*again_ms = ms < SOON_MS     ? SOON_MS
		    : ms < LATEST_MS ? (int)ms
				     : LATEST_MS;
	/* Nobody is kept from removing files of a disk that is full. */
	return now >= 0 || now > run->disk_had - taken_bytes;
}
