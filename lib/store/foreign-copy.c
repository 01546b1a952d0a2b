#include "store/foreign-copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { TRIES = 5, CHUNK = 1 << 20 };

#define MAX_SIZE (8LL << 30)

/* The database, and what a transaction under way is kept in. */
static const char *const parts[] = {"", "-wal", "-journal"};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

struct seen {
	bool there;
	off_t size;
	ino_t ino;
	struct timespec changed;
};

static void look(const char *path, struct seen seen[PARTS])
{
	for (int i = 0; i < PARTS; i++) {
		lb_autofree char *file = lb_printf("%s%s", path, parts[i]);
		struct stat st;

		seen[i] = (struct seen){0};
		if (stat(file, &st) < 0)
			continue;
		seen[i].there = true;
		seen[i].size = st.st_size;
		seen[i].ino = st.st_ino;
		seen[i].changed = st.st_mtim;
	}
}

static bool is_same(const struct seen a[PARTS], const struct seen b[PARTS])
{
	for (int i = 0; i < PARTS; i++)
		if (a[i].there != b[i].there || a[i].size != b[i].size ||
		    a[i].ino != b[i].ino ||
		    a[i].changed.tv_sec != b[i].changed.tv_sec ||
		    a[i].changed.tv_nsec != b[i].changed.tv_nsec)
			return false;
	return true;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int copy_bytes(int from, int to, const char *name, struct lb_error *err)
{
	lb_autofree char *buffer = lb_alloc_raw(CHUNK);
	long long all = 0;
	ssize_t n;

	while ((n = read(from, buffer, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lb_fail_sys(err, LB_IO, "cannot read '%s'",
					   name);
		if ((all += n) > MAX_SIZE)
			return lb_fail(err, LB_DATA,
				       "'%s' is larger than %lld bytes", name,
				       MAX_SIZE);
		if (write_all(to, buffer, (size_t)n) < 0)
			return lb_fail_sys(err, LB_IO,
					   "cannot write a copy of '%s'", name);
	}
	return 0;
}

/* Only files: a pipe under that name would be waited for. */
static int copy_file(const char *from, const char *to, struct lb_error *err)
{
	lb_autoclose int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	lb_autoclose int out = -1;
	struct stat st;

	if (in < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'", from);
	if (fstat(in, &st) < 0 || !S_ISREG(st.st_mode))
		return lb_fail(err, LB_DATA, "'%s' is not a file", from);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		   0600);
	if (out < 0)
		return lb_fail_sys(err, LB_IO, "cannot write '%s'", to);
	return copy_bytes(in, out, from, err);
}

static int copy_parts(const char *path, const char *folder,
		      const struct seen seen[PARTS], struct lb_error *err)
{
	for (int i = 0; i < PARTS; i++) {
		lb_autofree char *from = lb_printf("%s%s", path, parts[i]);
		lb_autofree char *to = lb_printf("%s/db%s", folder, parts[i]);

		unlink(to);
		if ((i == 0 || seen[i].there) && copy_file(from, to, err) < 0)
			return -1;
	}
	return 0;
}

/* A copy is whole when nothing changed from before it to after it. */
static int copy(const char *path, const char *folder, struct lb_error *err)
{
	struct seen before[PARTS], after[PARTS];

	for (int i = 0; i < TRIES; i++) {
		look(path, before);
		if (copy_parts(path, folder, before, err) < 0) {
			/* a journal may go while it is being copied */
			if (err->code != LB_NOINPUT || !before[0].there)
				return -1;
			continue;
		}
		look(path, after);
		if (is_same(before, after))
			return 0;
	}
	return lb_fail(err, LB_AGAIN, "'%s' changes all the time", path);
}

char *lb_copy_make(const char *path, const char *tmp, struct lb_error *err)
{
	char *folder = lb_printf("%s/lb-copy.XXXXXX", tmp);

	if (!mkdtemp(folder)) {
		lb_fail_sys(err, LB_IO, "cannot make a folder in '%s'", tmp);
		free(folder);
		return NULL;
	}
	if (copy(path, folder, err) == 0)
		return folder;
	lb_copy_remove(folder);
	return NULL;
}

void lb_copy_remove(char *take)
{
	static const char *const names[] = {"db", "db-wal", "db-journal",
					    "db-shm", NULL};

	if (!take)
		return;
	for (int i = 0; names[i]; i++) {
		lb_autofree char *file = lb_printf("%s/%s", take, names[i]);

		unlink(file);
	}
	rmdir(take);
	free(take);
}
