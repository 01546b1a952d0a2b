#include "box/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/alive.h"
#include "box/image.h"
#include "box/key.h"
#include "box/place.h"
#include "fs/atomic.h"

struct opening {
	struct lb_box_session *s;
	struct lb_config *config;
	char *root, *base;      /* owned */
	char *owner;            /* of its user id; owned */
	const char *short_name; /* the folder's */
	struct lb_box_uids uids;
	char *image;         /* the workspace as a file system; owned */
	struct lb_error why; /* there is none */
};

/* The workspace is there and belongs to whom it should: 1; it is not: 0; -1. */
static int look(struct opening *o, struct lb_error *err)
{
	struct lb_box_session *s = o->s;
	struct stat st;
	bool ours;

	if (s->workspace_fd >= 0)
		close(s->workspace_fd);
	s->workspace_fd = open(s->workspace,
			       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->workspace_fd < 0 && errno == ENOENT)
		return 0;
	if (s->workspace_fd < 0 || fstat(s->workspace_fd, &st) < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'",
				   s->workspace);
	ours = s->drop ? st.st_uid >= o->uids.first && st.st_uid <= o->uids.last
		       : st.st_uid == geteuid();
	if (!ours)
		return lb_fail(err, LB_DENIED,
			       "the workspace '%s' belongs to user %lu, who is "
			       "none of a sandbox's; move it away",
			       s->workspace, (unsigned long)st.st_uid);
	s->uid = st.st_uid;
	s->gid = st.st_gid;
	/* A command may have taken its owner's rights away, and nobody could
	 * begin there to give them back. Nothing else comes into its place:
	 * what is above it is ours. */
	if ((st.st_mode & 0700) != 0700 &&
	    chmod(s->workspace, (st.st_mode & 07777) | 0700) < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'",
				   s->workspace);
	return 1;
}

/* Is something mounted there? */
static bool is_mounted(const struct lb_box_session *s)
{
	lb_autofree char *above = lb_printf("%s/..", s->workspace);
	struct stat here, there;

	return fstat(s->workspace_fd, &here) == 0 && stat(above, &there) == 0 &&
	       here.st_dev != there.st_dev;
}

/* Held until it is closed: what is made for a session is made once. */
static int lock(const struct lb_box_session *s, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/lock", s->folder);
	int fd;

	if (lb_path_make(s->folder, err) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR) {
			close(fd);
			return lb_fail_sys(err, LB_IO, "cannot lock '%s'",
					   path);
		}
	return fd;
}

/*
 * Who uses a session holds this file, and finds it still there when he does: a
 * session that was deleted meanwhile begins anew.
 */
static int use(const char *folder, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/use", folder);
	struct stat st;

	for (;;) {
		int used = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
				0600);

		if (used < 0 && errno == ENOENT) {
			if (lb_path_make(folder, err) < 0)
				return -1;
			continue;
		}
		if (used < 0 || (flock(used, LOCK_SH) < 0 && errno != EINTR) ||
		    fstat(used, &st) < 0) {
			lb_fail_sys(err, LB_IO, "cannot hold '%s'", path);
			if (used >= 0)
				close(used);
			return -1;
		}
		if (st.st_nlink > 0)
			return used;
		close(used);
	}
}

/* The image of a workspace while it is made, image.c. */
#define IMAGE_NEW "workspace.img.new"

int lb_box_session_tidy(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *one;
	int n = 0;

	while (dir && (one = readdir(dir)) != NULL)
		if (strncmp(one->d_name, ".lb-", 4) == 0 ||
		    strncmp(one->d_name, IMAGE_NEW, sizeof(IMAGE_NEW) - 1) == 0)
			n += unlinkat(dirfd(dir), one->d_name, 0) == 0;
	if (dir)
		closedir(dir);
	return n;
}

/* What it will be mounted from, if that can be had. */
static int make_image(struct opening *o, struct lb_error *err)
{
	const struct lb_box_session *s = o->s;

	if (!s->drop || s->quota_mb <= 0 || access(o->image, F_OK) == 0 ||
	    lb_box_image_make(o->image, s->quota_mb,
			      lb_box_files(o->config, s->quota_mb),
			      &o->why) == 0)
		return 0;
	return o->why.code == LB_UNAVAILABLE
		       ? 0
		       : lb_fail(err, o->why.code, "%s", o->why.text);
}

/*
 * A new workspace appears whole, with its owner, and when all that belongs to
 * it is there: whoever is killed before has made none.
 */
static int make(struct opening *o, struct lb_error *err)
{
	struct lb_box_session *s = o->s;
	lb_autofree char *new = lb_printf("%s/new", s->folder);
	lb_autofree char *name = lb_printf("%s/name", s->folder);
	lb_autofree char *parent = lb_strdup(s->workspace);

	*strrchr(parent, '/') = '\0';
	lb_box_session_tidy(s->folder);
	if (lb_path_make(parent, err) < 0 ||
	    lb_atomic_replace(name, s->name, strlen(s->name), err) < 0)
		return -1;
	s->uid = s->drop ? lb_box_uid(&o->uids, o->base, o->owner, err)
			 : geteuid();
	s->gid = s->drop ? s->uid : getegid();
	if ((s->drop && s->uid == 0) || make_image(o, err) < 0)
		return -1;
	rmdir(new);
	if (mkdir(new, 0700) < 0 ||
	    (s->drop && lchown(new, s->uid, s->gid) < 0) ||
	    rename(new, s->workspace) < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'",
				   s->workspace);
	return 0;
}

/* MiB of the file system that the workspace is; 0: it is none. */
static int64_t image_mb(const struct opening *o)
{
	struct stat st;

	return stat(o->image, &st) == 0 ? (int64_t)(st.st_size >> 20) : 0;
}

/* The workspace as a file system of its own. */
static int use_image(struct opening *o, struct lb_error *err)
{
	const struct lb_box_session *s = o->s;

	if (access(o->image, F_OK) < 0) {
		*err = o->why;
		return o->why.code != LB_OK
			       ? -1
			       : lb_fail(err, LB_UNAVAILABLE,
					 "the workspace is older than its "
					 "quota");
	}
	if (lb_box_image_mount(o->image, s->workspace, s->uid, s->gid, err) < 0)
		return -1;
	return look(o, err) == 1 ? 0 : -1;
}

/* How well is the quota kept? What is in a file system of its own is nowhere
 * else: it is used whether or not a quota is asked for now. */
static int keep_quota(struct opening *o, bool is_new, struct lb_error *err)
{
	struct lb_box_session *s = o->s;
	bool is_there = is_mounted(s);
	struct lb_error why;

	s->quota = s->quota_mb > 0 ? LB_BOX_QUOTA_SOFT : LB_BOX_QUOTA_NONE;
	if (!s->drop || (!is_there && s->quota_mb <= 0 && image_mb(o) == 0))
		return 0;
	if (!is_there && use_image(o, &why) < 0) {
		/* nobody has written to it */
		if (is_new && why.code == LB_UNAVAILABLE)
			unlink(o->image);
		if (why.code != LB_UNAVAILABLE || image_mb(o) > 0)
			return lb_fail(err, why.code,
				       "cannot have the files of session "
				       "'%.64s': %s",
				       s->name, why.text);
		lb_log(LB_INFO, NULL, "the quota of '%s' is only watched: %s",
		       s->name, why.text);
		return 0;
	}
	s->quota = LB_BOX_QUOTA_HARD;
	if (image_mb(o) > 0)
		s->quota_mb = image_mb(o);
	return 0;
}

static int open_all(struct opening *o, struct lb_error *err)
{
	struct lb_box_session *s = o->s;
	lb_autoclose int held = -1;
	int there = look(o, err);

	if (there < 0)
		return -1;
	if (there && (!s->drop || is_mounted(s) ||
		      (s->quota_mb <= 0 && image_mb(o) == 0)))
		return keep_quota(o, false, err);
	held = lock(s, err);
	if (held < 0)
		return -1;
	there = look(o, err);
	if (there < 0 || (there == 0 && make(o, err) < 0))
		return -1;
	if (there == 0 && look(o, err) != 1)
		return -1;
	return keep_quota(o, there == 0, err);
}

/* Names are those of the folders as they really are: no link is followed
 * later. */
static char *real(char *take, struct lb_error *err)
{
	char *path = NULL;

	if (lb_path_make(take, err) == 0) {
		path = realpath(take, NULL);
		if (!path)
			lb_fail_sys(err, LB_IO, "cannot open '%s'", take);
	}
	free(take);
	return path;
}

/* The time of the file is when it was last used. */
static void mark_used(int used)
{
	if (used >= 0)
		futimens(used, NULL);
}

/*
 * It is one of those that are alive, and used: in that order, so that nothing is
 * made for one that may not be; and looked at again, as whoever ends it does both
 * while it is not used.
 */
int lb_box_session_hold(struct lb_config *config, const char *state,
			const char *root, const char *folder,
			struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/sessions/%s", root, folder);
	int used;

	for (;;) {
		if (lb_box_alive_enter(config, state, root, folder, err) < 0)
			return -1;
		used = use(path, err);
		if (used < 0 || lb_box_alive_has(root, folder))
			break;
		close(used);
	}
	mark_used(used);
	return used;
}

int lb_box_session_persist(const struct lb_box_session *s, bool persistent,
			   struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/persistent", s->folder);
	lb_autoclose int fd = -1;

	if (!persistent)
		return unlink(path) == 0 || errno == ENOENT
			       ? 0
			       : lb_fail_sys(err, LB_IO, "cannot remove '%s'",
					     path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? lb_fail_sys(err, LB_IO, "cannot make '%s'", path) : 0;
}

int lb_box_session_open(struct lb_box_session *s, struct lb_config *config,
			const char *state, const char *name, int64_t quota_mb,
			struct lb_error *err)
{
	lb_autofree char *folder = lb_box_folder(name), *all = NULL;
	lb_autofree char *tenant = lb_box_tenant(config);
	struct opening o = {.s = s, .config = config, .short_name = folder};
	int opened = -1;

	*s = (struct lb_box_session){
		.name = lb_strdup(name),
		.workspace_fd = -1,
		.used = -1,
		.drop = geteuid() == 0,
		.quota_mb = quota_mb,
	};
	o.root = real(lb_box_root(config, state), err);
	o.base = o.root ? real(lb_box_base(config, state), err) : NULL;
	o.owner = lb_box_uid_owner(tenant, folder);
	all = o.base ? real(lb_box_workspaces(config, state), err) : NULL;
	if (all && (!s->drop || lb_box_uids(config, &o.uids, err) == 0)) {
		s->folder = lb_printf("%s/sessions/%s", o.root, folder);
		s->workspace = lb_printf("%s/%s", all, folder);
		o.image = lb_printf("%s/workspace.img", s->folder);
		s->used =
			lb_box_session_hold(config, state, o.root, folder, err);
		if (s->used >= 0)
			opened = open_all(&o, err);
	}
	free(o.root);
	free(o.base);
	free(o.owner);
	free(o.image);
	if (opened < 0)
		lb_box_session_close(s);
	return opened;
}

void lb_box_session_close(struct lb_box_session *s)
{
	mark_used(s->used);
	free(s->name);
	free(s->folder);
	free(s->workspace);
	if (s->workspace_fd >= 0)
		close(s->workspace_fd);
	if (s->used >= 0)
		close(s->used);
	*s = (struct lb_box_session){.workspace_fd = -1, .used = -1};
}
