#include "fs/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

static pid_t pid_in(int fd)
{
	char text[24];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long pid;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	pid = strtol(text, NULL, 10);
	return pid > 0 ? (pid_t)pid : 0;
}

static int make_folder(const char *path, struct lb_error *err)
{
	lb_autofree char *folder = lb_strdup(path);
	char *slash = strrchr(folder, '/');

	if (!slash || slash == folder)
		return 0;
	*slash = '\0';
	return lb_path_make(folder, err);
}

static int write_pid(int fd)
{
	lb_autofree char *text = lb_printf("%ld\n", (long)getpid());
	size_t len = strlen(text);

	return ftruncate(fd, 0) == 0 && pwrite(fd, text, len, 0) == (ssize_t)len
		       ? 0
		       : -1;
}

int lb_lock_hold(const char *path, pid_t *holder, struct lb_error *err)
{
	lb_autoclose int fd = -1;
	int mine;

	*holder = 0;
	if (make_folder(path, err) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return lb_fail_sys(err, LB_IO, "cannot lock '%s'",
					   path);
		*holder = pid_in(fd);
		return lb_fail(err, LB_AGAIN, "'%s' is held by process %ld",
			       path, (long)*holder);
	}
	if (write_pid(fd) < 0)
		return lb_fail_sys(err, LB_IO, "cannot write '%s'", path);
	mine = fd;
	fd = -1;
	return mine;
}

pid_t lb_lock_holder(const char *path)
{
	lb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	pid_t pid;

	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB) == 0)
		return 0;
	pid = pid_in(fd);
	return pid > 0 ? pid : -1;
}
