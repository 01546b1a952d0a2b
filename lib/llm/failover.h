/*
 * llm/failover.h - asking until somebody answers: keys, retries, fallbacks.
 *
 * Models are asked in order. One that fails is left for the next when another
 * model can cure that: a limit of rate, an overload, the network, a time-out,
 * an empty answer; a refused key only for a model of another provider. Before
 * that the provider's other keys are tried where the key was the reason. The
 * last model is asked again, after a growing pause or what Retry-After says,
 * within a time in all. A parameter that a model refuses is left out, at once
 * and from then on. Nothing of this happens once a word of an answer was
 * handed on, so what comes out is always of one model.
 *
 * Who failed so is left alone for a while, by all processes that share a memo.
 */
#ifndef LB_LLM_FAILOVER_H
#define LB_LLM_FAILOVER_H

#include <stddef.h>

#include "config/config.h"
#include "llm/llm.h"

/* Notes that processes share: a text under a name until a time, in ms since
 * the epoch. */
struct lb_llm_memo {
	void *arg;
	/* New, or NULL. */
	char *(*recall)(void *arg, const char *name);
	void (*note)(void *arg, const char *name, const char *text,
		     int64_t until_ms);
};

/* How long it is tried: the keys llm.retry.*. */
struct lb_failover_bounds {
	long tries;          /* of the last model */
	int64_t backoff_ms;  /* the first pause; twice that is the next */
	int64_t budget_ms;   /* for all of it */
	int64_t cooldown_ms; /* that one who failed is left alone */
	bool strict_params;  /* a refused parameter is a failure */
};

void lb_failover_bounds(struct lb_failover_bounds *bounds,
			struct lb_config *config);

struct lb_failover_plan {
	struct lb_loop *loop;
	struct lb_llm *llm;
	/* Borrowed until the last event, the array until start returned. */
	struct lb_model *const *models;
	size_t n;                       /* at most LB_FAILOVER_MODELS */
	const struct lb_llm_memo *memo; /* NULL: none */
	struct lb_failover_bounds bounds;
	/*
	 * The request as that model is to get it: everything in it is borrowed
	 * until the next call. -1: it cannot be asked that.
	 */
	int (*request)(void *arg, const struct lb_model *model,
		       struct lb_llm_request *request, struct lb_error *err);
	/* Gets the events of the one that answers, or the last failure: in the
	 * last event `model` and `passed` tell who that was and who not. */
	lb_llm_fn *event;
	void *arg;
};

enum { LB_FAILOVER_MODELS = 16 };

struct lb_failover;

/*
 * Ask. Never calls back before it returns, except for `request`; gone after its
 * last event. NULL: the first model cannot be asked at all.
 */
struct lb_failover *lb_failover_start(const struct lb_failover_plan *plan,
				      struct lb_error *err);
/* End it without a further event. Not from inside the callback. */
void lb_failover_cancel(struct lb_failover *f);

#endif
