/* session-delete.c - the end of a session with all its files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "box/alive.h"
#include "box/e2b.h"
#include "box/key.h"
#include "box/place.h"
#include "box/session.h"
#include "box/spec.h"
#include "fs/tree.h"

static const struct lb_tree_limits no_limits;

char *lb_box_session_name(const char *sessions, const char *folder)
{
	lb_autofree char *path = lb_printf("%s/%s/name", sessions, folder);
	struct lb_error err;
	char *text = NULL;
	size_t len;

	if (lb_path_read(path, LB_BOX_MAX_SESSION, &text, &len, &err) < 0)
		return NULL;
	return text;
}

/* Nobody uses it and, as long as this is open, nobody will. */
int lb_box_session_claim(const char *sessions, const char *folder,
			 const char *name, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/%s/use", sessions, folder);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return lb_fail(err, LB_NOINPUT, "there is no session '%.64s'",
			       name);
	if (fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0) {
		if (st.st_nlink > 0)
			return fd;
		lb_fail(err, LB_NOINPUT, "there is no session '%.64s'", name);
	} else if (errno == EWOULDBLOCK) {
		lb_fail(err, LB_AGAIN,
			"something runs in session '%.64s': it is deleted when "
			"that has ended",
			name);
	} else {
		lb_fail_sys(err, LB_IO, "cannot hold '%s'", path);
	}
	close(fd);
	return -1;
}

/* What is mounted there, however often, is not any more. */
static int unmount(const char *workspaces, const char *folder,
		   struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/%s", workspaces, folder);
	struct stat here, above;

	while (lstat(path, &here) == 0 && stat(workspaces, &above) == 0 &&
	       here.st_dev != above.st_dev)
		if (umount2(path, UMOUNT_NOFOLLOW) < 0)
			return lb_fail_sys(err,
					   errno == EBUSY ? LB_AGAIN : LB_IO,
					   "cannot unmount '%s'", path);
	return 0;
}

static int remove_from(const char *folder, const char *name,
		       struct lb_error *err)
{
	lb_autoclose int at =
		open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (at < 0 && errno == ENOENT)
		return 0;
	if (at < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", folder);
	return lb_tree_remove(at, name, &no_limits, err);
}

/* What we know of it goes last: until then it can be deleted again. */
int lb_box_session_end(const struct lb_box_places *p, const char *folder,
		       struct lb_error *err)
{
	lb_autofree char *owner = lb_box_uid_owner(p->tenant, folder);
	lb_autofree char *machine = lb_printf("%s/%s/e2b", p->sessions, folder);

	if (lb_e2b_forget(p->config, machine, err) < 0)
		return -1;
	if (p->workspaces && (unmount(p->workspaces, folder, err) < 0 ||
			      remove_from(p->workspaces, folder, err) < 0))
		return -1;
	lb_box_uid_free(p->base, owner);
	lb_box_alive_leave(p->root, folder);
	return remove_from(p->sessions, folder, err);
}

int lb_box_session_delete(struct lb_config *config, const char *state,
			  const char *name, struct lb_error *err)
{
	lb_autofree char *folder = lb_box_folder(name);
	struct lb_box_places p;
	int there = lb_box_places_find(&p, config, state, err), result = there;

	if (there == 0)
		result = lb_fail(err, LB_NOINPUT, "there is no session '%.64s'",
				 name);
	if (there > 0) {
		lb_autoclose int used =
			lb_box_session_claim(p.sessions, folder, name, err);

		result = used < 0 ? -1 : lb_box_session_end(&p, folder, err);
	}
	lb_box_places_release(&p);
	return result;
}
