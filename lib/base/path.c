#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#ifndef LB_DATADIR
#define LB_DATADIR "/usr/local/share/lb"
#endif

int lb_path_make(const char *folder, struct lb_error *err)
{
	lb_autofree char *path = NULL;

	if (access(folder, F_OK) == 0) /* as it is but for the first time */
		return 0;
	path = lb_strdup(folder);
	for (char *p = path + 1;; p++) {
		char was = *p;

		if (was != '/' && was != '\0')
			continue;
		*p = '\0';
		/* chmod, since a umask may have taken our own rights away */
		if (mkdir(path, 0700) < 0 ? errno != EEXIST
					  : chmod(path, 0700) < 0)
			return lb_fail_sys(err, LB_IO,
					   "cannot make folder '%s'", path);
		*p = was;
		if (was == '\0')
			return 0;
	}
}

char *lb_path_program(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return lb_strdup(".");
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash && slash > path)
		*slash = '\0';
	return lb_strdup(path);
}

char *lb_path_share(const char *share, const char *name)
{
	lb_autofree char *bin = NULL, *mark = NULL;

	if (share && *share)
		return lb_printf("%s/%s", share, name);
	bin = lb_path_program();
	mark = lb_printf("%s/config.status", bin);
	if (access(mark, F_OK) == 0)
		return lb_printf("%s/share/lb/%s", bin, name);
	free(lb_steal(&mark));
	mark = lb_printf("%s/../share/lb/%s", bin, name);
	if (access(mark, F_OK) == 0)
		return lb_steal(&mark);
	return lb_printf("%s/%s", LB_DATADIR, name);
}

/* What is no file may never say anything: how long it may take, ms. */
enum { WRITER_MS = 2000, SILENCE_MS = 10000, READ_SIZE = 64 * 1024 };

static bool wait_for(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int got;

	while ((got = poll(&p, 1, ms)) < 0 && errno == EINTR)
		;
	return got != 0;
}

int lb_path_read(const char *path, size_t max, char **text, size_t *len,
		 struct lb_error *err)
{
	lb_autoclose int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	lb_autobuf struct lb_buf all = {0};
	/* Not on the stack, every page of which would be touched. */
	lb_autofree char *part = lb_alloc_raw(READ_SIZE);
	ssize_t got;
	bool came;

	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'", path);
	came = wait_for(fd, WRITER_MS);
	while ((got = read(fd, part, READ_SIZE)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN && wait_for(fd, SILENCE_MS))
			continue;
		if (got < 0)
			return lb_fail_sys(err, LB_IO, "cannot read '%s'",
					   path);
		if (all.len + (size_t)got > max)
			return lb_fail(err, LB_DATA,
				       "'%s' is longer than %zu bytes", path,
				       max);
		lb_buf_put(&all, part, (size_t)got);
	}
	if (!came && all.len == 0)
		return lb_fail(err, LB_NOINPUT, "nobody writes to '%s'", path);
	*len = all.len;
	*text = lb_buf_take(&all);
	return 0;
}

int lb_path_output(const char *to, struct lb_error *err)
{
	char *end;
	long n;
	int fd;

	if (strcmp(to, "-") == 0)
		return STDOUT_FILENO;
	if (strncmp(to, "fd:", 3) == 0) {
		n = strtol(to + 3, &end, 10);
		if (*end || end == to + 3 || n < 0 || n > 65535 ||
		    fcntl((int)n, F_GETFD) < 0)
			return lb_fail(err, LB_USAGE,
				       "'%s' is no open descriptor", to);
		return (int)n;
	}
	fd = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'", to);
	return fd;
}
