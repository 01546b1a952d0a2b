#include "box/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

static int install(const struct sock_filter *program, size_t len)
{
	const struct sock_fprog p = {
		.len = (unsigned short)len,
		.filter = (struct sock_filter *)(uintptr_t)program,
	};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p);
}

int lb_box_seccomp_here(void)
{
	/* The other one has seen to it that these are our own numbers. */
	static const struct sock_filter no_program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return install(filter, sizeof(filter) / sizeof(filter[0])) < 0 ||
			       install(no_program,
				       sizeof(no_program) /
					       sizeof(no_program[0])) < 0
		       ? -1
		       : 0;
}

int lb_box_seccomp_end(int fd)
{
	return write(fd, (const char *)filter + BEGINNING, END) == END ? 0 : -1;
}
