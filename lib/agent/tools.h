/*
 * agent/tools.h - the tools that a query gets, and the providers that have
 * them.
 *
 *     native.c     the one that comes with lb
 *     providers.c  the providers of the configuration, opened at first use
 *     toolset.c    what a query gets of what they list
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
};

/* What providers are told of who asks; new. */
json_t *asker_context(const struct asker *who);

/* What the pipeline grants to who asks. */
void asker_grants(struct lb_grants *g, const struct agent *a,
		  const struct asker *who);

/* "WHAT 'NAME' WHY": say it once; the operator reads it. */
void agent_complain_once(struct agent *a, const char *what, const char *name,
			 const char *why);

/* The provider that need not be configured: lb-tool. */
#define PROVIDER_NATIVE "native"

bool providers_is_own(const char *name);

/* Is anything granted that it has, and may there be such a thing? */
bool native_is_wanted(const struct agent *a, const struct lb_grants *g);
/* A tool that nobody lists: is it one of its, so that lb-tool says why it is
 * not there, or we do here? Else it is missing by a slip of the pen. */
bool native_is_known(struct agent *a, const struct lb_grants *g,
		     const char *pipeline, const char *name);

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
/* As a request to a model has them; new. */
json_t *toolset_specs(const struct toolset *set);
void toolset_release(struct toolset *set);

#endif
