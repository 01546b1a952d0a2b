/* change-put.c - skills from memory to their places. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "fs/atomic.h"
#include "fs/tree.h"
#include "skill/change-in.h"
#include "skill/sum.h"

/* Others than their owner read skills, too: the users of sandboxes. */
enum { FOLDER_MODE = 0755, FILE_MODE = 0644, EXEC_MODE = 0755 };

static int write_all(int fd, const char *text, size_t len)
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
	return 0;
}

/* The folders of a path below `at`, each made where it is missing. */
static int make_folders(int at, const char *path, struct lb_error *err)
{
	lb_autofree char *part = lb_strdup(path);

	for (char *slash = part; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		/* Whatever our umask is. */
		if (mkdirat(at, part, FOLDER_MODE) == 0
			    ? fchmodat(at, part, FOLDER_MODE, 0) < 0
			    : errno != EEXIST)
			return lb_fail_sys(err, LB_IO, "cannot make '%s'",
					   part);
		*slash = '/';
	}
	return 0;
}

static int write_file(int at, const struct lb_pack_file *f,
		      struct lb_error *err)
{
	lb_autoclose int fd =
		openat(at, f->path,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       FILE_MODE);

	if (fd < 0 || fchmod(fd, f->exec ? EXEC_MODE : FILE_MODE) < 0 ||
	    write_all(fd, f->data, f->len) < 0)
		return lb_fail_sys(err, LB_IO, "cannot write '%.200s'",
				   f->path);
	return 0;
}

int lb_change_write(int staging, const char *name, const struct lb_pack *pack,
		    struct lb_error *err)
{
	lb_autoclose int at = -1;
	const char *before = "";

	if (mkdirat(staging, name, FOLDER_MODE) < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", name);
	at = openat(staging, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (at < 0 || fchmod(at, FOLDER_MODE) < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", name);
	for (size_t i = 0; i < pack->n; i++) {
		const struct lb_pack_file *f = &pack->files[i];
		const char *slash = strrchr(f->path, '/');
		size_t len = slash ? (size_t)(slash - f->path) + 1 : 0;

		/* Files come by their paths, so most have the folder of the
		 * one before. */
		if (len > 0 && strncmp(before, f->path, len) != 0 &&
		    make_folders(at, f->path, err) < 0)
			return -1;
		before = f->path;
		if (write_file(at, f, err) < 0)
			return lb_error_wrap(err, "skill '%s'", name);
	}
	return 0;
}

/* A file of ours, new. It needs no sync: see who calls. */
static int write_own(struct lb_change *c, const char *path,
		     const struct lb_buf *text, struct lb_error *err)
{
	lb_autoclose int fd = -1;

	unlinkat(c->folder, path, 0);
	fd = openat(c->folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0600);
	if (fd < 0 || write_all(fd, lb_buf_str(text), text->len) < 0)
		return lb_fail_sys(err, LB_IO, "cannot write '%s/%s'", c->store,
				   path);
	return 0;
}

static int write_pending(struct lb_change *c,
			 const struct lb_change_item *items, size_t n,
			 struct lb_error *err)
{
	json_auto_t *all = json_object();
	lb_autobuf struct lb_buf b = {0};

	for (size_t i = 0; i < n; i++)
		if (items[i].from)
			json_object_set(all, items[i].name, items[i].from);
	lb_buf_json(&b, all);
	return write_own(c, ".pending", &b, err);
}

/* It only tells which files changed; that they did, lock.json does. */
static int put_list(struct lb_change *c, const struct lb_change_item *item,
		    struct lb_error *err)
{
	lb_autofree char *path = lb_printf(".lists/%s", item->name);
	lb_autobuf struct lb_buf list = {0};

	lb_skill_list(item->pack, &list);
	if (mkdirat(c->folder, ".lists", 0700) < 0 && errno != EEXIST)
		return lb_fail_sys(err, LB_IO, "cannot make '%s/.lists'",
				   c->store);
	return write_own(c, path, &list, err);
}

/* The new one comes to its place in one step, and the old one out of it. */
static int swap(struct lb_change *c, int staging, const char *name,
		struct lb_error *err)
{
	struct stat st;
	bool is_there = fstatat(c->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (renameat2(staging, name, c->folder, name,
		      is_there ? RENAME_EXCHANGE : RENAME_NOREPLACE) < 0)
		return lb_fail_sys(err, LB_IO, "cannot put skill '%s' in place",
				   name);
	return 0;
}

static int place(struct lb_change *c, int staging,
		 const struct lb_change_item *items, size_t n,
		 struct lb_error *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		if (items[i].from && put_list(c, &items[i], err) < 0)
			return -1;
		r = swap(c, staging, items[i].name, err);
		if (r == 0 && items[i].from)
			json_object_set(c->skills, items[i].name,
					items[i].from);
	}
	return r;
}

int lb_change_put(struct lb_change *c, const struct lb_change_item *items,
		  size_t n, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/.new-XXXXXX", c->store);
	const struct lb_tree_limits no_limits = {0};
	lb_autoclose int staging = -1;
	struct lb_error later;
	int r = 0;

	if (!mkdtemp(path))
		return lb_fail_sys(err, LB_IO, "cannot write below '%s'",
				   c->store);
	staging = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (staging < 0)
		r = lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	for (size_t i = 0; i < n && r == 0; i++)
		r = lb_change_write(staging, items[i].name, items[i].pack, err);
	if (r == 0)
		r = write_pending(c, items, n, err);
	/* One for all files; what is renamed must be whole. */
	if (r == 0 && syncfs(staging) < 0)
		r = lb_fail_sys(err, LB_IO, "cannot sync '%s'", path);
	if (r == 0) {
		r = place(c, staging, items, n, err);
		if (lb_change_keep(c, r < 0 ? &later : err) < 0)
			r = -1;
	}
	/* What could not be kept is for the next to finish. */
	if (r == 0)
		unlinkat(c->folder, ".pending", 0);
	lb_tree_remove(c->folder, strrchr(path, '/') + 1, &no_limits, &later);
	return r;
}
