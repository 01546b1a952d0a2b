#include "fs/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

/* Links that are followed at the end of a path; tries while others move what
 * is on the way. */
enum { MAX_LINKS = 16, MAX_TRIES = 1000, SHOWN = 200 };

static int try_open(int root, const char *path, struct open_how *how)
{
	int fd = -1;

	how->resolve |= RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
	for (int i = 0; i < MAX_TRIES; i++) {
		fd = (int)syscall(SYS_openat2, root, path, how, sizeof(*how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return fd;
}

static int open_below(int root, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC)};

	return try_open(root, path, &how);
}

int lb_beneath_step(int folder, const char *name, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW |
				    O_NONBLOCK | O_NOCTTY),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};

	return try_open(folder, name, &how);
}

static const char *shown(const struct lb_beneath *at)
{
	return at->shown ? at->shown : at->path;
}

/* Is ".." a part of it? */
static bool goes_up(const char *path)
{
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && path[0] == '.' && path[1] == '.')
			return true;
	}
	return false;
}

/* What errno says of it. */
static int refuse(const struct lb_beneath *at, struct lb_error *err)
{
	const char *name = shown(at);

	switch (errno) {
	case EXDEV:
		return lb_fail(err, LB_DENIED,
			       "'%.*s' leads out of its folder%s", SHOWN, name,
			       goes_up(at->path) ? "" : " by a link");
	case ENOSYS:
		return lb_fail(err, LB_OS,
			       "cannot open '%.*s' safely: no openat2 here "
			       "(Linux 5.6 has it)",
			       SHOWN, name);
	case ENXIO: /* a FIFO without a reader, a socket */
		return lb_fail(err, LB_DATA,
			       "'%.*s' is neither a file nor a folder", SHOWN,
			       name);
	case EISDIR:
		return lb_fail(err, LB_DATA, "'%.*s' is a folder", SHOWN, name);
	default:
		return lb_fail_sys(err,
				   errno == ENOENT || errno == ENOTDIR
					   ? LB_NOINPUT
				   : errno == EACCES || errno == EPERM ||
						   errno == ELOOP
					   ? LB_DENIED
					   : LB_IO,
				   "cannot open '%.*s'", SHOWN, name);
	}
}

static int judge(const struct lb_beneath *at, int fd, enum lb_beneath_kind kind,
		 struct lb_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return refuse(at, err);
	if (S_ISREG(st.st_mode) && kind != LB_BENEATH_FOLDER)
		return 0;
	if (S_ISDIR(st.st_mode) && kind != LB_BENEATH_FILE)
		return 0;
	return lb_fail(err, LB_DATA, "'%.*s' is %s", SHOWN, shown(at),
		       S_ISDIR(st.st_mode)   ? "a folder"
		       : S_ISREG(st.st_mode) ? "a file, not a folder"
					     : "neither a file nor a folder");
}

int lb_beneath_open(const struct lb_beneath *at, int flags,
		    enum lb_beneath_kind kind, struct lb_error *err)
{
	int more = kind == LB_BENEATH_FOLDER ? O_DIRECTORY : 0;
	int fd = open_below(at->root, at->path,
			    flags | more |
				    (flags & O_PATH ? 0
						    : O_NONBLOCK | O_NOCTTY));

	if (fd < 0)
		return refuse(at, err);
	if (judge(at, fd, kind, err) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The folder `len` bytes of the path name, made with its parents. */
static int make_folders(const struct lb_beneath *at, const char *path,
			size_t len, struct lb_error *err)
{
	lb_autofree char *part = lb_strndup(path, len);
	int above = open_below(at->root, ".", O_PATH | O_DIRECTORY);

	for (size_t from = 0, to; above >= 0 && from < len; from = to + 1) {
		int next;

		to = from + strcspn(path + from, "/");
		to = to > len ? len : to;
		part[to] = '\0';
		next = open_below(at->root, part, O_PATH | O_DIRECTORY);
		if (next < 0 && errno == ENOENT) {
			if (mkdirat(above, part + from, 0777) == 0 ||
			    errno == EEXIST)
				next = open_below(at->root, part,
						  O_PATH | O_DIRECTORY);
		}
		close(above);
		above = next;
		if (to < len)
			part[to] = '/';
	}
	return above < 0 ? refuse(at, err) : above;
}

static int open_parent(const struct lb_beneath *at, const char *path,
		       size_t len, bool make, struct lb_error *err)
{
	lb_autofree char *folder =
		len > 0 ? lb_strndup(path, len) : lb_strdup(".");
	int fd = open_below(at->root, folder, O_PATH | O_DIRECTORY);

	if (fd >= 0)
		return fd;
	if (make && errno == ENOENT)
		return make_folders(at, path, len, err);
	return refuse(at, err);
}

/* Is it a link? Then *path (PATH_MAX bytes) is where it leads to: 1. */
static int follow(const struct lb_beneath *at, struct lb_beneath_spot *spot,
		  char *path, size_t len, struct lb_error *err)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(spot->folder, spot->name, target,
			       sizeof(target) - 1);

	if (n < 0)
		return 0;
	target[n] = '\0';
	errno = target[0] == '/'                     ? EXDEV
		: len + 1 + (size_t)n + 1 > PATH_MAX ? ENAMETOOLONG
						     : 0;
	if (errno)
		return refuse(at, err);
	if (len > 0)
		path[len++] = '/';
	memcpy(path + len, target, (size_t)n + 1);
	return 1;
}

/* One step: the spot that this path names, which may hold a link. */
static int find_once(const struct lb_beneath *at, bool make, char *path,
		     struct lb_beneath_spot *spot, struct lb_error *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = slash ? (size_t)(slash - path) : 0, n = strlen(name);
	int r;

	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return lb_fail(err, LB_DATA, "'%.*s' is a folder", SHOWN,
			       shown(at));
	if (n >= sizeof(spot->name)) {
		errno = ENAMETOOLONG;
		return refuse(at, err);
	}
	memcpy(spot->name, name, n + 1);
	spot->folder = open_parent(at, path, len, make, err);
	if (spot->folder < 0)
		return -1;
	r = follow(at, spot, path, len, err);
	if (r != 0)
		close(spot->folder);
	return r;
}

int lb_beneath_find(const struct lb_beneath *at, bool make,
		    struct lb_beneath_spot *spot, struct lb_error *err)
{
	char path[PATH_MAX];

	if (strlen(at->path) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return refuse(at, err);
	}
	snprintf(path, sizeof(path), "%s", at->path);
	for (int i = 0; i < MAX_LINKS; i++) {
		int r = find_once(at, make, path, spot, err);

		if (r <= 0)
			return r;
	}
	errno = ELOOP;
	return refuse(at, err);
}
