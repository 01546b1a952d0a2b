/*
 * llm/model.h - which model is meant, and where it is.
 *
 * A model is named "provider/name". A provider is one of the config or a
 * preset of share/lb/providers.yaml; a key or base URL in the environment is
 * enough to use a preset. Without a name the order is: LB_MODEL, llm.model,
 * the one provider whose key the environment holds, the one provider of the
 * config, `offline`.
 */
#ifndef LB_LLM_MODEL_H
#define LB_LLM_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"
#include "config/prices.h"

struct lb_protocol;

enum { LB_MODEL_KEYS = 32 }; /* of a provider */
/* What a model is asked for. */
enum lb_model_use {
	LB_FOR_CHAT,
	LB_FOR_EMBEDDING,
	LB_FOR_RERANK,
	LB_FOR_LISTING
};

struct lb_model {
	char *label;    /* "openai/gpt-4o"; "offline" */
	char *provider; /* "openai" */
	char *name;     /* as sent on the wire */
	const struct lb_protocol *protocol;
	char *base_url;  /* without a slash at its end */
	const char *key; /* the one in use; NULL when there is none */
	char **keys;
	size_t n_keys, key_in_use;
	char *key_hint; /* where a key is looked for: "OPENAI_API_KEY" */
	bool blind;     /* it is shown no images */
	struct lb_price price;
	json_t *extra; /* members added to each body; or NULL */
	json_t *about; /* its provider's members, without keys; or NULL */
	int64_t connect_ms, first_byte_ms, idle_ms; /* 0: none */
};

/*
 * The model that `spec` means; NULL or "" for the default. LB_CONFIG when the
 * provider is unknown or its secret cannot be had. Caller closes.
 */
struct lb_model *lb_model_open(struct lb_config *config, const char *spec,
			       struct lb_error *err);
void lb_model_close(struct lb_model *model);

/* From now on requests bear this one of its keys. */
void lb_model_use_key(struct lb_model *model, size_t key);
/*
 * The same for embeddings or rerank: the default is llm.embedding-model or
 * llm.rerank-model, else the one provider there is for that, and its
 * embedding-model or rerank-model; never `offline`, which must be named.
 */
struct lb_model *lb_model_open_for(struct lb_config *config,
				   enum lb_model_use use, const char *spec,
				   struct lb_error *err);

/*
 * The same without its keys, for who looks and does not ask: `key_hint` is the
 * variable that holds one and is not set, else NULL.
 */
struct lb_model *lb_model_glance(struct lb_config *config, const char *spec,
				 struct lb_error *err);
/* Has it that level of reasoning? LB_USAGE, with those it has. reasoning.c */
int lb_model_thinks(const struct lb_model *model, const char *level,
		    struct lb_error *err);

/* Is there such a model, as far as one can tell without its key? LB_CONFIG. */
int lb_model_check(struct lb_config *config, const char *spec,
		   struct lb_error *err);

/*
 * All providers one could use: [{"name","protocol","base_url","default_model",
 * "can"?,"key":bool,"key_env"?,"from":"config"|"preset","not_offered"?}].
 * New; `key_env` is the variable that holds its first key.
 */
json_t *lb_model_providers(struct lb_config *config, struct lb_error *err);

#endif
