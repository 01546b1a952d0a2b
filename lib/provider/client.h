/*
 * provider/client.h - asking a tool provider, lb-provider(7).
 *
 * A provider is a program that is started at first use and serves all callers:
 * a line in, a line out, JSON. It runs in a group of its own, which ends with
 * this process however that ends. What it writes to standard error goes to the
 * log. When it dies, everything asked of it fails, and it is started again
 * after 1, 2, 4 ... 60 s; what is asked before waits for it, unless that is
 * more than a few seconds away.
 *
 * What it answers is hostile: lines have a limit, what is no answer to anything
 * is left out with one warning, and one that does not end a call when told to
 * is killed.
 */
#ifndef LB_PROVIDER_CLIENT_H
#define LB_PROVIDER_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "base/proc.h"

struct lb_provider;
struct lb_provider_call; /* asked and not answered */

/* All copied but the guard, which outlives the provider. */
struct lb_provider_how {
	const char *name;        /* what the operator calls it */
	const char *const *argv; /* NULL-ended */
	const char *const *env;  /* NULL-ended; all it gets */
	struct lb_guard *guard;
	bool bare;       /* its tools keep their own names */
	size_t max_line; /* 0: LB_LINE_MAX */
	/* How long hello may take, and the end of a cancelled call; 0: 10 s
	 * and 2 s. */
	int64_t hello_ms, cancel_ms;
	/* May be NULL. Its tools are not known any more, as it said, or as it
	 * ended. */
	void (*changed)(void *arg);
	void *arg;
};

/* Starts nothing yet. SIGPIPE is to be ignored in this process. */
struct lb_provider *lb_provider_open(struct lb_loop *loop,
				     const struct lb_provider_how *how);

const char *lb_provider_name(const struct lb_provider *p);

/* Nothing more will be asked: a provider finishes and ends. */
void lb_provider_end(struct lb_provider *p);

/*
 * Wait for it until `until` (mono ms), then kill it. What is not answered yet
 * gets no answer any more.
 */
void lb_provider_close(struct lb_provider *p, int64_t until);

/* Borrowed until the callback returns. */
struct lb_provider_answer {
	const json_t *content;      /* text, or parts; NULL: it failed */
	const char *code, *message; /* then */
};

/* Exactly once, and never before the call that asked returned. */
typedef void lb_provider_fn(void *arg, const struct lb_provider_answer *answer);

struct lb_provider_request {
	const char *name;        /* its own name of the tool */
	const json_t *arguments; /* an object */
	/* {id bot pipeline session platform sender_id launcher_type
	 * launcher_id conversation_id}; deadline_ms is put in when it is
	 * asked. */
	const json_t *context;
	int64_t timeout_ms;
};

/*
 * Call a tool. A call that is not answered in time fails with `timeout`, and
 * the provider is told to end it.
 */
struct lb_provider_call *lb_provider_start(
	struct lb_provider *p, const struct lb_provider_request *request,
	lb_provider_fn *fn, void *arg);

/*
 * What it offers to a pipeline, as lb_tools_read() has it. Borrowed until the
 * loop turns. NULL: not known; ask with lb_provider_list(), whose answer is
 * the same thing.
 */
const json_t *lb_provider_tools(const struct lb_provider *p,
				const char *pipeline);

struct lb_provider_call *lb_provider_list(struct lb_provider *p,
					  const char *pipeline,
					  const json_t *context,
					  int64_t timeout_ms,
					  lb_provider_fn *fn, void *arg);

/*
 * No answer is wanted any more. The provider has 2 s to end a call that it
 * knows of, else it is killed.
 */
void lb_provider_cancel(struct lb_provider_call *call);

#endif
