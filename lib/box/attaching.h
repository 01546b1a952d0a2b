/*
 * box/attaching.h - what the files about attachments share. For this room.
 *
 *     attach.c        the side of whoever asks: the process, what it says
 *     attach-child.c  the process: who it becomes, what it sees
 *     inbox.c         what comes in
 *     outbox.c        what goes out
 *     attach-name.c   names and kinds
 *     attach-gc.c     what nobody needs any more
 *
 * The process writes lines, each an object; one with "bytes" is followed by so
 * many bytes of a file. The last one is {"end":true}, or {"failed":TEXT,
 * "code":N}.
 */
#ifndef LB_BOX_ATTACHING_H
#define LB_BOX_ATTACHING_H

#include <sys/types.h>

#include "box/attach.h"

enum {
	LB_ATTACH_MS = 30 * 1000, /* that it may take */
	LB_ATTACH_LINE = 4096,    /* bytes of a line of it */
};

/* What the process works with. */
struct lb_attach_place {
	const struct lb_attach_job *job;
	int workspace; /* O_PATH of it */
	int64_t quota; /* bytes it may have; 0: as it likes, or it is kept */
};

/* The process: does not return. */
void lb_attach_child(const struct lb_attach_job *job, pid_t parent)
	__attribute__((noreturn));

/* Write a line, and bytes behind it; the object is given away. */
void lb_attach_say(json_t *take, const char *bytes, size_t len);
/* "{name, why}" of a file that is left out. */
void lb_attach_refuse(const char *name, const char *why);

/*
 * The folder of that name in another, made (0700) where it is missing and in
 * place of anything that is none. O_RDONLY, or -1 and the error.
 */
int lb_attach_folder(int in, const char *name, struct lb_error *err);

int lb_attach_put(const struct lb_attach_place *place, struct lb_error *err);
int lb_outbox_make(const struct lb_attach_place *place, struct lb_error *err);
int lb_outbox_collect(const struct lb_attach_place *place,
		      struct lb_error *err);

#endif
