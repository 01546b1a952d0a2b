/*
 * box/attach.h - files that come with a message into the sandbox of its
 * session, and files that go out of it with the answer.
 *
 * /workspace/inbox/KEY holds what came, and what is in /workspace/outbox/KEY
 * when the answer is there goes with it. Whatever is done with them is done by
 * a process that became the session's user and sees its workspace alone: it
 * follows no link, opens nothing but regular files, and has little time. What
 * it leaves out it names.
 */
#ifndef LB_BOX_ATTACH_H
#define LB_BOX_ATTACH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/loop.h"
#include "box/spec.h"
#include "config/config.h"

#define LB_ATTACH_INBOX "inbox"
#define LB_ATTACH_OUTBOX "outbox"

enum {
	LB_ATTACH_ITEM = 10 << 20,    /* bytes of a file, either way */
	LB_ATTACH_IN_ALL = 20 << 20,  /* of those of a message */
	LB_ATTACH_OUT_ALL = 50 << 20, /* of those of an answer */
	LB_ATTACH_IN_FILES = 32,
	LB_ATTACH_OUT_FILES = 20,
	LB_ATTACH_NAME = 120, /* bytes of a name */
	LB_ATTACH_KEEP = 32,  /* messages whose inbox stays */
};

/*
 * The folder of the record of that id: the id itself where it is a plain name
 * of at most 64 characters, else one made of its digest. Caller frees.
 */
char *lb_attach_key(const char *id);

/*
 * Append a name that is safe as a file's: without folders, leading dots,
 * control, invisible and special characters, at most LB_ATTACH_NAME bytes and
 * with its extension. `otherwise` when nothing is left, or `name` is NULL.
 */
void lb_attach_name(struct lb_buf *out, const char *name,
		    const char *otherwise);

/* Tell a command where the outbox of the record of that id is, if it does not say
 * so itself: LB_OUTBOX is its first variable then, and 1 is returned. NULL is of
 * no record. */
size_t lb_attach_env(struct lb_box_spec *spec, const char *id);

/* What a file is by its first bytes and its name. */
struct lb_attach_kind {
	const char *type; /* of a component: "Image", "Voice" or "File" */
	const char *word; /* "image", "voice", "video" or "file" */
	const char *mime; /* or NULL */
};

struct lb_attach_kind lb_attach_kind(const void *head, size_t len,
				     const char *name);

/* One that goes in. */
struct lb_attach_file {
	char *name; /* safe; two may have the same; owned */
	int fd;     /* read to its end, owned; or -1: */
	struct lb_buf data;
	const char *why; /* it cannot go in; NULL: it can */
};

void lb_attach_file_release(struct lb_attach_file *file);

enum lb_attach_what {
	LB_ATTACH_PUT,     /* the files into the inbox, which is made anew */
	LB_ATTACH_MAKE,    /* an empty outbox */
	LB_ATTACH_COLLECT, /* what is in the outbox, which is gone then */
};

struct lb_attach_job {
	enum lb_attach_what what;
	struct lb_loop *loop;
	struct lb_config *config;
	const char *state;
	const char *session; /* the sandbox's, box/key.h; copied */
	const char *key;     /* copied */
	int64_t quota_mb;    /* of the workspace; 0: none */
	/* To be put; borrowed until done. */
	const struct lb_attach_file *files;
	size_t n;
	/* Where a collected file goes, the i-th from 0: a path, whose folder is
	 * made; caller frees. */
	char *(*place)(void *arg, const char *name, size_t i);
	/*
	 * Once, from the loop; the attach is gone then. `files` is an array,
	 * borrowed. Of what was put, in order: {name, size}, or {name, why} with
	 * words for a model. Of what was collected: {type, name, size, path,
	 * mime?}, or {name, why} for what was left out, where `why` is one of
	 *
	 *     large, many, total   a limit above: of a file, of files, of bytes
	 *     empty  link  busy    busy: somebody still wrote to it
	 *     unread               no file, or it cannot be read or kept
	 *     entries              there is too much to look at all of it
	 *     more                 `count` others that are not named
	 *
	 * With an error (LB_AGAIN: it took too long) there may be less of it
	 * than there was.
	 */
	void (*done)(void *arg, json_t *files, const struct lb_error *err);
	void *arg;
};

struct lb_attach;

/* NULL: it cannot be done, and done is not called. LB_OS. */
struct lb_attach *lb_attach_start(const struct lb_attach_job *job,
				  struct lb_error *err);
/* End it; done is not called. NULL is allowed. */
void lb_attach_cancel(struct lb_attach *attach);

/*
 * Remove what is in the inboxes and outboxes of all sessions, of all workspaces
 * where none is in force, and was not touched since before_ms. How many folders went; -1: LB_IO, none can be read.
 */
int64_t lb_attach_expire(struct lb_config *config, const char *state,
			 int64_t before_ms, struct lb_error *err);

#endif
