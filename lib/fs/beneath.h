/*
 * fs/beneath.h - files below a folder, whatever links and other processes do.
 *
 * Every path is resolved by the kernel in one step (openat2), and never leaves
 * the folder: links inside of it work, a link that leads out of it, or into
 * /proc, is refused, and nothing that is moved meanwhile changes that.
 */
#ifndef LB_FS_BENEATH_H
#define LB_FS_BENEATH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct lb_beneath {
	int root;          /* a descriptor of the folder; O_PATH will do */
	const char *path;  /* relative; "." is the folder itself */
	const char *shown; /* what errors call it; NULL: path */
};

enum lb_beneath_kind {
	LB_BENEATH_FILE,   /* a regular file */
	LB_BENEATH_FOLDER, /* a folder */
	LB_BENEATH_EITHER, /* one of the two */
};

/*
 * Open what is there: the descriptor, or -1. `flags` are those of open(2)
 * without O_CREAT; never waits for the other end of a FIFO. LB_NOINPUT: it is
 * not there; LB_DENIED: it leads out, or may not be opened; LB_DATA: it is
 * something else; LB_IO; LB_OS: this kernel cannot do it safely.
 */
int lb_beneath_open(const struct lb_beneath *at, int flags,
		    enum lb_beneath_kind kind, struct lb_error *err);

/* Where a file is, or is to be: a name in a folder. */
struct lb_beneath_spot {
	int folder; /* O_PATH; the caller closes it */
	char name[256];
};

/*
 * The spot of a path, whose parents are made (0777 less the umask) where they
 * are missing and `make` says so. A link in its place is followed, so what is
 * at the spot is none. Errors are those above.
 */
int lb_beneath_find(const struct lb_beneath *at, bool make,
		    struct lb_beneath_spot *spot, struct lb_error *err);

/*
 * One step, and no link: the name in a folder, on its file system. `mode` is for
 * O_CREAT. The descriptor, or -1 and errno (ELOOP: a link; EXDEV). Never waits.
 */
int lb_beneath_step(int folder, const char *name, int flags, mode_t mode);

#endif
