/* serving.h - what the files of lb-mcp serve share. */
#ifndef LB_MCP_SERVING_H
#define LB_MCP_SERVING_H

#include <jansson.h>

#include "base/loop.h"
#include "base/proc.h"
#include "base/prog.h"
#include "config/config.h"
#include "mcp/jsonrpc.h"
#include "mcp/serve.h"
#include "provider/client.h"
#include "skill/shelf.h"

struct serving {
	struct lb_config *config;
	char *state;
	const char *config_file;      /* of -c, or NULL */
	const char *folder, *session; /* where tools work; one of them */
	char *own;            /* the session, where none was said; owned */
	const char *pipeline; /* whose skills there are */
	int64_t timeout_ms;   /* of a call */
	struct lb_loop *loop;
	struct lb_serve *serve;
	bool stop;
	/* serve-tools.c */
	json_t *wanted; /* {NAME: true} of tools */
	struct lb_guard *guard;
	struct lb_provider *provider; /* lb-tool; NULL: no tool is wanted */
	json_t *context;              /* lb-provider(7): who asks */
	/* serve-skills.c */
	struct lb_shelf *shelf; /* NULL: no skill is */
	struct lb_timer look;
	char stamp[72]; /* of what was there when we looked last */
};

/* What is said of HTTP. */
struct web {
	const char *at; /* NULL: it is not meant */
	const char *token;
	bool no_token;
	struct lb_list hosts, origins;
	long sessions, connections;
	int64_t idle_ms;
};

/* Until s->stop. */
int web_serve(struct serving *s, const struct web *w, struct lb_error *err);

/* Which tools, "exec,read". LB_USAGE. NULL: those that change nothing. */
int tools_choose(struct serving *s, const char *list, struct lb_error *err);
/* serve-provider.c: what has them. */
int tools_open(struct serving *s, struct lb_error *err);
void tools_close(struct serving *s);
void tools_list(struct serving *s, struct lb_serve_ask *ask);
void tools_call(struct serving *s, struct lb_serve_ask *ask);
void tools_cancel(struct serving *s, struct lb_serve_ask *ask);

/* A result that is one text. New. */
json_t *text_result(const char *text, size_t len, bool is_error);

void skills_open(struct serving *s);
void skills_close(struct serving *s);
/* Append the tool that gives a skill to a model. */
void skills_add_tool(struct serving *s, json_t *tools);
/* Of one of LB_SERVE_RESOURCES, TEMPLATES, READ, PROMPTS, PROMPT; or of a call of
 * that tool. */
void skills_ask(struct serving *s, struct lb_serve_ask *ask);

#endif
