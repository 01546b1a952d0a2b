/*
 * agent/preload.h - resources of MCP servers that an operator puts into each
 * prompt. lb-mcp reads them, when a query starts; they stand behind what the
 * user said, and are no part of the history.
 */
#ifndef LB_AGENT_PRELOAD_H
#define LB_AGENT_PRELOAD_H

#include <jansson.h>
#include <stdbool.h>

struct lb_provider_call;
struct turn;

struct preload {
	struct lb_provider_call *call; /* while they are asked for */
	json_t *text;                  /* or NULL */
	void (*then)(struct turn *turn);
};

/* Get them; then() once they are there, or cannot be had. False: the pipeline has
 * none, and nothing is called. */
bool preload_start(struct turn *turn, void (*then)(struct turn *turn));
void preload_cancel(struct turn *turn);
/* Behind the user's message, which is a copy. */
void preload_put(const struct turn *turn, json_t *user);
void preload_release(struct turn *turn);

#endif
