/*
 * llm/listing.h - how an endpoint tells which models it offers. Inside the
 * room only.
 */
#ifndef LB_LLM_LISTING_H
#define LB_LLM_LISTING_H

struct lb_models_listing {
	const char *path;   /* behind the base URL */
	const char *list;   /* the member that holds them */
	const char *id;     /* the member that names each */
	const char *before; /* what the name begins with there; or NULL */
	/* Where it says how its next page is asked for; NULL: it has one. */
	const char *next, *more; /* members; `more` is true when there is one */
	const char *parameter;   /* of the query, which takes what `next` has */
};

#endif
