/*
 * llm/cooling.h - what is left alone for a while, and what was learned of a
 * model: the notes of llm/failover.h. Inside the room only.
 *
 * A memo may be NULL: then nothing is known. No key stands in a note, only
 * which one of a provider's it is.
 */
#ifndef LB_LLM_COOLING_H
#define LB_LLM_COOLING_H

#include "llm/failover.h"

void lb_cooling_model(const struct lb_llm_memo *memo, const struct lb_model *m,
		      const char *code, int64_t until_ms);
/* The code of its failure; NULL: ask it. */
const char *lb_cooling_is_model(const struct lb_llm_memo *memo,
				const struct lb_model *m);

void lb_cooling_key(const struct lb_llm_memo *memo, const struct lb_model *m,
		    size_t key, const char *code, int64_t until_ms);
/* Of several keys the first, from *key on, that was not tried and is not left
 * alone. false: there is none such, and *why is the code of the one that will do
 * soonest; NULL where there are not several. */
bool lb_cooling_pick_key(const struct lb_llm_memo *memo,
			 const struct lb_model *m,
			 const bool tried[LB_MODEL_KEYS], size_t *key,
			 const char **why);

/* Parameters that it refused; new, or NULL. */
void lb_cooling_note_changes(const struct lb_llm_memo *memo,
			     const struct lb_model *m, const json_t *changes,
			     int64_t until_ms);
json_t *lb_cooling_changes(const struct lb_llm_memo *memo,
			   const struct lb_model *m);

#endif
