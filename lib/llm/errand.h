/*
 * llm/errand.h - what a client has under way that is no chat. Inside the room
 * only.
 */
#ifndef LB_LLM_ERRAND_H
#define LB_LLM_ERRAND_H

#include "llm/llm.h"
#include "net/http.h"

/* The first member of what it stands for. */
struct lb_errand {
	struct lb_errand *prev, *next;
	struct lb_llm *llm;
	void (*cancel)(struct lb_errand *errand); /* which removes it */
};

/* lb_llm_close() cancels what was not removed before. */
void lb_errand_add(struct lb_llm *llm, struct lb_errand *errand,
		   void (*cancel)(struct lb_errand *errand));
void lb_errand_remove(struct lb_errand *errand);

/* The client's HTTP, opened at the first use; and its loop. */
struct lb_http *lb_llm_http(struct lb_llm *llm);
struct lb_loop *lb_llm_loop(struct lb_llm *llm);

#endif
