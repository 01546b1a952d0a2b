/*
 * box/seccomp.h - the system calls that a sandbox does not get.
 *
 * A list of what is refused, for x86-64 and arm64: calls that reach beyond
 * their namespaces, that change the machine, or that are doors to kernel code
 * nobody needs to compute or to build a program. A foreign architecture's call
 * ends the process; a call newer than this list does not exist (ENOSYS), and so
 * does clone3, whose flags lie in memory: libraries take the call that can be
 * looked at. fallocate is "not supported": it could fill
 * a disk faster than anybody can watch.
 */
#ifndef LB_BOX_SECCOMP_H
#define LB_BOX_SECCOMP_H

#include "base/error.h"

/* The same for engines: a profile as JSON (OCI runtime-spec, linux.seccomp). */
extern const char lb_box_seccomp_oci[];

/* And for nsjail: a policy of kafel. */
extern const char lb_box_seccomp_kafel[];

/*
 * The filter as a program of struct sock_filter, in a pipe, but for its end:
 * bubblewrap reads it when all else is done, and what has no end it does not
 * take. So nothing runs before lb_box_seccomp_end(), and nothing ever if we
 * are gone by then. ends[1] can be written to as soon as the rest was read.
 * LB_OS.
 */
int lb_box_seccomp(int ends[2], struct lb_error *err);

/* -1 and errno. */
int lb_box_seccomp_end(int fd);

/* The same filter for this process, from now on, which cannot become another
 * program any more, either. It must have no_new_privs. -1 and errno. */
int lb_box_seccomp_here(void);

#endif
