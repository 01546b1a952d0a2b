/*
 * config/coerce.h - a value as its key's type wants it.
 */
#ifndef LB_CONFIG_COERCE_H
#define LB_CONFIG_COERCE_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "config/keys.h"

/*
 * A new reference to `value` as `key` has it: text becomes a number or a
 * boolean where the key is one, a lone secret a list, a lone model {primary}, a
 * lone prompt the system message. Durations and sizes keep their spelling. NULL
 * and LB_CONFIG "is not ...", without the value when it is a secret.
 */
json_t *lb_coerce(const struct lb_key *key, const json_t *value,
		  struct lb_error *err);

/* The same from a line of text: lists with commas, mappings as YAML. */
json_t *lb_coerce_text(const struct lb_key *key, const char *text,
		       struct lb_error *err);

/* coerce-model.c: "a/b" or {primary, fallbacks, reasoning} as the latter, new;
 * NULL: it is neither. */
json_t *lb_coerce_model(const json_t *value);

/* coerce-network.c: off, on, or {allow: [...]}, which a list of hosts, and a
 * line of them with commas, becomes; new. NULL: none of these; for a host that
 * is none *err says so, LB_CONFIG. */
json_t *lb_coerce_network(const json_t *value, struct lb_error *err);

/* A coerced duration in ms ("none" is INT64_MAX), or size in bytes. */
int64_t lb_coerced_amount(const struct lb_key *key, const json_t *value);

/* Does a secret hold the text itself rather than say where it is? */
bool lb_secret_is_literal(const char *value);

#endif
