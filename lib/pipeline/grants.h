/*
 * pipeline/grants.h - which tools a pipeline grants to whom, lb-provider(7).
 *
 * lb-agent looks when it offers tools and again when one is called; a provider
 * that matters looks by itself, by the same rule: see pipeline/policy.h.
 */
#ifndef LB_PIPELINE_GRANTS_H
#define LB_PIPELINE_GRANTS_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"

/* Who asks. `platform` and `sender` may be NULL: nobody who is known. */
struct lb_grantee {
	const char *pipeline, *bot, *platform, *sender;
};

/* What a pipeline grants to somebody. Borrowed from the configuration. */
struct lb_grants {
	bool all;                           /* whatever there is */
	bool open;                          /* also what the sandbox guards */
	const json_t *tools, *allow, *deny; /* lists of names */
	const json_t *providers;
};

void lb_grants_read(struct lb_grants *g, struct lb_config *config,
		    const struct lb_grantee *who);
/* Is there anything that could be granted? */
bool lb_grants_any(const struct lb_grants *g);
/*
 * May it be used? `name` is what it is offered as, `own` what its provider
 * calls it.
 */
bool lb_grants_allow(const struct lb_grants *g, const char *name,
		     const char *own);
/* Do `deny` and `allow` say that it is not there, whoever asks? */
bool lb_grants_deny(const struct lb_grants *g, const char *name,
		    const char *own);
/* Is it there because of its own name alone? */
bool lb_grants_by_own_name(const struct lb_grants *g, const char *name);
/* Are the tools of that provider there? */
bool lb_grants_provider(const struct lb_grants *g, const char *provider);

#endif
