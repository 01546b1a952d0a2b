/*
 * provider/process.h - a provider as a process. Inside the room only.
 *
 *     process.c  started, fed, read, ended, started again
 *     client.c   what is asked of it
 *     answer.c   what it says
 */
#ifndef LB_PROVIDER_PROCESS_H
#define LB_PROVIDER_PROCESS_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/map.h"
#include "provider/client.h"
#include "record/line.h"

enum {
	HELLO_MS = 10 * 1000,
	CANCEL_MS = 2 * 1000,
	/* What is asked waits for a start that is not farther away. */
	PATIENCE_MS = 5 * 1000,
	MAX_BACKOFF_MS = 60 * 1000,
	/* One that ran for so long did not fail at its start. */
	SETTLED_MS = 60 * 1000,
	/* Asked and not read yet. */
	MAX_UNSENT = 64 << 20,
};

struct lb_provider {
	struct lb_loop *loop;
	char *name;
	char **argv, **env;
	struct lb_guard *guard;
	bool bare;
	size_t max_line;
	int64_t hello_ms, cancel_ms;

	enum { DOWN, STARTING, READY } state;
	pid_t pid; /* 0: none */
	int in, out, log, watch;
	struct lb_lines *lines, *words;
	struct lb_buf unsent;
	struct lb_timer
		timer;   /* of the answer to hello, or of the next start */
	int64_t started; /* mono ms */
	int failures;    /* starts in a row that came to nothing */
	bool ending, warned;
	int64_t said_since; /* of its standard error: a window, and */
	int said;           /* lines in it */

	struct lb_map calls;                   /* by id, those that were sent */
	struct lb_provider_call *first, *last; /* all */
	uint64_t ids;
	struct lb_map tools; /* by pipeline, arrays */
	uint64_t changes;    /* how often its tools changed */
	void (*changed)(void *arg);
	void *changed_arg;
};

struct lb_provider_call {
	struct lb_provider *p;
	struct lb_provider_call *prev, *next;
	char id[24];
	char *name;     /* of the tool; NULL: a list */
	char *pipeline; /* of a list */
	json_t *arguments, *context;
	int64_t deadline; /* mono ms */
	uint64_t changes; /* what was known when it was asked */
	struct lb_timer timer;
	lb_provider_fn *fn; /* NULL: nobody waits for it any more */
	void *arg;
	enum {
		WAITING, /* for the provider, or for another list */
		SENT,
		SETTLED, /* its end is known: `code`, or the list */
	} state;
	const char *code;
	char *why;
};

/*
 * Have it run, now or after its pause. Returns how long that is, ms, or -1 for
 * one that is ending.
 */
int64_t lb_process_need(struct lb_provider *p);

/* A line to it, its newline included. LB_AGAIN: it does not read. */
int lb_process_send(struct lb_provider *p, const char *line, size_t len,
		    struct lb_error *err);

/* It broke its protocol: end it. */
void lb_process_break(struct lb_provider *p, const char *why);

void lb_process_stop(struct lb_provider *p, int64_t until);

/* client.c: it is ready; it is gone; its tools are others now. */
void lb_client_ready(struct lb_provider *p);
void lb_client_lost(struct lb_provider *p, const char *why);
void lb_client_forget(struct lb_provider *p);
/* The end of a call: who asked is told, and it is gone. */
void lb_call_finish(struct lb_provider_call *c,
		    const struct lb_provider_answer *answer);
/* A list is known: whoever waits for it gets it when the loop turns. */
void lb_call_list_known(struct lb_provider *p, const char *pipeline);

/* answer.c. -1: it broke the protocol, err says how. */
int lb_client_line(struct lb_provider *p, const char *text, size_t len,
		   struct lb_error *err);

#endif
