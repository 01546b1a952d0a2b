/* inbox.c - what came with a message, into the sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "box/attaching.h"
#include "fs/beneath.h"
#include "fs/tree.h"
#include "fs/walk.h"

enum {
	PIECE = 64 * 1024,
	BLOCK = 4096,
	MEASURE_MS = 3000,
	MAX_KEPT = 4096, /* inboxes that are looked at */
	IN_USE_S = 3600, /* whose message may still be worked on */
};

static const struct lb_tree_limits some = {.max_entries = 100000,
					   .max_ms = 5000};

static const char no_room[] = "there is no room for it in the workspace";

struct inbox {
	const struct lb_attach_place *place;
	int folder;
	int64_t left; /* bytes that its files may still have */
	int64_t room; /* and the workspace; INT64_MAX: as much as it likes */
};

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -1;
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* What a file holds into another; how much that was, at most `most` + 1. */
static int64_t copy(int from, int to, int64_t most)
{
	char piece[PIECE];
	int64_t all = 0;

	for (;;) {
		ssize_t n = read(from, piece, sizeof(piece));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -1 : all;
		all += n;
		if (all > most)
			return all;
		if (write_all(to, piece, (size_t)n) < 0)
			return -1;
	}
}

/* "a.csv" that is there already becomes "a-2.csv". */
static int make_file(int folder, const char *name, struct lb_buf *as)
{
	const char *dot = strrchr(name, '.');
	size_t stem = dot && dot > name ? (size_t)(dot - name) : strlen(name);
	int fd = -1;

	lb_buf_puts(as, name);
	for (int i = 2; i < 2 + 2 * LB_ATTACH_IN_FILES; i++) {
		fd = lb_beneath_step(folder, as->data,
				     O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
		lb_buf_reset(as);
		lb_buf_printf(as, "%.*s-%d%s", (int)stem, name, i, name + stem);
	}
	return fd;
}

/* NULL: it is there; else why it is not. */
static const char *put_file(struct inbox *in, const struct lb_attach_file *f,
			    struct lb_buf *as, int64_t *size)
{
	lb_autoclose int to = -1;
	int64_t most = in->left < LB_ATTACH_ITEM ? in->left : LB_ATTACH_ITEM;
	const char *why = NULL;

	if (in->room < most)
		most = in->room;
	to = make_file(in->folder, f->name, as);
	if (to < 0)
		return errno == ENOSPC || errno == EDQUOT
			       ? no_room
			       : "it cannot be written";
	errno = 0;
	if (f->fd >= 0)
		*size = copy(f->fd, to, most);
	else if ((int64_t)f->data.len > most)
		*size = most + 1;
	else
		*size = write_all(to, lb_buf_str(&f->data), f->data.len) < 0
				? -1
				: (int64_t)f->data.len;
	if (*size < 0)
		why = errno == ENOSPC || errno == EDQUOT
			      ? no_room
			      : "it cannot be copied";
	else if (*size > most)
		why = most == in->room   ? no_room
		      : most == in->left ? "with it, the files of the "
					   "message have more than 20 MiB"
					 : "it has more than 10 MiB";
	if (why)
		unlinkat(in->folder, as->data, 0);
	return why;
}

static void put_one(struct inbox *in, const struct lb_attach_file *f)
{
	lb_autobuf struct lb_buf as = {0};
	int64_t size = 0;
	const char *why = f->why ? f->why : put_file(in, f, &as, &size);

	if (why) {
		lb_attach_refuse(f->name, why);
		return;
	}
	in->left -= size;
	if (in->room != INT64_MAX)
		in->room -= (size + BLOCK - 1) / BLOCK * BLOCK;
	if (in->room < 0)
		in->room = 0;
	lb_attach_say(lb_json_pack("{s:s, s:I}", "name", as.data, "size",
				   (json_int_t)size),
		      NULL, 0);
}

/* What the workspace may still get. */
static int64_t room_of(const struct lb_attach_place *place)
{
	const struct lb_tree_limits limits = {.max_bytes = place->quota,
					      .max_ms = MEASURE_MS};
	struct lb_tree_size size;
	struct lb_error err;

	if (place->quota <= 0)
		return INT64_MAX;
	if (lb_tree_size(place->workspace, &limits, &size, &err) < 0 ||
	    size.unread > 0 || size.end != LB_WALK_WHOLE ||
	    size.bytes >= place->quota)
		return 0;
	return place->quota - size.bytes;
}

struct kept {
	struct timespec at;
	char *name;
};

static int by_age(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->at.tv_sec != y->at.tv_sec)
		return x->at.tv_sec > y->at.tv_sec ? -1 : 1;
	return x->at.tv_nsec > y->at.tv_nsec   ? -1
	       : x->at.tv_nsec < y->at.tv_nsec ? 1
					       : 0;
}

/* Those of old messages go, so that a chat cannot fill the disk with them in a
 * while. */
static void forget_old(int inbox)
{
	const struct lb_walk_options options = {.max_entries = MAX_KEPT};
	struct lb_error err;
	struct lb_walk *walk = lb_walk_open(inbox, &options, &err);
	struct lb_walk_entry e;
	struct kept *all = NULL;
	size_t n = 0;
	struct stat st;

	while (walk && lb_walk_next(walk, &e) > 0) {
		if (fstatat(e.folder, e.name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		all = lb_grow(all, (n + 1) * sizeof(*all));
		all[n++] = (struct kept){st.st_mtim, lb_strdup(e.name)};
	}
	lb_walk_close(walk);
	if (n > 0)
		qsort(all, n, sizeof(*all), by_age);
	for (size_t i = 0; i < n; i++) {
		if (i >= LB_ATTACH_KEEP - 1 &&
		    all[i].at.tv_sec < time(NULL) - IN_USE_S)
			lb_tree_remove(inbox, all[i].name, &some, &err);
		free(all[i].name);
	}
	free(all);
}

int lb_attach_put(const struct lb_attach_place *place, struct lb_error *err)
{
	const struct lb_attach_job *job = place->job;
	lb_autoclose int inbox =
		lb_attach_folder(place->workspace, LB_ATTACH_INBOX, err);
	struct inbox in = {.place = place,
			   .folder = -1,
			   .left = LB_ATTACH_IN_ALL};

	if (inbox < 0 || lb_tree_remove(inbox, job->key, &some, err) < 0)
		return -1;
	forget_old(inbox);
	in.folder = lb_attach_folder(inbox, job->key, err);
	if (in.folder < 0)
		return -1;
	in.room = room_of(place);
	for (size_t i = 0; i < job->n; i++)
		if (i < LB_ATTACH_IN_FILES)
			put_one(&in, &job->files[i]);
		else
			lb_attach_refuse(job->files[i].name,
					 "there are too many files");
	close(in.folder);
	return 0;
}
