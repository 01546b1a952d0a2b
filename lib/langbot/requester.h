/*
 * langbot/requester.h - LangBot's requesters, in our words: each is a preset
 * of share/lb/providers.yaml, which says whose it is.
 */
#ifndef LB_LANGBOT_REQUESTER_H
#define LB_LANGBOT_REQUESTER_H

#include <jansson.h>
#include <stdbool.h>

/* Borrowed from the presets. */
struct lb_requester {
	const char *name;
	const char *preset;    /* ours that is the same service */
	const char *base_url;  /* ours */
	const char *usual_url; /* what LangBot uses when a provider has none */
	const char *protocol;  /* of chat; NULL: it is no chat model */
	const char *not_offered; /* why there is none of it here; or NULL */
};

/* False for one that is not known. */
bool lb_requester_find(const json_t *presets, const char *name,
		       struct lb_requester *take);

#endif
