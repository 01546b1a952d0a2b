/* lb-box - the verbs about processes that go on. */
#ifndef LB_BOX_KEEP_H
#define LB_BOX_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/prog.h"
#include "box/owner.h"

enum { KEEP_GRACE_MS = 5000 };

/* Of `keep` and `start` alike. */
struct keep_options {
	const char *config, *session, *folder, *workdir, *profile, *memory,
		*pids, *cpus, *quota, *network;
	struct lb_list env, mounts, skills;
	int64_t idle_ms, grace_ms; /* 0: the usual */
	bool persistent, replace, json;
	const char *owner; /* NULL: what LB_OWNER says */
	long ready;        /* 0: none */
};

extern struct keep_options keep;

/* Whom it ends with; pid 0: nobody. */
int keep_owner(struct lb_owner *owner, struct lb_error *err);

/* A list of arguments, NULL-ended; `at` is freed by its owner. */
struct words {
	char **at;
	size_t n;
};

void words_add(struct words *words, const char *borrowed);

/* How long its log is; what a keeper exited with when it ended at once, which is
 * told with what its log got since then, or LB_OK: it goes on, or all was well. */
int64_t began_log(const char *folder);
int began(pid_t keeper, const char *name, const char *folder, int64_t since);

/* The options that say where and within what it runs. */
void keep_hand_on(struct words *words);

/* Where processes are. */
struct place {
	struct lb_config *config;
	char *state, *processes;
};

int place_open(struct place *place, const char *config, struct lb_error *err);
void place_close(struct place *place); /* also when it did not open */

#endif
