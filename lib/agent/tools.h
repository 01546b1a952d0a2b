/*
 * agent/tools.h - the tools that a query gets, and the providers that have
 * them.
 *
 *     native.c     those that come with lb
 *     providers.c  the providers of the configuration, opened at first use
 *     toolset.c    what a query gets of what they list
 *     guidance.c   how it is told to use that
 */
#ifndef LB_AGENT_TOOLS_H
#define LB_AGENT_TOOLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/engine.h"
#include "pipeline/grants.h"
#include "provider/client.h"

/* The tool of ours that reads what was cut out of a result. */
#define READ_RESULT "read_result"

/* Who asks: what rights depend on. Borrowed from the query. */
struct asker {
	const json_t *query;
	const char *pipeline, *bot, *session;
	const json_t *skills; /* that are active; or NULL */
};

/* What providers are told of who asks; new. */
json_t *asker_context(const struct asker *who);

/* What the pipeline grants to who asks. */
void asker_grants(struct lb_grants *g, const struct agent *a,
		  const struct asker *who);

/* "WHAT 'NAME' WHY": say it once; the operator reads it. */
void agent_complain_once(struct agent *a, const char *what, const char *name,
			 const char *why);

/* A provider that need not be configured. */
struct native {
	const char *name, *program, *verb;
	const char *const *tools; /* NULL-ended; NULL: what servers have */
};

#define PROVIDER_SKILL "skill"
#define PROVIDER_MCP "mcp"

/* NULL: there is none of that name. */
const struct native *native_find(const char *name);
/* Those of which something is granted that may be there. */
void native_each(const struct agent *a, const struct lb_grants *g,
		 void (*fn)(void *arg, const char *name), void *arg);
/* A tool that nobody lists: is it one of theirs, so that they say why it is
 * not there, or we do here? Else it is missing by a slip of the pen. */
bool native_is_known(struct agent *a, const struct lb_grants *g,
		     const char *pipeline, const char *name);

/* Does lb-mcp have servers here? */
bool native_has_mcp(const struct agent *a);

/* Is it one of those that come with lb, in the sandboxes of this machine? */
struct tool;
bool native_is_ours(const struct agent *a, const struct tool *tool);

/* The provider of that name; NULL: there is none. */
struct lb_provider *providers_find(struct agent *a, const char *name);
/* End them all: they have some time, then they are killed. */
void providers_close(struct agent *a);

/* A tool that a query gets. */
struct tool {
	struct lb_provider *provider; /* NULL: READ_RESULT */
	json_t *entry;                /* as lb_tools_read() has it; owned */
	const char *name, *own;       /* borrowed from it */
	bool bad;                     /* on its way out */
};

struct toolset {
	struct tool *at;
	size_t n;
};

/*
 * Ask for the lists that are not known yet; done(arg) once they are, or cannot
 * be had. NULL, and nothing is called: there is nothing to wait for.
 */
struct listing;
struct listing *listing_start(struct agent *a, const struct asker *who,
			      void (*done)(void *arg), void *arg);
void listing_cancel(struct listing *listing); /* NULL is allowed */

/* What there is for somebody now. Two tools of one name are neither. */
void toolset_fill(struct toolset *set, struct agent *a,
		  const struct asker *who);
/* NULL: it is not among them. */
const struct tool *toolset_find(const struct toolset *set, const char *name);
/* What whoever has them is told beside, to a list of messages. */
void toolset_prompts(const struct toolset *set, json_t *messages);
/* As a request to a model has them; new. */
json_t *toolset_specs(const struct toolset *set);
void toolset_release(struct toolset *set);

#endif
