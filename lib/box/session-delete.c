/* session-delete.c - the end of a session. */
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
#include "box/e2b.h"
#include "box/key.h"
#include "box/place.h"
#include "box/session.h"
#include "fs/tree.h"

static const struct lb_tree_limits no_limits;

/* Nobody uses it and, as long as this is open, nobody will. */
static int claim(const char *sessions, const char *folder, const char *name,
		 struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/%s/use", sessions, folder);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 && errno == ENOENT)
		return lb_fail(err, LB_NOINPUT, "there is no session '%.64s'",
			       name);
	if (fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (errno == EWOULDBLOCK)
		lb_fail(err, LB_AGAIN,
			"something runs in session '%.64s': it is deleted when "
			"that has ended",
			name);
	else
		lb_fail_sys(err, LB_IO, "cannot hold '%s'", path);
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
int lb_box_session_delete(struct lb_config *config, const char *state,
			  const char *name, struct lb_error *err)
{
	lb_autofree char *folder = lb_box_folder(name);
	lb_autofree char *root = lb_box_root(config, state);
	lb_autofree char *given = lb_box_workspaces(config, state);
	lb_autofree char *workspaces = realpath(given, NULL);
	lb_autofree char *sessions = lb_printf("%s/sessions", root);
	lb_autofree char *machine = lb_printf("%s/%s/e2b", sessions, folder);
	lb_autoclose int used = claim(sessions, folder, name, err);

	if (used < 0 || lb_e2b_forget(config, machine, err) < 0)
		return -1;
	if (workspaces && (unmount(workspaces, folder, err) < 0 ||
			   remove_from(workspaces, folder, err) < 0))
		return -1;
	lb_box_uid_free(root, folder);
	return remove_from(sessions, folder, err);
}
