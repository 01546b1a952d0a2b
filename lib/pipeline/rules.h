/*
 * pipeline/rules.h - what the configuration says of who is answered: the rules
 * of a bot and of a pipeline, checked and made ready once.
 */
#ifndef LB_PIPELINE_RULES_H
#define LB_PIPELINE_RULES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"
#include "pipeline/patterns.h"
#include "pipeline/words.h"

/* A rule of `bots.*.pipeline-routing-rules`. */
struct lb_route {
	enum {
		LB_ROUTE_LAUNCHER_TYPE,
		LB_ROUTE_LAUNCHER_ID,
		LB_ROUTE_CONTENT,
		LB_ROUTE_ELEMENT,
	} type;
	enum {
		LB_ROUTE_EQ,
		LB_ROUTE_NEQ,
		LB_ROUTE_CONTAINS,
		LB_ROUTE_NOT_CONTAINS,
		LB_ROUTE_STARTS_WITH,
		LB_ROUTE_REGEX,
	} test;
	const char *value; /* borrowed from the configuration */
	const char *to;    /* a pipeline; NULL discards the message */
	bool asks;         /* in a group, the pipeline's own rules count */
};

/* A bot that is configured. */
struct lb_bot_rules {
	const char *name;     /* borrowed, as all texts here */
	const char *pipeline; /* where no rule matches */
	const char *self;     /* the bot's own id on its platform; or NULL */
	bool stream;
	struct lb_route *routes;
	size_t n_routes;
	struct lb_patterns patterns; /* that of rule i, where it is a regex */
	size_t *pattern_of;
};

/* How `per` is written, in the order of enum lb_window_per; NULL-ended. */
extern const char *const lb_window_per_names[];

/* A window of a rate limit. */
struct lb_window {
	enum lb_window_per {
		LB_PER_SESSION,
		LB_PER_SENDER,
		LB_PER_SENDER_IN_GROUP,
		LB_PER_PIPELINE,
	} per;
	enum lb_window_count {
		LB_COUNT_MESSAGES,
		LB_COUNT_TOKENS,
		LB_COUNT_COST, /* millionths */
	} count;
	int64_t length_ms;
	int64_t limit;
	bool sliding, wait;
	char *name; /* of its counters, before whose they are */
};

struct lb_rules {
	const char *pipeline; /* its name, borrowed */
	struct {
		bool at;
		const json_t *prefixes;
		struct lb_patterns patterns;
		double random;
	} respond;
	struct {
		bool whitelist_only;
		const json_t *black, *white;
	} access;
	struct {
		const json_t *prefixes;
		struct lb_patterns patterns;
	} ignore;
	struct lb_words *words;
	struct {
		struct lb_window *at;
		size_t n;
		bool exempt_admins;
		bool counts_usage; /* tokens or cost are limited */
	} limits;
};

/*
 * Those of a bot of the configuration, and of a pipeline. NULL and LB_CONFIG,
 * "file:line: key: why", for whatever could not work later.
 */
struct lb_bot_rules *lb_bot_rules_open(struct lb_config *config,
				       const char *bot, struct lb_error *err);
void lb_bot_rules_close(struct lb_bot_rules *b);
struct lb_rules *lb_rules_open(struct lb_config *config, const char *pipeline,
			       struct lb_error *err);
void lb_rules_close(struct lb_rules *r);

/* `safety.rate-limit` of a pipeline, for lb_rules_open(). windows.c */
int lb_windows_read(struct lb_rules *r, struct lb_config *config,
		    const json_t *limit, struct lb_error *err);
void lb_windows_release(struct lb_rules *r);

#endif
