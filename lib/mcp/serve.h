/*
 * mcp/serve.h - being an MCP server: what a program offers, whoever asks.
 *
 * What there is, tools, resources, prompts, is the program's: it answers asks.
 * What is between them and the messages is here: the revisions of both eras,
 * pages of lists, progress, cancellation, logging, who is to hear of changes.
 * Messages come by serve-stdio.h or serve-http.h.
 */
#ifndef LB_MCP_SERVE_H
#define LB_MCP_SERVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "mcp/protocol.h"

enum {
	LB_SERVE_ASKS = 256,       /* under way at once, of all */
	LB_SERVE_CALLER_ASKS = 64, /* and of one caller */
	LB_SERVE_PAGE = 100,       /* entries of a list that are told at once */
};

/* What is asked for, and what the result has. */
enum lb_serve_want {
	LB_SERVE_TOOLS,     /* {"tools":[...]}: all of them */
	LB_SERVE_CALL,      /* {"content":[...],"isError",...} */
	LB_SERVE_RESOURCES, /* {"resources":[...]} */
	LB_SERVE_TEMPLATES, /* {"resourceTemplates":[...]} */
	LB_SERVE_READ,      /* {"contents":[...]} */
	LB_SERVE_PROMPTS,   /* {"prompts":[...]} */
	LB_SERVE_PROMPT,    /* {"messages":[...],"description"} */
};

struct lb_serve;

/* A request. Ends with exactly one of lb_serve_done() and lb_serve_fail(), from
 * within the call that asks or later. */
struct lb_serve_ask {
	enum lb_serve_want want;
	const char *name;        /* of a tool or prompt; a URI; or NULL */
	const json_t *arguments; /* of a tool or prompt, an object */
	void *arg;               /* of the offer */
	void *state;             /* the offer's own */
	struct lb_serve *serve;  /* not the offer's: here and below */
	struct lb_serve_caller *caller;
	struct lb_serve_ask *next, **link;
	const struct lb_serve_way *way;
	enum lb_mcp_revision revision;
	json_t *message, *token;
	const json_t *id;
	size_t from; /* the first entry of a page */
	int level;   /* of the log that is wanted with it; 8: none */
	bool quiet;  /* nobody waits for it any more */
	int64_t begun;
	struct lb_timer timer;
};

void lb_serve_done(struct lb_serve_ask *ask, json_t *take_result);
void lb_serve_fail(struct lb_serve_ask *ask, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* All borrowed while it serves. */
struct lb_serve_offer {
	const char *instructions; /* for the model, how to use it; or NULL */
	bool tools, resources, prompts; /* is there any of that kind? */
	size_t page;                    /* 0: LB_SERVE_PAGE */
	void (*ask)(void *arg, struct lb_serve_ask *ask);
	/* May be NULL: nothing takes long. End it soon; how does not matter. */
	void (*cancel)(void *arg, struct lb_serve_ask *ask);
	void *arg;
};

struct lb_serve *lb_serve_open(struct lb_loop *loop,
			       const struct lb_serve_offer *offer);
/* Nothing may be under way any more: lb_serve_stop(). NULL is allowed. */
void lb_serve_close(struct lb_serve *serve);

/* Cancel what is under way, and wait for it, at most so long. */
void lb_serve_stop(struct lb_serve *serve, int64_t most_ms);

/* A list is another one now: LB_SERVE_TOOLS, LB_SERVE_RESOURCES or LB_SERVE_PROMPTS.
 * Whoever wants to know is told. */
void lb_serve_changed(struct lb_serve *serve, enum lb_serve_want what);

#endif
