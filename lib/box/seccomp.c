#include "box/seccomp.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <unistd.h>

static const struct sock_filter filter[] = {
#include "box/seccomp-filter.h"
};

#include "box/seccomp-kafel.h"
#include "box/seccomp-oci.h"

/* The least a pipe holds, which is one piece: with one in it, it is full. And
 * what is held back: less than an instruction. */
enum { PIPE_SIZE = 4096, END = 4, BEGINNING = sizeof(filter) - END };

_Static_assert(BEGINNING <= PIPE_SIZE, "the filter fits into a pipe");

int lb_box_seccomp(int ends[2], struct lb_error *err)
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	if (fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE) > 0 &&
	    fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 &&
	    write(ends[1], filter, BEGINNING) == BEGINNING)
		return 0;
	close(ends[0]);
	close(ends[1]);
	return lb_fail_sys(err, LB_OS,
			   "cannot hand on the filter of system calls");
}

int lb_box_seccomp_end(int fd)
{
	return write(fd, (const char *)filter + BEGINNING, END) == END ? 0 : -1;
}
