/* pack-folder.c - a folder of this machine as a pack. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fs/walk.h"
#include "skill/pack.h"

static bool is_left_out(const struct lb_walk_entry *e)
{
	static const char *const folders[] = {".git", "node_modules",
					      "__pycache__", NULL};

	for (int i = 0; e->type == DT_DIR && folders[i]; i++)
		if (strcmp(e->name, folders[i]) == 0)
			return true;
	return lb_pack_is_junk(e->path);
}

static const char *kind_of(unsigned char type)
{
	return type == DT_LNK    ? "a symbolic link"
	       : type == DT_FIFO ? "a named pipe"
	       : type == DT_SOCK ? "a socket"
				 : "a device";
}

/* All of an open file. */
static int read_all(struct lb_pack *p, int fd, struct lb_pack_file *f,
		    size_t size, struct lb_error *err)
{
	ssize_t n;

	/* One more, to see that it did not grow meanwhile. */
	f->data = lb_alloc_raw(size + 1);
	while ((n = read(fd, f->data + f->len, size + 1 - f->len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lb_fail_sys(err, LB_IO, "cannot read '%.200s'",
					   f->path);
		if (lb_pack_count(p, f->path, (int64_t)f->len, (size_t)n, err) <
		    0)
			return -1;
		f->len += (size_t)n;
		if (f->len > size)
			return lb_fail(err, LB_AGAIN,
				       "'%.200s' grew while it was read",
				       f->path);
	}
	return 0;
}

static int add_file(struct lb_pack *p, const struct lb_walk_entry *e,
		    struct lb_error *err)
{
	lb_autoclose int fd =
		openat(e->folder, e->name,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct lb_pack_file f = {0};
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return lb_fail_sys(err, errno == EACCES ? LB_DENIED : LB_IO,
				   "cannot open '%.200s'", e->path);
	if (!S_ISREG(st.st_mode))
		return lb_fail(err, LB_DATA, "'%.200s' is no file", e->path);
	if (st.st_size > LB_PACK_FILE)
		return lb_pack_count(p, e->path, 0, LB_PACK_FILE + 1, err);
	f.path = lb_pack_path(e->path, e->path_len, err);
	if (!f.path)
		return -1;
	f.exec = (st.st_mode & 0100) != 0;
	if (read_all(p, fd, &f, (size_t)st.st_size, err) == 0)
		return lb_pack_add(p, &f, err);
	free(f.path);
	free(f.data);
	return -1;
}

static int add_entry(struct lb_pack *p, struct lb_walk *walk,
		     const struct lb_walk_entry *e, struct lb_error *err)
{
	char *path;

	if (e->type == DT_REG)
		return add_file(p, e, err);
	path = lb_pack_path(e->path, e->path_len, err);
	if (!path)
		return -1;
	if (e->type != DT_DIR)
		return lb_pack_add_odd(p, path, kind_of(e->type), err);
	if (lb_pack_add_folder(p, path, err) < 0)
		return -1;
	if (lb_walk_enter(walk) < 0)
		return lb_fail_sys(err, errno == EACCES ? LB_DENIED : LB_IO,
				   "cannot open '%.200s'", e->path);
	return 0;
}

int lb_pack_folder(struct lb_pack *p, int folder, struct lb_error *err)
{
	const struct lb_walk_options options = {
		.max_entries = LB_PACK_ENTRIES,
		.max_depth = LB_PACK_DEPTH,
		.sort = true,
		.paths = true,
	};
	struct lb_walk *walk = lb_walk_open(folder, &options, err);
	struct lb_walk_entry e;
	int r = walk ? 0 : -1;

	while (r == 0 && lb_walk_next(walk, &e) > 0)
		if (!is_left_out(&e))
			r = add_entry(p, walk, &e, err);
	if (r == 0 && lb_walk_ended(walk) != LB_WALK_WHOLE)
		r = lb_fail(err, LB_DATA,
			    "the folder has more than %d entries, or is more "
			    "than %d deep",
			    LB_PACK_ENTRIES, LB_PACK_DEPTH);
	lb_walk_close(walk);
	return r < 0 ? -1 : lb_pack_end(p, err);
}
