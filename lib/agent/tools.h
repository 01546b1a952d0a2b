/*
 * agent/tools.h - the tools that a query gets, and the providers that have
 * them.
 *
 *     grants.c     who may use what (lb-config(5))
 *     providers.c  the providers of the configuration, opened at first use
 *     toolset.c    what a query gets of what they list
 */
#ifndef LB_AGENT_TOOLS_H
#define LB_AGENT_TOOLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/engine.h"
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

/* What a pipeline grants to somebody. Borrowed from the configuration. */
struct grants {
	bool all;                           /* whatever there is */
	bool open;                          /* also what the sandbox guards */
	const json_t *tools, *allow, *deny; /* lists of names */
	const json_t *providers;
};

void grants_read(struct grants *g, struct lb_config *config,
		 const struct asker *who);
/* Is there anything that could be granted? */
bool grants_any(const struct grants *g);
/*
 * May it be used? `name` is what it is offered as, `own` what its provider
 * calls it.
 */
bool grants_allow(const struct grants *g, const char *name, const char *own);
/* Do `deny` and `allow` say that it is not there, whoever asks? */
bool grants_deny(const struct grants *g, const char *name, const char *own);
/* Is it there because of its own name alone? */
bool grants_by_own_name(const struct grants *g, const char *name);
/* Are the tools of that provider there? */
bool grants_provider(const struct grants *g, const char *provider);

/* "WHAT 'NAME' WHY": say it once; the operator reads it. */
void agent_complain_once(struct agent *a, const char *what, const char *name,
			 const char *why);

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
