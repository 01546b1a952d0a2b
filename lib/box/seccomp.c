#include "box/seccomp.h"

#include <linux/filter.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct sock_filter filter[] = {
#include "box/seccomp-filter.h"
};

int lb_box_seccomp(struct lb_error *err)
{
	int fd = memfd_create("seccomp", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, filter, sizeof(filter)) == sizeof(filter) &&
	    lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return lb_fail_sys(err, LB_OS,
			   "cannot hand on the filter of system calls");
}
