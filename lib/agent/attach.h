/*
 * agent/attach.h - files of a turn: those that came with the message, and those
 * that go with the answer.
 *
 *     attach.c        what is done in the sandbox, and when
 *     attach-in.c     files of a message, from its chain
 *     attach-fetch.c  those that are elsewhere
 *     attach-note.c   what the model is told of them, and what the user is
 *
 * A turn has them where it may run commands in a sandbox of this machine, by
 * the tools that come with lb (box/attach.h); any other has none, and its
 * message stays as it is.
 */
#ifndef LB_AGENT_ATTACH_H
#define LB_AGENT_ATTACH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "box/attach.h"

struct turn;
struct lb_fetch;

typedef void attach_fn(struct turn *turn);

/* What is known of one that came; of the same index in attach.files. */
struct came {
	struct turn *turn;
	const json_t *part; /* of the chain */
	size_t number;      /* of it in the message, from 1 */
	const char *word;   /* what it is: "image", "file" ... */
	struct lb_fetch *fetch;
	int64_t bytes; /* fetched so far */
	bool too_much; /* for a message */
};

struct attach {
	char *session, *key; /* of the sandbox; NULL: there is none */
	int64_t quota_mb;
	struct lb_attach *job; /* under way */
	enum lb_attach_what what;
	attach_fn *then;  /* and what goes on after it */
	attach_fn *go_on; /* once all of a message is in */
	/* What came with the message. */
	struct lb_attach_file *files;
	struct came *came;
	size_t n;
	size_t fetching; /* how many of them */
	int64_t fetched; /* bytes */
	int64_t until;   /* mono ms: it is waited for that they come */
	json_t *user;    /* the message with notes of them; NULL: as it came */
	bool made;       /* there may be an outbox to be looked into */
	json_t *out;     /* components of the reply; or NULL */
};

/*
 * Each begins something and returns true: then(turn) is called from the loop
 * once it is done, however it ended. Or there is nothing to be done: false.
 */

/* Once it is known which tools there are: the message's files go in. */
bool attach_in(struct turn *turn, attach_fn *then);
/* Before calls are made: there is an empty outbox. */
bool attach_outbox(struct turn *turn, attach_fn *then);
/* When the answer is there: what is in the outbox. Once. */
bool attach_collect(struct turn *turn, attach_fn *then);

/* The user's message as the history keeps it; borrowed. */
const json_t *attach_user(const struct turn *turn);
/* The same as the model is shown it, with where its own files go; new. */
json_t *attach_shown(const struct turn *turn);

/* A text behind what the user said; what it is a copy of stays. */
void attach_add_text(json_t *message, const char *text, size_t len);

/* Bytes that components of a reply take, at most. */
size_t attach_room(const struct turn *turn);

void attach_cancel(struct turn *turn); /* then() is not called */
void attach_release(struct turn *turn);

/*
 * attach-in.c: turn->attach.files of the message's chain. False: some are on
 * their way and may be waited for; it is to be called again.
 */
bool attach_read(struct turn *turn);
/* What it is and is called, by its bytes and what the message says. */
void attach_describe(struct turn *turn, size_t i);
/* Its URL, if it is elsewhere and may be fetched; else NULL. */
const char *attach_url(const struct turn *turn, size_t i);
void attach_free_files(struct turn *turn);

/* attach-fetch.c: get those that are elsewhere; as above. */
bool attach_fetch(struct turn *turn, attach_fn *then);

/* attach-note.c: turn->attach.user, of what became of the files. */
void attach_note(struct turn *turn, const json_t *files, bool failed);
/* What was left out of an answer is said in it; failed: some may be. */
void attach_say_left(struct turn *turn, const json_t *files, bool failed);

#endif
