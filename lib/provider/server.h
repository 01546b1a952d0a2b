/*
 * provider/server.h - being a tool provider, lb-provider(7).
 *
 * A provider is a table of tools:
 *
 *     static const struct lb_offer offers[] = {
 *         {"add", "The sum of two numbers", "{\"type\":\"object\",...}", add},
 *         {0},
 *     };
 *     return lb_tools_serve(&(struct lb_serving){"calc", .offers = offers});
 *
 * Tools are called from one loop. A tool answers at once, or keeps the job and
 * answers later; many jobs may be under way.
 */
#ifndef LB_PROVIDER_SERVER_H
#define LB_PROVIDER_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"

/* A call. Ends with exactly one of lb_job_text, lb_job_parts, lb_job_fail. */
struct lb_job {
	const char *name;
	const json_t *arguments; /* an object */
	const json_t *context;   /* {id bot pipeline session platform sender_id
				    launcher_type launcher_id
				    conversation_id}, an object */
	int64_t deadline;        /* mono ms: an answer after it is not read */
	struct lb_loop *loop;
	void *arg;                /* of the serving */
	void *state;              /* the tool's own */
	struct lb_server *server; /* not the tool's: here and below */
	struct lb_job *prev, *next;
	char *id;
	json_t *request;
};

/* Text is repaired where it is not UTF-8. The job is gone then. */
void lb_job_text(struct lb_job *job, const char *text, size_t len);
/* Parts: [{"type":"text","text"}, {"type":"image","mime","data"} ...]. */
void lb_job_parts(struct lb_job *job, json_t *take);
/* `code` is a word for programs, such as "denied"; the message is for the
 * model, which should learn from it what to do. */
void lb_job_fail(struct lb_job *job, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct lb_offer {
	const char *name, *description;
	const char *parameters; /* JSON Schema, as text */
	void (*call)(struct lb_job *job);
	/*
	 * End it within 2 s, with lb_job_fail(job, "cancelled", ...). NULL: it
	 * answers at once, so there is never anything to cancel.
	 */
	void (*cancel)(struct lb_job *job);
};

/* lb-agent gives up after tools.list-timeout, 10 s. */
enum { LB_LIST_WAIT_MS = 9 * 1000 };

struct lb_serving {
	const char *name;
	const struct lb_offer *offers; /* ends with no name */
	/*
	 * May be NULL. Tools that are in no table: what they are in a context,
	 * as [{"name","description","parameters"}], new; and what to do.
	 */
	json_t *(*list)(void *arg, const json_t *context);
	void (*call)(struct lb_job *job);
	void (*cancel)(struct lb_job *job);
	/* May be NULL. May this be used there? Asked at list and at call. */
	bool (*may)(void *arg, const char *name, const json_t *context);
	/*
	 * May be NULL. Is what there is known? While it is not, lists wait, for
	 * LB_LIST_WAIT_MS at most; looked at whenever the loop turned.
	 */
	bool (*settled)(void *arg);
	/* May be NULL: the loop runs from now on; set up what it needs. */
	void (*begin)(void *arg, struct lb_loop *loop,
		      struct lb_server *server);
	/* May be NULL: the last call, while there is still a loop. */
	void (*end)(void *arg);
	void *arg;
};

/*
 * Serve standard input and output until the input ends and every job has.
 * Returns what to exit with.
 */
int lb_tools_serve(const struct lb_serving *what);

/* The tools are others now: whoever asks will list them anew. */
void lb_tools_changed(struct lb_server *server);

#endif
