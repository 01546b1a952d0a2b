#include "fs/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/*
 * A level is a folder we are in. Its names are read whole before anything
 * happens to them, so that removing some does not confuse the reading. Levels
 * above the last KEPT ones give up their descriptors, and are opened again from
 * below: ".." of a folder, if it is still the same one.
 */
enum { KEPT = 32, READ_SIZE = 64 * 1024, LOOK_AT_CLOCK = 256 };

struct level {
	int fd; /* -1: given up */
	dev_t dev;
	ino_t ino;
	char *text; /* of each entry: its type, its name, NUL */
	size_t len, cap;
	uint32_t *at; /* where each begins in text */
	size_t n, n_cap, next;
	size_t path_len; /* of the folder */
};

struct lb_walk {
	struct lb_walk_options options;
	struct level *levels;
	size_t depth, n_levels; /* in use, made */
	size_t seen;
	enum lb_walk_end end;
	char *reading; /* READ_SIZE */
	char path[PATH_MAX];
	size_t since; /* entries since we looked at the clock */
};

struct dirent64_raw {
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

static void add_entry(struct level *l, unsigned char type, const char *name)
{
	size_t len = strlen(name) + 2;

	if (l->len + len > l->cap) {
		l->cap = 2 * (l->cap + len) + 1024;
		l->text = lb_grow(l->text, l->cap);
	}
	if (l->n == l->n_cap) {
		l->n_cap = 2 * l->n_cap + 32;
		l->at = lb_grow(l->at, l->n_cap * sizeof(*l->at));
	}
	l->at[l->n++] = (uint32_t)l->len;
	l->text[l->len] = (char)type;
	memcpy(l->text + l->len + 1, name, len - 1);
	l->len += len;
}

static bool is_late(struct lb_walk *w)
{
	if (w->options.deadline == 0 || lb_clock_mono() < w->options.deadline)
		return false;
	w->end = LB_WALK_TIME;
	return true;
}

/* False: enough. */
static bool take_entries(struct lb_walk *w, struct level *l, size_t got)
{
	for (size_t at = 0; at < got;) {
		const struct dirent64_raw *d = (const void *)(w->reading + at);

		at += d->len;
		if (d->name[0] == '.' &&
		    (!d->name[1] || (d->name[1] == '.' && !d->name[2])))
			continue;
		if ((w->options.max_entries > 0 &&
		     w->seen >= w->options.max_entries) ||
		    l->len > UINT32_MAX - 1024) {
			w->end = LB_WALK_ENTRIES;
			return false;
		}
		w->seen++;
		add_entry(l, d->type, d->name);
	}
	return true;
}

static int compare(const void *a, const void *b, void *text)
{
	const char *t = text;

	return strcmp(t + *(const uint32_t *)a + 1,
		      t + *(const uint32_t *)b + 1);
}

/* A folder that cannot be read to its end holds what was read. */
static void read_level(struct lb_walk *w, struct level *l)
{
	long got;

	l->n = l->next = l->len = 0;
	do {
		got = syscall(SYS_getdents64, l->fd, w->reading, READ_SIZE);
	} while (got > 0 && take_entries(w, l, (size_t)got) && !is_late(w));
	if (w->options.sort && l->n > 1)
		qsort_r(l->at, l->n, sizeof(*l->at), compare, l->text);
}

/* Takes the descriptor; -1 and errno. */
static int push(struct lb_walk *w, int take, size_t path_len)
{
	struct level *l;
	struct stat st;

	if (fstat(take, &st) < 0 ||
	    (w->depth > 0 && st.st_dev != w->levels[0].dev)) {
		close(take);
		errno = EXDEV;
		return -1;
	}
	if (w->depth == w->n_levels) {
		w->n_levels = 2 * w->n_levels + 8;
		w->levels =
			lb_grow(w->levels, w->n_levels * sizeof(*w->levels));
		memset(w->levels + w->depth, 0,
		       (w->n_levels - w->depth) * sizeof(*w->levels));
	}
	if (w->depth >= KEPT && w->levels[w->depth - KEPT].fd >= 0) {
		close(w->levels[w->depth - KEPT].fd);
		w->levels[w->depth - KEPT].fd = -1;
	}
	l = &w->levels[w->depth++];
	l->fd = take;
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	l->path_len = path_len;
	read_level(w, l);
	return 0;
}

struct lb_walk *lb_walk_open(int root, const struct lb_walk_options *options,
			     struct lb_error *err)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct lb_walk *w;

	if (fd < 0) {
		lb_fail_sys(err, errno == EACCES ? LB_DENIED : LB_IO,
			    "cannot read the folder");
		return NULL;
	}
	w = lb_alloc(sizeof(*w));
	w->options = *options;
	w->reading = lb_alloc_raw(READ_SIZE);
	if (push(w, fd, 0) == 0)
		return w;
	lb_fail_sys(err, LB_IO, "cannot read the folder");
	lb_walk_close(w);
	return NULL;
}

void lb_walk_close(struct lb_walk *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_levels; i++) {
		if (i < w->depth && w->levels[i].fd >= 0)
			close(w->levels[i].fd);
		free(w->levels[i].text);
		free(w->levels[i].at);
	}
	free(w->levels);
	free(w->reading);
	free(w);
}

enum lb_walk_end lb_walk_ended(const struct lb_walk *w)
{
	return w->end;
}

/* The level above has its descriptor again, or the walk is over. */
static bool reopen(struct lb_walk *w, int below)
{
	struct level *l = &w->levels[w->depth - 1];
	struct stat st;

	if (l->fd >= 0)
		return true;
	l->fd = openat(below, "..",
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (l->fd >= 0 && fstat(l->fd, &st) == 0 && st.st_dev == l->dev &&
	    st.st_ino == l->ino)
		return true;
	w->end = LB_WALK_CHANGED;
	return false;
}

/* The entry that the level is at, with its path behind the level's. */
static bool tell(struct lb_walk *w, const struct level *l, size_t i,
		 struct lb_walk_entry *entry)
{
	const char *e = l->text + l->at[i];
	size_t len;

	*entry = (struct lb_walk_entry){.folder = l->fd,
					.name = e + 1,
					.type = (unsigned char)*e};
	if (!w->options.paths)
		return true;
	len = strlen(entry->name);
	entry->path_len = l->path_len + (l->path_len > 0) + len;
	if (entry->path_len >= sizeof(w->path))
		return false;
	if (l->path_len > 0)
		w->path[l->path_len] = '/';
	memcpy(w->path + entry->path_len - len, entry->name, len + 1);
	entry->path = w->path;
	return true;
}

static void look(struct lb_walk_entry *entry)
{
	struct stat st;

	if (entry->type == DT_UNKNOWN &&
	    fstatat(entry->folder, entry->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		entry->type = (unsigned char)IFTODT(st.st_mode);
}

/* The folder was seen whole: back to the one it is in. */
static int leave(struct lb_walk *w, struct lb_walk_entry *entry)
{
	struct level *l = &w->levels[--w->depth];
	int below = l->fd;
	bool up = w->depth > 0 && reopen(w, below);

	close(below);
	if (!up || !w->options.leave)
		return up;
	l = &w->levels[w->depth - 1];
	tell(w, l, l->next - 1, entry);
	entry->leaving = true;
	entry->type = DT_DIR;
	return 2;
}

int lb_walk_next(struct lb_walk *w, struct lb_walk_entry *entry)
{
	while (w->depth > 0 && w->end != LB_WALK_TIME) {
		struct level *l = &w->levels[w->depth - 1];
		int r;

		if (++w->since >= LOOK_AT_CLOCK) {
			w->since = 0;
			if (is_late(w))
				return 0;
		}
		if (l->next < l->n) {
			if (!tell(w, l, l->next++, entry)) {
				w->end = LB_WALK_DEPTH;
				continue;
			}
			look(entry);
			return 1;
		}
		r = leave(w, entry);
		if (r != 1)
			return r > 0;
	}
	return 0;
}

int lb_walk_enter(struct lb_walk *w)
{
	const struct level *l = &w->levels[w->depth - 1];
	const char *name = l->text + l->at[l->next - 1] + 1;
	size_t path_len = 0;
	int fd;

	if (w->options.max_depth > 0 && w->depth >= w->options.max_depth) {
		w->end = LB_WALK_DEPTH;
		errno = ELOOP;
		return -1;
	}
	if (w->options.paths)
		path_len = l->path_len + (l->path_len > 0) + strlen(name);
	fd = openat(l->fd, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -1 : push(w, fd, path_len);
}
