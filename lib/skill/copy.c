#include "skill/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "fs/atomic.h"
#include "fs/beneath.h"
#include "fs/tree.h"
#include "skill/change-in.h"
#include "skill/stamp.h"
#include "skill/sum.h"

enum { MAX_NOTE = 4096 };

#define FOLDER ".skills"

int lb_skill_copies(const struct lb_box_session *s, struct lb_error *err)
{
	const struct lb_beneath at = {s->workspace_fd, FOLDER, NULL};
	int fd;

	if (mkdirat(s->workspace_fd, FOLDER, 0755) == 0 && s->drop &&
	    fchownat(s->workspace_fd, FOLDER, s->uid, s->gid,
		     AT_SYMLINK_NOFOLLOW) < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", FOLDER);
	fd = lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FOLDER, err);
	if (fd < 0)
		lb_error_wrap(err, "the folder of skills in the workspace");
	return fd;
}

/* What the session knows of the copy: the skill it was made of, and its files
 * then, a line each. */
static char *note_of(const struct lb_box_session *s, const char *name)
{
	return lb_printf("%s/skills/%s", s->folder, name);
}

/* One call at a time makes copies in a session; another one waits. */
static int hold(const struct lb_box_session *s, struct lb_error *err)
{
	lb_autofree char *folder = lb_printf("%s/skills", s->folder);
	lb_autofree char *path = lb_printf("%s/.lock", folder);
	int fd;

	if (lb_path_make(folder, err) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR) {
			close(fd);
			return lb_fail_sys(err, LB_IO, "cannot hold '%s'",
					   path);
		}
	return fd;
}

static int read_note(const char *path, char **text, struct lb_error *err)
{
	size_t len;

	return lb_path_read(path, MAX_NOTE, text, &len, err);
}

static int write_note(const struct lb_box_session *s, const char *name,
		      const char *stamp, const char *sum, struct lb_error *err)
{
	lb_autofree char *path = note_of(s, name);
	lb_autofree char *text = lb_printf("%s\n%s\n", stamp, sum);

	return lb_atomic_replace(path, text, strlen(text), err);
}

static void sum_of(const struct lb_pack *pack, char sum[LB_SKILL_SUM])
{
	lb_autobuf struct lb_buf list = {0};

	lb_skill_list(pack, &list);
	lb_skill_sum(&list, sum);
}

/* Are its files as they were made? What cannot be read was written by others. */
static bool is_untouched(int copies, const char *name, const char *sum)
{
	const struct lb_beneath at = {copies, name, NULL};
	struct lb_pack pack = {0};
	struct lb_error err;
	char now[LB_SKILL_SUM] = "";
	lb_autoclose int fd =
		lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FOLDER, &err);

	if (fd >= 0 && lb_pack_folder(&pack, fd, &err) == 0 && pack.n_odd == 0)
		sum_of(&pack, now);
	lb_pack_release(&pack);
	return strcmp(now, sum) == 0;
}

/* Somebody emptied it to have it anew, or it is not there. A folder in which a
 * sandbox is cannot be removed. */
static bool is_empty(int copies, const char *name)
{
	const struct lb_walk_options options = {0};
	const struct lb_beneath at = {copies, name, NULL};
	struct lb_walk_entry e;
	struct lb_walk *walk;
	struct lb_error err;
	lb_autoclose int fd =
		lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FOLDER, &err);
	bool empty;

	walk = fd < 0 ? NULL : lb_walk_open(fd, &options, &err);
	if (!walk)
		return true;
	empty = lb_walk_next(walk, &e) == 0;
	lb_walk_close(walk);
	return empty;
}

static int give(int folder, const struct lb_box_session *s,
		struct lb_error *err)
{
	const struct lb_walk_options options = {0};
	struct lb_walk *walk;
	struct lb_walk_entry e;
	int bad = 0;

	if (!s->drop)
		return 0;
	if (fchown(folder, s->uid, s->gid) < 0)
		return lb_fail_sys(err, LB_IO, "cannot give a copy away");
	walk = lb_walk_open(folder, &options, err);
	if (!walk)
		return -1;
	while (lb_walk_next(walk, &e) > 0) {
		bad |= fchownat(e.folder, e.name, s->uid, s->gid,
				AT_SYMLINK_NOFOLLOW);
		if (e.type == DT_DIR)
			bad |= lb_walk_enter(walk);
	}
	lb_walk_close(walk);
	return bad ? lb_fail(err, LB_IO, "cannot give a copy away") : 0;
}

/* Beside it, then in its place: who is interrupted leaves no half. */
static int make(int copies, const struct lb_shelved *one,
		const struct lb_box_session *s, const char *stamp,
		struct lb_error *err)
{
	const struct lb_tree_limits no_limits = {0};
	lb_autofree char *temp = lb_printf(".new.%s", one->name);
	struct lb_pack pack = {0};
	char sum[LB_SKILL_SUM];
	lb_autoclose int fd = -1;
	int r = lb_shelved_pack(one, &pack, err);

	if (r == 0)
		r = lb_tree_remove(copies, temp, &no_limits, err);
	if (r == 0)
		r = lb_change_write(copies, temp, &pack, err);
	if (r == 0) {
		fd = openat(copies, temp,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		r = fd < 0 ? lb_fail_sys(err, LB_IO, "cannot open '%s'", temp)
			   : give(fd, s, err);
	}
	sum_of(&pack, sum);
	if (r == 0)
		r = lb_tree_remove(copies, one->name, &no_limits, err);
	if (r == 0 && renameat(copies, temp, copies, one->name) < 0)
		r = lb_fail_sys(err, LB_IO, "cannot make '%s'", one->name);
	if (r == 0)
		r = write_note(s, one->name, stamp, sum, err);
	lb_pack_release(&pack);
	return r;
}

/* 1: it is there, and of that skill; 0: it has to be made. */
static int look(struct lb_skill_copy *c, int copies, const char *name,
		const char *stamp, const char *note)
{
	const char *sum = strchr(note, '\n');
	size_t len = sum ? (size_t)(sum - note) : 0;
	lb_autofree char *was = NULL;

	if (!sum || is_empty(copies, name))
		return 0;
	if (strlen(stamp) == len && strncmp(note, stamp, len) == 0)
		return 1;
	was = lb_strndup(sum + 1, strcspn(sum + 1, "\n"));
	c->is_old = !is_untouched(copies, name, was);
	return c->is_old;
}

int lb_skill_copy_open(struct lb_skill_copy *c, const struct lb_shelved *one,
		       const struct lb_box_session *s, struct lb_error *err)
{
	lb_autofree char *note_path = note_of(s, one->name);
	lb_autofree char *note = NULL;
	struct lb_beneath at = {-1, one->name, NULL};
	lb_autoclose int copies = -1;
	lb_autoclose int held = -1;
	char stamp[72];

	*c = (struct lb_skill_copy){.folder = -1};
	if (lb_shelved_stamp(one, stamp, err) < 0)
		return -1;
	held = hold(s, err);
	copies = held < 0 ? -1 : lb_skill_copies(s, err);
	if (copies < 0)
		return -1;
	if (read_note(note_path, &note, err) < 0 && err->code != LB_NOINPUT)
		return -1;
	if (look(c, copies, one->name, stamp, note ? note : "") == 0 &&
	    make(copies, one, s, stamp, err) < 0)
		return lb_error_wrap(err, "skill '%s' cannot be copied",
				     one->name);
	at.root = copies;
	c->folder = lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FOLDER, err);
	c->path = lb_printf("%s/" FOLDER "/%s", s->workspace, one->name);
	return c->folder < 0 ? -1 : 0;
}

void lb_skill_copy_release(struct lb_skill_copy *c)
{
	if (c->folder >= 0)
		close(c->folder);
	free(c->path);
	*c = (struct lb_skill_copy){.folder = -1};
}
