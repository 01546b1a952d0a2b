/*
 * etc.c - the folder that is /etc inside: a few files of ours, and copies of
 * what everybody may read and programs look for. A copy is one mount where
 * mounting each of them would be several; its name says what it is a copy of,
 * so that a change on this machine makes another one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "box/driver.h"
#include "box/place.h"
#include "fs/tree.h"

enum {
	MOST_ENTRIES = 4096,
	MOST_BYTES = 16 * 1024 * 1024,
	DEEPEST = 3,
	OLD_S = 24 * 60 * 60, /* nothing runs any more that began with it */
};

static const struct {
	const char *name, *text; /* NULL: a folder */
} ours[] = {
	{"passwd", "root:x:0:0:root:/:/usr/sbin/nologin\n"
		   "user:x:1000:1000:user:/workspace/.home:/bin/sh\n"
		   "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"},
	{"group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
	{"hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
	{"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
	{"ssl", NULL},
	{"ssl/certs", NULL},
};

/* Certificates are mounted: they are hundreds, and a copy of each takes a disk
 * its time. */
static const struct {
	const char *name;
	bool copied; /* else it comes with its folder */
} theirs[] = {
	{"ld.so.cache", true}, {"localtime", true},     {"alternatives", true},
	{"fonts", true},       {"fonts/conf.d", false},
};

static const struct lb_tree_limits no_limits;

/* What has been copied so far. */
struct copy {
	long entries;
	long long bytes;
};

static int copy_file(int from, int to, const char *name, const struct stat *st,
		     struct copy *c)
{
	lb_autoclose int in = openat(from, name,
				     O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
					     O_NONBLOCK),
			 out = -1;
	off_t left = st->st_size;
	ssize_t n = 1;

	c->bytes += left;
	if (in < 0 || c->bytes > MOST_BYTES)
		return 0;
	out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (out < 0 || fchmod(out, 0644) < 0)
		return -1;
	for (; left > 0 && n > 0; left -= n)
		n = sendfile(out, in, NULL, (size_t)left);
	return n < 0 ? -1 : 0;
}

static int copy_link(int from, int to, const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(from, name, target, sizeof(target) - 1);

	if (len <= 0)
		return 0;
	target[len] = '\0';
	if (strstr(target, "/man/")) /* most alternatives are manual pages */
		return 0;
	return symlinkat(target, to, name);
}

static int make_folder(int at, const char *name)
{
	return mkdirat(at, name, 0755) < 0 && errno != EEXIST
		       ? -1
		       : fchmodat(at, name, 0755, 0);
}

static int copy_one(int from, int to, const char *name, int depth,
		    struct copy *c);

static int copy_folder(int from, int to, const char *name, int depth,
		       struct copy *c)
{
	enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
	int in = openat(from, name, FLAGS);
	lb_autoclose int out = -1;
	DIR *dir = in < 0 ? NULL : fdopendir(in);
	const struct dirent *one;
	int result = 0;

	if (!dir) {
		if (in >= 0)
			close(in);
		return 0;
	}
	if (make_folder(to, name) < 0 || (out = openat(to, name, FLAGS)) < 0)
		result = -1;
	while (result == 0 && (one = readdir(dir)) != NULL)
		if (strcmp(one->d_name, ".") != 0 &&
		    strcmp(one->d_name, "..") != 0)
			result = copy_one(in, out, one->d_name, depth + 1, c);
	closedir(dir);
	return result;
}

/* What not everybody may read is left out, and so is what is too much. */
static int copy_one(int from, int to, const char *name, int depth,
		    struct copy *c)
{
	struct stat st;

	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    ++c->entries > MOST_ENTRIES || depth > DEEPEST)
		return 0;
	if (S_ISLNK(st.st_mode))
		return copy_link(from, to, name);
	if (!(st.st_mode & S_IROTH))
		return 0;
	if (S_ISDIR(st.st_mode))
		return copy_folder(from, to, name, depth, c);
	return S_ISREG(st.st_mode) ? copy_file(from, to, name, &st, c) : 0;
}

static int make_ours(int to)
{
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		lb_autoclose int fd = -1;
		const char *text = ours[i].text;

		if (!text) {
			if (make_folder(to, ours[i].name) < 0)
				return -1;
			continue;
		}
		fd = openat(to, ours[i].name,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0 || fchmod(fd, 0644) < 0 ||
		    write(fd, text, strlen(text)) != (ssize_t)strlen(text))
			return -1;
	}
	return 0;
}

static int make_theirs(int to)
{
	lb_autoclose int etc = open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct copy c = {0};

	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		if (theirs[i].copied && etc >= 0 &&
		    copy_one(etc, to, theirs[i].name, 0, &c) < 0)
			return -1;
	return 0;
}

static unsigned long long hash(unsigned long long h, const void *data,
			       size_t len)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ at[i]) * 1099511628211ULL;
	return h;
}

/* "etc-" and a number that is another one when a thing that is copied is. */
static char *name_now(void)
{
	unsigned long long h = 14695981039346656037ULL;
	struct stat st;

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (ours[i].text)
			h = hash(h, ours[i].text, strlen(ours[i].text));
	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
		lb_autofree char *path = lb_printf("/etc/%s", theirs[i].name);
		long long marks[] = {-1, 0, 0, 0};

		if (lstat(path, &st) == 0) {
			marks[0] = (long long)st.st_ino;
			marks[1] = st.st_size;
			marks[2] = st.st_mtim.tv_sec;
			marks[3] = st.st_mtim.tv_nsec;
		}
		h = hash(h, marks, sizeof(marks));
	}
	return lb_printf("etc-%016llx", h);
}

/* Those that were left behind when something changed, or somebody was killed
 * who made one: nobody else makes one now. */
static int remove_old(int root, const char *but)
{
	int n = 0;
	int copy = fcntl(root, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *one;
	struct lb_error ignored;
	struct stat st;

	if (dir)
		rewinddir(dir);
	while (dir && (one = readdir(dir)) != NULL)
		if (strncmp(one->d_name, "etc-", 4) == 0 &&
		    strcmp(one->d_name, but) != 0 &&
		    fstatat(root, one->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    (strchr(one->d_name, '.') ||
		     time(NULL) - st.st_ctime > OLD_S))
			n += lb_tree_remove(root, one->d_name, &no_limits,
					    &ignored) == 0;
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
	return n;
}

int lb_box_etc_sweep(int root)
{
	lb_autofree char *name = name_now();

	return remove_old(root, name);
}

/* It appears whole. Locked as long as the folder is open. */
static int make(int root, const char *name, struct lb_error *err)
{
	lb_autofree char *new = lb_printf("%s.new", name);
	lb_autoclose int fd = -1;
	struct lb_error ignored;
	int bad;

	while (flock(root, LOCK_EX) < 0)
		if (errno != EINTR)
			return lb_fail_sys(err, LB_IO,
					   "cannot lock the folder "
					   "of sandboxes");
	if (faccessat(root, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	lb_tree_remove(root, new, &no_limits, &ignored);
	if (make_folder(root, new) == 0)
		fd = openat(root, new, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || make_ours(fd) < 0 || make_theirs(fd) < 0 ||
	    renameat(root, new, root, name) < 0) {
		bad = errno;
		lb_tree_remove(root, new, &no_limits, &ignored);
		errno = bad;
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", name);
	}
	remove_old(root, name);
	return 0;
}

int lb_box_etc(struct lb_box *box, struct lb_error *err)
{
	enum { FLAGS = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
	lb_autofree char *path = NULL, *root = NULL, *name = name_now();
	lb_autoclose int at = -1;

	if (box->etc >= 0 && strcmp(strrchr(box->etc_path, '/') + 1, name) == 0)
		return 0;
	path = lb_box_base(box->config, box->state);
	if (lb_path_make(path, err) < 0)
		return -1;
	root = realpath(path, NULL);
	at = root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (at < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	if (box->etc >= 0)
		close(box->etc);
	free(box->etc_path);
	box->etc_path = lb_printf("%s/%s", root, name);
	box->etc = openat(at, name, FLAGS);
	if (box->etc < 0) {
		if (make(at, name, err) < 0)
			return -1;
		box->etc = openat(at, name, FLAGS);
	}
	return box->etc >= 0 ? 0
			     : lb_fail_sys(err, LB_IO, "cannot open '%s'",
					   box->etc_path);
}
