#include "fs/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static int put_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return fsync(fd);
}

/* The folder of a path; "." when it names none. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return lb_strdup(".");
	return lb_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* A rename lasts when its folder is on the disk. */
static int sync_folder(const char *path, struct lb_error *err)
{
	lb_autofree char *folder = folder_of(path);
	lb_autoclose int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		return lb_fail_sys(err, LB_IO, "cannot sync folder '%s'",
				   folder);
	return 0;
}

/* The new file beside path, whole and on the disk; its name is `temp`. */
static int prepare(char *temp, mode_t mode, const char *text, size_t len)
{
	lb_autoclose int fd = mkostemp(temp, O_CLOEXEC);
	int saved;

	if (fd < 0)
		return -1;
	if (fchmod(fd, mode) == 0 && put_all(fd, text, len) == 0)
		return 0;
	saved = errno;
	unlink(temp);
	errno = saved;
	return -1;
}

static int place(const char *path, mode_t mode, const char *text, size_t len,
		 bool fresh, struct lb_error *err)
{
	lb_autofree char *folder = folder_of(path);
	lb_autofree char *temp = lb_printf("%s/.lb-XXXXXX", folder);
	int moved, saved;

	if (prepare(temp, mode, text, len) < 0)
		return lb_fail_sys(err, LB_IO, "cannot write '%s'", path);
	moved = fresh ? link(temp, path) : rename(temp, path);
	saved = errno;
	if (fresh || moved < 0)
		unlink(temp);
	errno = saved;
	if (moved < 0 && saved == EEXIST)
		return lb_fail(err, LB_DENIED, "'%s' is there already", path);
	if (moved < 0)
		return lb_fail_sys(err, LB_IO, "cannot write '%s'", path);
	return sync_folder(path, err);
}

int lb_atomic_write(const char *path, const char *text, size_t len,
		    struct lb_error *err)
{
	lb_autofree char *real = realpath(path, NULL);
	struct stat st;
	mode_t mode = 0600;

	if (!real && errno != ENOENT)
		return lb_fail_sys(err, LB_IO, "cannot write '%s'", path);
	if (stat(real ? real : path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			return lb_fail(err, LB_IO, "'%s' is not a file", path);
		mode = st.st_mode & 0777;
	}
	return place(real ? real : path, mode, text, len, false, err);
}

int lb_atomic_replace(const char *path, const char *text, size_t len,
		      struct lb_error *err)
{
	return place(path, 0600, text, len, false, err);
}

int lb_atomic_create(const char *path, const char *text, size_t len,
		     struct lb_error *err)
{
	return place(path, 0600, text, len, true, err);
}
