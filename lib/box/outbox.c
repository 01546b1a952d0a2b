/* outbox.c - what goes out of the sandbox with an answer. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/attaching.h"
#include "fs/beneath.h"
#include "fs/tree.h"
#include "fs/walk.h"

enum {
	MAX_ENTRIES = 512,
	MAX_DEPTH = 8,
	MAX_REFUSED = 20, /* that are named; the others are counted */
	WALK_MS = 10 * 1000,
};

static const struct lb_tree_limits some = {.max_entries = 100000,
					   .max_ms = 5000};

struct outbox {
	size_t files, refused;
	int64_t left;
	struct lb_buf data; /* of the file at hand */
};

static void refuse(struct outbox *o, const char *name, const char *why)
{
	lb_autobuf struct lb_buf shown = {0};

	if (o->refused++ >= MAX_REFUSED)
		return;
	lb_attach_name(&shown, name, "file");
	lb_attach_refuse(lb_buf_str(&shown), why);
}

static const char *judge(const struct outbox *o, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "unread";
	if (st->st_nlink != 1)
		return "link";
	if (st->st_size == 0)
		return "empty";
	if (st->st_size > LB_ATTACH_ITEM)
		return "large";
	if (o->files >= LB_ATTACH_OUT_FILES)
		return "many";
	if (st->st_size > o->left)
		return "total";
	return NULL;
}

/* All of it, as long as nobody writes to it meanwhile. */
static const char *read_file(struct outbox *o, int fd, const struct stat *st)
{
	size_t size = (size_t)st->st_size;
	struct stat now;

	lb_buf_reset(&o->data);
	lb_buf_reserve(&o->data, size + 1);
	while (o->data.len <= size) {
		ssize_t n = read(fd, o->data.data + o->data.len,
				 size + 1 - o->data.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return "unread";
		if (n == 0)
			break;
		o->data.len += (size_t)n;
	}
	if (fstat(fd, &now) < 0 || o->data.len != size ||
	    now.st_size != st->st_size ||
	    now.st_mtim.tv_sec != st->st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != st->st_mtim.tv_nsec)
		return "busy";
	return NULL;
}

static void send_file(struct outbox *o, const char *name)
{
	lb_autobuf struct lb_buf shown = {0};
	struct lb_attach_kind kind;
	json_t *line;

	lb_attach_name(&shown, name, "file");
	kind = lb_attach_kind(o->data.data, o->data.len, lb_buf_str(&shown));
	line = lb_json_pack("{s:s, s:s, s:I}", "type", kind.type, "name",
			    lb_buf_str(&shown), "size",
			    (json_int_t)o->data.len);
	if (kind.mime)
		json_object_set_new(line, "mime", json_string(kind.mime));
	lb_attach_say(line, o->data.data, o->data.len);
	o->files++;
	o->left -= (int64_t)o->data.len;
}

static void take(struct outbox *o, const struct lb_walk_entry *e)
{
	lb_autoclose int fd = lb_beneath_step(e->folder, e->name, O_RDONLY, 0);
	struct stat st;
	const char *why = NULL;

	if (fd < 0 && errno == ENOENT)
		return; /* it went just now */
	if (fd < 0)
		why = errno == ELOOP   ? "link"
		      : errno == ENXIO ? "unread"
				       : "unread";
	else if (fstat(fd, &st) < 0)
		why = "unread";
	else
		why = judge(o, &st);
	if (!why)
		why = read_file(o, fd, &st);
	if (why)
		refuse(o, e->name, why);
	else
		send_file(o, e->name);
}

static void look(struct outbox *o, struct lb_walk *walk)
{
	struct lb_walk_entry e;

	while (lb_walk_next(walk, &e) > 0) {
		if (e.type == DT_DIR) {
			if (lb_walk_enter(walk) < 0)
				refuse(o, e.name, "unread");
		} else if (e.type == DT_LNK) {
			refuse(o, e.name, "link");
		} else if (e.type == DT_REG) {
			take(o, &e);
		} else {
			refuse(o, e.name, "unread");
		}
	}
}

static int collect(struct outbox *o, int folder, struct lb_error *err)
{
	const struct lb_walk_options options = {
		.max_entries = MAX_ENTRIES,
		.max_depth = MAX_DEPTH,
		.deadline = lb_clock_mono() + WALK_MS,
		.sort = true,
	};
	struct lb_walk *walk = lb_walk_open(folder, &options, err);
	bool whole;

	if (!walk)
		return -1;
	look(o, walk);
	whole = lb_walk_ended(walk) == LB_WALK_WHOLE;
	lb_walk_close(walk);
	if (o->refused > MAX_REFUSED)
		lb_attach_say(lb_json_pack("{s:s, s:s, s:I}", "name", "...",
					   "why", "more", "count",
					   (json_int_t)(o->refused -
							MAX_REFUSED)),
			      NULL, 0);
	if (!whole)
		lb_attach_refuse("...", "entries");
	return 0;
}

int lb_outbox_make(const struct lb_attach_place *place, struct lb_error *err)
{
	lb_autoclose int all =
		lb_attach_folder(place->workspace, LB_ATTACH_OUTBOX, err);
	lb_autoclose int made = -1;

	if (all < 0 || lb_tree_remove(all, place->job->key, &some, err) < 0)
		return -1;
	made = lb_attach_folder(all, place->job->key, err);
	return made < 0 ? -1 : 0;
}

/* What is not there, or a link by now, holds nothing. */
int lb_outbox_collect(const struct lb_attach_place *place, struct lb_error *err)
{
	const char *key = place->job->key;
	struct outbox o = {.left = LB_ATTACH_OUT_ALL};
	lb_autoclose int all =
		lb_beneath_step(place->workspace, LB_ATTACH_OUTBOX,
				O_RDONLY | O_DIRECTORY, 0);
	lb_autoclose int folder =
		all < 0 ? -1
			: lb_beneath_step(all, key, O_RDONLY | O_DIRECTORY, 0);
	int r = 0;

	if (folder < 0 && errno != ENOENT)
		lb_attach_refuse(LB_ATTACH_OUTBOX,
				 errno == ELOOP || errno == ENOTDIR ? "link"
								    : "unread");
	if (folder >= 0)
		r = collect(&o, folder, err);
	lb_buf_release(&o.data);
	/* Once: whatever is left goes with it, or at the next gc. */
	if (all >= 0) {
		struct lb_error why;

		lb_tree_remove(all, key, &some, &why);
	}
	return r;
}
