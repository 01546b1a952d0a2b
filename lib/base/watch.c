#include "base/watch.h"

#include <sys/inotify.h>
#include <unistd.h>

int lb_watch_open(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0)
		return -1;
	if (inotify_add_watch(fd, path, IN_MODIFY) >= 0)
		return fd;
	close(fd);
	return -1;
}

void lb_watch_drain(int fd)
{
	char events[4096];

	while (read(fd, events, sizeof(events)) > 0)
		;
}
