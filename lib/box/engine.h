/*
 * box/engine.h - what backends share that another program makes a sandbox for.
 * Inside the room only.
 *
 *     engine.c        a run's folder, and those that were left behind
 *     engine-script.c what it begins with inside
 *     engine-check.c  how closed it is, and by what limited
 */
#ifndef LB_BOX_ENGINE_H
#define LB_BOX_ENGINE_H

#include "box/tender.h"

/* Where a run's own files are inside, read-only. */
#define LB_ENGINE_AT "/run/lb"

enum {
	LB_ENGINE_FAILED = 125,   /* what engines exit with for their own */
	LB_ENGINE_INIT_SLACK = 2, /* processes of ours beside the command's */
	LB_ENGINE_TMP_MB = 64,    /* of /tmp and /dev/shm */
	LB_ENGINE_OWN_MB = 256,   /* of a workspace in memory, if not said */
	LB_ENGINE_OPEN_FILES = 1024,
};

/* A list of arguments, NULL-ended; all owned. */
struct lb_argv {
	char **at;
	size_t n;
};

void lb_argv_add(struct lb_argv *a, ...) __attribute__((sentinel));
void lb_argv_printf(struct lb_argv *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The texts of a list of the configuration. */
void lb_argv_config(struct lb_argv *a, struct lb_config *config,
		    const char *key);
void lb_argv_release(struct lb_argv *a);

/* What the engine's own program gets: where it finds things, and no key. Both
 * are owned by the list. */
void lb_engine_env(struct lb_argv *env);

/* One run's: zeroed, lock -1, before first use. */
struct lb_engine_run {
	char *name;   /* "lb-ID-NUMBER"; ID is this state's own */
	char *folder; /* of the same name; gone with the tender */
	int lock;     /* held as long as the run is alive */
};

/*
 * Make its folder with the script that waits at a gate, unless it is_blind.
 * `removes` is what comes before a name to remove what a run of before left.
 * LB_IO, LB_DATA.
 */
int lb_engine_begin(struct lb_box *box, const struct lb_box_exec *x,
		    bool is_blind, struct lb_engine_run *run,
		    struct lb_error *err);
/* `undo`: nothing was started. */
void lb_engine_end(struct lb_engine_run *run, bool undo);

/*
 * Remove what runs of ours left behind that nobody tends any more: each is
 * removed by `argv` with its name at the end. How many could not be.
 */
int lb_engine_tidy(struct lb_box *box, const struct lb_argv *remove,
		   const struct lb_argv *env);

/* This state's id, made once; "lb-ID-" is what its runs' names begin with.
 * Caller frees; NULL: LB_IO. */
char *lb_engine_id(struct lb_box *box, struct lb_error *err);

/* The texts as words of a shell, each with a blank in front. */
void lb_engine_quote_all(struct lb_buf *text, const char *const *words);

/* The script: waits, goes to the folder, becomes the command. */
void lb_engine_script(const struct lb_box_exec *x, bool is_blind,
		      struct lb_buf *text);

/* A driver's `check`: nobody inside is root or could become it, and which
 * limits are in force; LB_UNAVAILABLE. */
int lb_engine_check(const struct lb_box_exec *x, pid_t child,
		    enum lb_box_limits *limits, struct lb_error *err);

/* The child of an engine that is the first process of a sandbox; it may have
 * others, which it started before or which were there when it became what it
 * is. 0: there is none. */
pid_t lb_engine_first(pid_t engine);

/* Where the kernel counts what it killed for want of memory in the group of a
 * process, open; -1. And did it? */
int lb_engine_open_memory(pid_t pid);
bool lb_engine_was_short(int take_fd);

/* The last of its lines that says something, borrowed; cuts the text. */
const char *lb_engine_words(char *text);

/* What an engine said when nothing ran. A driver's `explain`, but for its
 * name. */
int lb_engine_explain(const char *name, const char *said, struct lb_error *err);

/* Bytes that a file may have, and a workspace in memory. */
int64_t lb_engine_file_bytes(const struct lb_box_exec *x);

#endif
