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

/* The filter as a program of struct sock_filter, in a file of its own whose
 * descriptor is returned; -1 and LB_OS. */
int lb_box_seccomp(struct lb_error *err);

#endif
