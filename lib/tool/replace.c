#include "tool/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id.h"
#include "base/mem.h"
#include "fs/beneath.h"

enum { BLOCK = 512 };

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return -1;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* What errno says of writing there. */
static int refuse(const struct lb_spot *spot, struct lb_error *err)
{
	if (errno == ENOSPC || errno == EDQUOT)
		return lb_fail(err, LB_DENIED,
			       "nothing was written to '%.200s': no space is "
			       "left; remove files with exec (rm) first",
			       spot->shown);
	if (errno == EFBIG)
		return lb_fail(err, LB_DENIED,
			       "nothing was written: '%.200s' would be larger "
			       "than a file may be",
			       spot->shown);
	return lb_fail_sys(err,
			   errno == EACCES || errno == EPERM || errno == EROFS
				   ? LB_DENIED
				   : LB_IO,
			   "cannot write '%.200s'", spot->shown);
}

/* Find it; what is there, if anything, must be a file that may be written. */
static int find(const struct lb_spot *spot, struct lb_beneath_spot *file,
		struct stat *st, struct lb_error *err)
{
	const struct lb_beneath at = {spot->root, spot->path, spot->shown};

	if (spot->asleep)
		return lb_fail(err, LB_DENIED,
			       "'%.200s' is a skill's that is not active: call "
			       "activate first, then write",
			       spot->shown);
	if (!spot->writable)
		return lb_fail(err, LB_DENIED,
			       "'%.200s' is a skill's, and read-only here; "
			       "write below /workspace",
			       spot->shown);
	if (lb_beneath_find(&at, true, file, err) < 0)
		return -1;
	*st = (struct stat){0};
	if (fstatat(file->folder, file->name, st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : refuse(spot, err);
	if (!S_ISREG(st->st_mode))
		return lb_fail(err, LB_DATA, "'%.200s' is %s", spot->shown,
			       S_ISDIR(st->st_mode)
				       ? "a folder"
				       : "neither a file nor a folder");
	if (faccessat(file->folder, file->name, W_OK, AT_EACCESS) < 0)
		return lb_fail_sys(err, LB_DENIED,
				   "'%.200s' is read-only; chmod u+w it with "
				   "exec first",
				   spot->shown);
	return 0;
}

/* A new file beside it, which is gone again if it does not become it. */
static int make_beside(const struct lb_beneath_spot *file, const char *temp,
		       const struct stat *st, const char *text, size_t len)
{
	lb_autoclose int fd =
		openat(file->folder, temp,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       0666);

	if (fd < 0)
		return -1;
	if (write_all(fd, text, len) < 0 ||
	    (st->st_nlink > 0 && fchmod(fd, st->st_mode & 0777) < 0) ||
	    renameat(file->folder, temp, file->folder, file->name) < 0) {
		int why = errno;

		unlinkat(file->folder, temp, 0);
		errno = why;
		return -1;
	}
	return 0;
}

int lb_tool_replace(const struct lb_place *place, const struct lb_spot *spot,
		    const char *text, size_t len, struct lb_error *err)
{
	struct lb_beneath_spot file = {.folder = -1};
	lb_autoclose int folder = -1;
	struct stat st;
	char temp[64];
	int64_t more;

	if (find(spot, &file, &st, err) < 0) {
		folder = file.folder;
		return -1;
	}
	folder = file.folder;
	more = (int64_t)len - (int64_t)st.st_blocks * BLOCK;
	if (lb_place_room(place, spot, more, err) < 0)
		return -1;
	snprintf(temp, sizeof(temp), ".lb-%016llx.tmp",
		 (unsigned long long)lb_random());
	if (make_beside(&file, temp, &st, text, len) < 0)
		return refuse(spot, err);
	return 0;
}

int lb_tool_append(const struct lb_place *place, const struct lb_spot *spot,
		   const char *text, size_t len, struct lb_error *err)
{
	struct lb_beneath_spot file = {.folder = -1};
	lb_autoclose int folder = -1;
	lb_autoclose int fd = -1;
	struct stat st;

	if (find(spot, &file, &st, err) < 0) {
		folder = file.folder;
		return -1;
	}
	folder = file.folder;
	if (lb_place_room(place, spot, (int64_t)len, err) < 0)
		return -1;
	fd = openat(folder, file.name,
		    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
			    O_NOCTTY | O_CLOEXEC,
		    0666);
	if (fd < 0 || fstat(fd, &st) < 0)
		return refuse(spot, err);
	if (!S_ISREG(st.st_mode))
		return lb_fail(err, LB_DATA, "'%.200s' is no file",
			       spot->shown);
	if (write_all(fd, text, len) == 0)
		return 0;
	refuse(spot, err);
	if (ftruncate(fd, st.st_size) < 0)
		return lb_error_wrap(err, "only a part of it was written");
	return -1;
}
