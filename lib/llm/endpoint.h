/*
 * llm/endpoint.h - providers: what the presets, the config and the environment
 * know of them. Inside the room only.
 *
 * A provider is an object with the members of share/lb/providers.yaml and of
 * the config's providers.NAME, the latter over the former.
 */
#ifndef LB_LLM_ENDPOINT_H
#define LB_LLM_ENDPOINT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"

/* 1: *take is the provider; 0: no such; -1: it names a preset there is not. */
int lb_endpoint_find(struct lb_config *config, const json_t *presets,
		     const char *name, json_t **take, struct lb_error *err);

/* Is it for that: "llm", "embedding", "rerank"? One that does not say is. */
bool lb_endpoint_can(const json_t *provider, const char *what);

/* The variable that member `key` ("key-env") names, if it is set. */
const char *lb_endpoint_env(const json_t *provider, const char *key);

/* Providers of `what` that may be meant when none is named. */
struct lb_candidates {
	const char *first; /* borrowed from the config or the presets */
	size_t n;
	struct lb_buf names; /* "a, b" */
};

void lb_endpoint_candidates(struct lb_config *config, const json_t *presets,
			    const char *what, struct lb_candidates *c);

/* A provider whose name is almost this one; NULL for none. Borrowed. */
const char *lb_endpoint_near(struct lb_config *config, const json_t *presets,
			     const char *name);

/* keys.c: the keys that a provider names. LB_CONFIG: one cannot be had. */
struct lb_model;
int lb_keys_set(struct lb_model *model, const json_t *provider,
		struct lb_error *err);
/* The variable of its first key; NULL: it has none. Borrowed. */
const char *lb_keys_env(const json_t *provider);
/* A variable that should hold a key and is not set: new, or NULL. */
char *lb_keys_missing(const json_t *provider);

#endif
