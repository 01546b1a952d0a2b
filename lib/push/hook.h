/*
 * push/hook.h - the webhooks of the configuration: who wants to hear of what.
 */
#ifndef LB_PUSH_HOOK_H
#define LB_PUSH_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"

/* What happened, as lb_webhook_events names it; a webhook wants one or both. */
enum lb_push_event { LB_PUSH_PERSON, LB_PUSH_GROUP, LB_PUSH_EVENTS };

struct lb_delivery;

struct lb_hook {
	const char *name;   /* borrowed from the config */
	const json_t *bots; /* names; empty: all of them */
	char *url;          /* may hold a secret: never shown */
	struct lb_buf key;  /* of its signatures; empty: it has none */
	bool wants[LB_PUSH_EVENTS];
	bool waits; /* the message waits for its opinion */
	int64_t timeout_ms, backoff_ms;
	int tries;

	/* Deliveries whose turn it is, and how many there are of all kinds. */
	struct lb_delivery *first, *last;
	size_t held, in_flight;
	int64_t resume_at; /* mono ms: it asked for a pause until then; or 0 */
	int silences;      /* waits in a row that ended without an answer */
	size_t left_out;   /* given up since its queue was full */
	bool gone;         /* it said that it is no more */
};

struct lb_hooks {
	struct lb_hook *at;
	size_t n;
};

/*
 * Those that are enabled, in the order of the file. LB_CONFIG, with file and
 * line, when a secret of one cannot be had or is none.
 */
int lb_hooks_read(struct lb_hooks *hooks, struct lb_config *config,
		  struct lb_error *err);
void lb_hooks_release(struct lb_hooks *hooks);

bool lb_hook_wants(const struct lb_hook *hook, const char *bot,
		   enum lb_push_event event);

#endif
