#include "box/alive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "box/reap.h"

bool lb_box_alive_has(const char *root, const char *folder)
{
	lb_autofree char *path = lb_printf("%s/alive/%s", root, folder);

	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void lb_box_alive_leave(const char *root, const char *folder)
{
	lb_autofree char *path = lb_printf("%s/alive/%s", root, folder);

	unlink(path);
}

/* The folder, held: nobody else adds to it meanwhile. */
static int hold(const char *root, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/alive", root);
	int fd;

	if (lb_path_make(path, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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

static int64_t count(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *one;
	int64_t n = 0;

	while (dir && (one = readdir(dir)) != NULL)
		n += one->d_name[0] != '.';
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
	return n;
}

int lb_box_alive_enter(struct lb_config *config, const char *state,
		       const char *root, const char *folder,
		       struct lb_error *err)
{
	int64_t most = lb_config_int(config, "box.limits.max_sessions");
	lb_autoclose int held = -1, made = -1;

	if (lb_box_alive_has(root, folder))
		return 0;
	if (most == 0)
		return lb_fail(err, LB_DENIED,
			       "no session of the sandbox may be created here "
			       "(box.limits.max_sessions: 0)");
	lb_autofree char *path = lb_printf("%s/alive/%s", root, folder);
	held = hold(root, err);
	if (held < 0)
		return -1;
	if (count(held) >= most)
		lb_box_reap_for_room(config, state);
	if (count(held) >= most)
		return lb_fail(
			err, LB_AGAIN,
			"as many sessions of the sandbox are alive as may be "
			"(box.limits.max_sessions: %lld); try again when one "
			"has ended, see 'lb-box sessions', or allow more",
			(long long)most);
	made = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return made < 0 ? lb_fail_sys(err, LB_IO, "cannot make '%s'", path) : 0;
}
