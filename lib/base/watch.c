#include "base/watch.h"

#include <stdint.h>
#include <sys/inotify.h>
#include <unistd.h>

static int watch(const char *path, uint32_t what)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0)
		return -1;
	if (inotify_add_watch(fd, path, what) >= 0)
		return fd;
	close(fd);
	return -1;
}

int lb_watch_open(const char *path)
{
	return watch(path, IN_MODIFY);
}

int lb_watch_folder(const char *path)
{
	return watch(path, IN_CREATE | IN_DELETE | IN_MOVE | IN_ONLYDIR);
}

void lb_watch_drain(int fd)
{
	char events[4096];

	while (read(fd, events, sizeof(events)) > 0)
		;
}
