#include "skill/change.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "fs/atomic.h"
#include "fs/lock.h"
#include "fs/tree.h"
#include "skill/change-in.h"
#include "skill/name.h"
#include "skill/sum.h"

enum {
	WAIT_MS = 10 * 1000,
	LOOK_MS = 20,
	MAX_LOCK = 16 << 20,
	MAX_LIST = 2 << 20,
};

static json_t *read_json(const char *path, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	json_error_t why;
	json_t *o;
	size_t len;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return json_object();
	if (lb_path_read(path, MAX_LOCK, &text, &len, err) < 0)
		return NULL;
	o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!o)
		lb_fail(err, LB_DATA, "%s:%d: %s", path, why.line, why.text);
	return o;
}

json_t *lb_change_known(const char *store, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/lock.json", store);
	json_auto_t *all = read_json(path, err);
	json_t *skills = json_object_get(all, "skills");
	int64_t version = 1;

	if (!all)
		return NULL;
	if (json_object_size(all) == 0)
		return json_object();
	lb_json_int(all, "version", &version);
	if (version != 1 || !json_is_object(skills)) {
		lb_fail(err, LB_DATA,
			"%s: not of this version, or damaged; version 1 and "
			"\"skills\" are missing",
			path);
		return NULL;
	}
	return json_incref(skills);
}

int lb_change_list(const char *store, const char *name, struct lb_buf *list,
		   struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/.lists/%s", store, name);
	lb_autofree char *text = NULL;
	size_t len;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	if (lb_path_read(path, MAX_LIST, &text, &len, err) < 0)
		return -1;
	lb_buf_put(list, text, len);
	return 0;
}

int lb_change_keep(struct lb_change *c, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/lock.json", c->store);
	json_auto_t *all =
		lb_json_pack("{s:i, s:O}", "version", 1, "skills", c->skills);
	lb_autofree char *text =
		json_dumps(all, JSON_INDENT(1) | JSON_SORT_KEYS);
	lb_autobuf struct lb_buf b = {0};

	lb_buf_puts(&b, text ? text : "");
	lb_buf_putc(&b, '\n');
	return lb_atomic_replace(path, lb_buf_str(&b), b.len, err);
}

/* Hold the store, as soon as whoever has it lets go. */
static int hold(const char *store, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/.lock", store);
	int64_t until = lb_clock_mono() + WAIT_MS;
	pid_t holder;
	int fd;

	while ((fd = lb_lock_hold(path, &holder, err)) < 0 &&
	       err->code == LB_AGAIN && lb_clock_mono() < until)
		poll(NULL, 0, LOOK_MS);
	return fd;
}

/* The sum of what is in place; false where there is nothing, or no skill. */
static bool sum_of(const struct lb_change *c, const char *name,
		   char sum[LB_SKILL_SUM])
{
	lb_autoclose int fd =
		openat(c->folder, name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	lb_autobuf struct lb_buf list = {0};
	struct lb_pack pack = {0};
	struct lb_error err;
	bool good = fd >= 0 && lb_pack_folder(&pack, fd, &err) == 0;

	if (good) {
		lb_skill_list(&pack, &list);
		lb_skill_sum(&list, sum);
	}
	lb_pack_release(&pack);
	return good;
}

/* What was put in place before somebody was cut off is in place. */
static int finish(struct lb_change *c, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/.pending", c->store);
	json_auto_t *all = NULL;
	const char *name;
	json_t *from;
	struct lb_error ignored;
	bool changed = false;

	if (access(path, F_OK) < 0)
		return 0;
	all = read_json(path, &ignored);
	json_object_foreach(all, name, from)
	{
		char sum[LB_SKILL_SUM];
		const char *tree = lb_json_str(from, "tree");

		if (lb_skill_name_why(name, strlen(name)) || !tree ||
		    !sum_of(c, name, sum) || strcmp(sum, tree) != 0)
			continue;
		json_object_set(c->skills, name, from);
		changed = true;
	}
	if (changed && lb_change_keep(c, err) < 0)
		return -1;
	unlink(path);
	return 0;
}

static const struct lb_tree_limits no_limits = {0};

/* What was never put in place. */
static void sweep(struct lb_change *c)
{
	int fd = openat(c->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	struct lb_error ignored;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (e = readdir(dir)))
		if (strncmp(e->d_name, ".new-", 5) == 0 ||
		    strncmp(e->d_name, ".lb-", 4) == 0)
			lb_tree_remove(c->folder, e->d_name, &no_limits,
				       &ignored);
	if (dir)
		closedir(dir);
}

int lb_change_begin(struct lb_change *c, const char *store,
		    struct lb_error *err)
{
	*c = (struct lb_change){.store = store, .held = -1, .folder = -1};
	if (lb_path_make(store, err) < 0)
		return -1;
	c->held = hold(store, err);
	if (c->held >= 0)
		c->folder = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->held >= 0 && c->folder < 0)
		lb_fail_sys(err, LB_IO, "cannot open '%s'", store);
	if (c->folder >= 0)
		c->skills = lb_change_known(store, err);
	if (c->skills && finish(c, err) == 0) {
		sweep(c);
		return 0;
	}
	lb_change_end(c);
	return -1;
}

void lb_change_end(struct lb_change *c)
{
	json_decref(c->skills);
	c->skills = NULL;
	if (c->folder >= 0)
		close(c->folder);
	if (c->held >= 0)
		close(c->held);
	c->folder = c->held = -1;
}

int lb_change_remove(struct lb_change *c, const char *name,
		     struct lb_error *err)
{
	lb_autofree char *gone = lb_printf(".new-gone-%s", name);
	lb_autofree char *list = lb_printf(".lists/%s", name);
	struct lb_error later;
	int removed;

	lb_tree_remove(c->folder, gone, &no_limits, err);
	if (renameat(c->folder, name, c->folder, gone) < 0 &&
	    (errno != ENOENT || !json_object_get(c->skills, name)))
		return lb_fail_sys(err, errno == ENOENT ? LB_NOINPUT : LB_IO,
				   "cannot remove skill '%s'", name);
	json_object_del(c->skills, name);
	/* Its files go first: on a full disk there is no room to say so. */
	unlinkat(c->folder, list, 0);
	removed = lb_tree_remove(c->folder, gone, &no_limits, err);
	return lb_change_keep(c, removed < 0 ? &later : err) < 0 ? -1 : removed;
}
