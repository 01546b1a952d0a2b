/* Files that came with a message: open one, and what it is. */
#include "platform/media.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_PARTS = 8 };

static int refuse(const char *path, struct lb_error *err)
{
	return lb_fail(err, LB_DENIED, "'%.200s' is not a file below media",
		       path);
}

/* What follows "STATE/media/"; NULL when it lies elsewhere. */
static const char *below(const char *state, const char *path)
{
	static const char media[] = "/media/";
	size_t n = strlen(state);

	if (strncmp(path, state, n) != 0 ||
	    strncmp(path + n, media, sizeof(media) - 1) != 0)
		return NULL;
	return path + n + sizeof(media) - 1;
}

/* One step: a name in a folder; no link is followed. */
static int enter(int folder, const char *name, bool last, const char *path,
		 struct lb_error *err)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = openat(folder, name, last ? flags : flags | O_DIRECTORY);
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR || errno == ENXIO))
		return refuse(path, err);
	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   path);
	if (last && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return refuse(path, err);
	}
	return fd;
}

/*
 * The folder that the file is in, and what it is called there; -1. Nothing of
 * the way is a link.
 */
static int walk(const char *state, const char *path, char **name,
		struct lb_error *err)
{
	lb_autofree char *media = lb_printf("%s/media", state);
	const char *rest = below(state, path);
	int fd, parts = 0;

	*name = NULL;
	if (!rest)
		return refuse(path, err);
	fd = open(media, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   path);
	for (;;) {
		size_t len = strcspn(rest, "/");
		lb_autofree char *part = lb_strndup(rest, len);
		int next;

		if (len == 0 || strcmp(part, ".") == 0 ||
		    strcmp(part, "..") == 0 || ++parts > MAX_PARTS) {
			close(fd);
			return refuse(path, err);
		}
		if (!rest[len]) {
			*name = lb_steal(&part);
			return fd;
		}
		next = enter(fd, part, false, path, err);
		close(fd);
		if (next < 0)
			return -1;
		fd = next;
		rest += len + 1;
	}
}

int lb_media_open(const char *state, const char *path, struct lb_error *err)
{
	lb_autofree char *name = NULL;
	lb_autoclose int folder = walk(state, path, &name, err);

	return folder < 0 ? -1 : enter(folder, name, true, path, err);
}

int lb_media_remove(const char *state, const char *path, struct lb_error *err)
{
	lb_autofree char *name = NULL;
	lb_autoclose int folder = walk(state, path, &name, err);
	lb_autoclose int file = -1;

	if (folder >= 0)
		file = enter(folder, name, true, path, err);
	if (file < 0)
		return err->code == LB_NOINPUT ? 0 : -1;
	if (unlinkat(folder, name, 0) < 0)
		return lb_fail_sys(err, LB_IO, "cannot remove '%.200s'", path);
	return 1;
}
