/*
 * base/proc.h - the only place that starts processes.
 *
 * A child gets exactly descriptors 0, 1 and 2, default signals, an empty
 * signal mask and its own process group, so that it can be killed whole.
 */
#ifndef LB_BASE_PROC_H
#define LB_BASE_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Start argv[0], looked up in PATH. `in`, `out` and `err_fd` become its 0, 1
 * and 2; -1 is /dev/null for 0 and 1 and our own for 2. They stay open here.
 * `env` NULL means ours. Fails with LB_OS, or LB_NOINPUT when there is no
 * such program.
 */
int lb_proc_start(char *const argv[], char *const env[], int in, int out,
		  int err_fd, pid_t *pid, struct lb_error *err);

/*
 * Programs that must not outlive us: a guard, a process of its own, kills
 * their groups when this process ends, however it ends. A guard that was
 * killed itself is replaced by lb_guard_check().
 */
struct lb_guard;

struct lb_guard *lb_guard_open(struct lb_error *err);
/* Kills what is left and waits until that is done. NULL is allowed. */
void lb_guard_close(struct lb_guard *guard);
/* The first half of that: kills what is left, and is not waited for yet.
 * Nothing but lb_guard_close() may follow. */
void lb_guard_dismiss(struct lb_guard *guard);
int lb_guard_check(struct lb_guard *guard, struct lb_error *err);

/*
 * lb_proc_start() with our environment and our standard error; the guard knows
 * of the group before it runs. LB_NOINPUT: there is no such program; LB_DENIED:
 * it may not be run.
 */
int lb_guard_start(struct lb_guard *guard, char *const argv[], int in, int out,
		   pid_t *pid, struct lb_error *err);

/* The same with all of it said. `env` NULL is ours; err_fd -1 is our own. */
struct lb_guarded {
	char *const *argv;
	char *const *env; /* PATH of it finds the program */
	int in, out, err_fd;
};

int lb_guard_spawn(struct lb_guard *guard, const struct lb_guarded *what,
		   pid_t *pid, struct lb_error *err);

/* The guard shall know of a group that began already; and not any more. */
int lb_guard_add(struct lb_guard *guard, pid_t pid, struct lb_error *err);
void lb_guard_forget(struct lb_guard *guard, pid_t pid);

/* Kill the group that this pid leads; the guard forgets it. The pid is still
 * to be waited for, or was just now. */
void lb_guard_kill(struct lb_guard *guard, pid_t pid);

/*
 * A program that is a part of this one: the kernel kills it when this process
 * ends, however it ends. It stays in our process group, so that what kills the
 * group kills it, unless it is to be `apart`.
 */
enum { LB_CHILD_FDS = 8 };

struct lb_child {
	char *const *argv; /* argv[0] is looked up in PATH */
	const int *fds;    /* fds[i] becomes its i; -1 is /dev/null */
	int n_fds;         /* at most LB_CHILD_FDS */
	bool apart;        /* leads a process group of its own */
	bool untied;       /* the kernel does not kill it when we end */
	char *const *env;  /* NULL: ours; PATH of it finds the program */
	/* Its most descriptors, soft and hard; 0: as ours. In force only when
	 * it has those that it gets: ours may have higher numbers. */
	uint64_t open_files;
	/*
	 * May be NULL. Called in the new process, before its descriptors are
	 * put in place: 0, or -1 and errno. It may become somebody else.
	 */
	int (*prepare)(void *arg);
	void *arg;
};

/* As lb_guard_start(). */
int lb_child_start(const struct lb_child *child, pid_t *pid,
		   struct lb_error *err);

/*
 * A process that goes on as this one from here: 0 in it, its pid here. Its
 * standard output is a pipe, whose other end is *from here. The kernel kills it
 * when this process ends. -1: LB_OS.
 */
pid_t lb_proc_split(int *from, struct lb_error *err);

/*
 * The same for one that stays when we end, to tidy up after us: fds[i] becomes
 * its i (at most LB_CHILD_FDS; -1 is /dev/null) and it has no others; it leads a
 * session and has no handlers. It leaves by _exit(2).
 */
pid_t lb_proc_split_off(const int *fds, int n_fds, struct lb_error *err);

/* A descriptor that is readable once the child has ended; -1 and errno. */
int lb_proc_watch(pid_t pid);

/*
 * Run argv to its end and gather what it writes, at most `max` bytes, within
 * timeout_ms; a child that exceeds either is killed with its group. Fails with
 * LB_AGAIN (time), LB_DATA (size) or LB_UNAVAILABLE (exit status not 0).
 */
int lb_proc_capture(char *const argv[], size_t max, int64_t timeout_ms,
		    struct lb_buf *out, struct lb_error *err);

/* The same for one that gets a text: `len` bytes, as a file, at its input. */
struct lb_proc_job {
	char *const *argv;
	char *const *env; /* NULL: ours */
	const char *text;
	size_t len;
	size_t max;
	int64_t timeout_ms;
};

int lb_proc_filter(const struct lb_proc_job *job, struct lb_buf *out,
		   struct lb_error *err);

#endif
