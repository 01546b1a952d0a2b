#include "fs/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* Entries that are in memory at once while they are removed; times that
 * removing is tried without any going, and at all. */
enum { BLOCK = 512, SHOWN = 200, AT_ONCE = 200000, TRIES = 4, ROUNDS = 1000 };

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static struct lb_walk_options options_of(const struct lb_tree_limits *limits)
{
	return (struct lb_walk_options){
		.deadline = limits->max_ms > 0
				    ? lb_clock_mono() + limits->max_ms
				    : 0,
		.max_entries = (size_t)limits->max_entries,
	};
}

/* The blocks of a file are shared among its names. */
static int64_t bytes_of(const struct stat *st)
{
	int64_t bytes = (int64_t)st->st_blocks * BLOCK;

	return S_ISDIR(st->st_mode) || st->st_nlink < 2
		       ? bytes
		       : bytes / (int64_t)st->st_nlink;
}

static void count(struct lb_walk *walk, const struct lb_walk_entry *e,
		  struct lb_tree_size *size)
{
	struct stat st;

	size->entries++;
	if (fstatat(e->folder, e->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return; /* gone by now */
	size->bytes += bytes_of(&st);
	/* One that went meanwhile, or is a mount point, is nothing unseen. */
	if (S_ISDIR(st.st_mode) && lb_walk_enter(walk) < 0 &&
	    (errno == EACCES || errno == EPERM || errno == EMFILE ||
	     errno == ENFILE))
		size->unread++;
}

static bool is_passed(const struct lb_tree_size *size,
		      const struct lb_tree_limits *limits)
{
	return (limits->max_bytes > 0 && size->bytes > limits->max_bytes) ||
	       (limits->max_entries > 0 && size->entries > limits->max_entries);
}

bool lb_tree_is_over(const struct lb_tree_size *size,
		     const struct lb_tree_limits *limits)
{
	return is_passed(size, limits) || size->end != LB_WALK_WHOLE ||
	       size->unread > 0;
}

int lb_tree_size(int folder, const struct lb_tree_limits *limits,
		 struct lb_tree_size *size, struct lb_error *err)
{
	struct lb_walk_options options = options_of(limits);
	int64_t began = now_us();
	struct lb_walk_entry e;
	struct lb_walk *walk;

	*size = (struct lb_tree_size){0};
	if (options.max_entries > 0)
		options.max_entries++; /* to see that there are more */
	walk = lb_walk_open(folder, &options, err);
	if (!walk)
		return -1;
	while (!is_passed(size, limits) && lb_walk_next(walk, &e) > 0)
		count(walk, &e, size);
	size->end = lb_walk_ended(walk);
	size->took_us = now_us() - began;
	lb_walk_close(walk);
	return 0;
}

/* ---- removing ---- */

struct removal {
	const struct lb_tree_limits *limits;
	int64_t removed, deadline;
	int trouble; /* errno of what could not be removed */
};

/* A folder whose owner took his own rights away. */
static int enter(struct lb_walk *walk, const struct lb_walk_entry *e)
{
	if (lb_walk_enter(walk) == 0)
		return 0;
	if (errno != EACCES ||
	    fchmodat(e->folder, e->name, 0700, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return lb_walk_enter(walk);
}

static void remove_entry(struct removal *r, struct lb_walk *walk,
			 const struct lb_walk_entry *e)
{
	bool is_folder = e->type == DT_DIR;

	if (is_folder && !e->leaving && enter(walk, e) == 0)
		return;
	if (unlinkat(e->folder, e->name, is_folder ? AT_REMOVEDIR : 0) == 0)
		r->removed++;
	else if (errno == EACCES && fchmod(e->folder, 0700) == 0 &&
		 unlinkat(e->folder, e->name, is_folder ? AT_REMOVEDIR : 0) ==
			 0)
		r->removed++;
	else if (errno != ENOENT)
		r->trouble = errno;
}

/* All that is in a folder, once; 1 when a limit ended it. */
static int empty(struct removal *r, int folder, struct lb_error *err)
{
	struct lb_walk_options options = {.leave = true,
					  .max_entries = AT_ONCE,
					  .deadline = r->deadline};
	struct lb_walk_entry e;
	struct lb_walk *walk = lb_walk_open(folder, &options, err);
	int64_t most = r->limits->max_entries;
	bool over = false;

	if (!walk)
		return -1;
	while (!over && lb_walk_next(walk, &e) > 0) {
		remove_entry(r, walk, &e);
		over = most > 0 && r->removed >= most;
	}
	over |= lb_walk_ended(walk) == LB_WALK_TIME;
	lb_walk_close(walk);
	return over;
}

static int open_folder(int parent, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent, name, flags);

	if (fd < 0 && errno == EACCES &&
	    fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		fd = openat(parent, name, flags);
	return fd;
}

/* 0: it is gone; 1: not yet; -1: it cannot. */
static int remove_once(struct removal *r, int parent, const char *name,
		       struct lb_error *err)
{
	lb_autoclose int fd = -1;
	int over;

	r->trouble = 0;
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	fd = open_folder(parent, name);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
			       ? 1
			       : lb_fail_sys(err, LB_IO, "cannot remove '%.*s'",
					     SHOWN, name);
	over = empty(r, fd, err);
	if (over < 0)
		return lb_error_wrap(err, "cannot remove '%.*s'", SHOWN, name);
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (over)
		return lb_fail(err, LB_AGAIN,
			       "'%.*s' is not removed yet: %lld entries went",
			       SHOWN, name, (long long)r->removed);
	return 1;
}

int lb_tree_remove(int parent, const char *name,
		   const struct lb_tree_limits *limits, struct lb_error *err)
{
	struct removal r = {.limits = limits,
			    .deadline = options_of(limits).deadline};

	for (int i = 0, idle = 0; i < ROUNDS && idle < TRIES; i++) {
		int64_t before = r.removed;
		int got = remove_once(&r, parent, name, err);

		if (got <= 0)
			return got;
		idle = r.removed > before ? 0 : idle + 1;
	}
	if (r.trouble == 0 || r.trouble == ENOTEMPTY)
		return lb_fail(err, LB_AGAIN,
			       "'%.*s' is not removed: others add to it", SHOWN,
			       name);
	errno = r.trouble;
	return lb_fail_sys(err, LB_IO, "cannot remove '%.*s'", SHOWN, name);
}
