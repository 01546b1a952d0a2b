/*
 * llm/call-ids.h - the ids of calls as an endpoint takes them. Inside the room
 * only.
 *
 * A conversation holds ids of every provider that ever called in it, and what
 * one makes another refuses. The same id becomes the same each time, in the
 * call and in its result, and two ids are never one.
 *
 * What is taken is a matter of the protocol (plain_ids) and of two members of
 * the provider: call-id-length, so many letters and digits and nothing else,
 * and call-id-max, the most bytes.
 */
#ifndef LB_LLM_CALL_IDS_H
#define LB_LLM_CALL_IDS_H

#include <jansson.h>

#include "llm/model.h"

/*
 * Change `id` of each call and of the result at the same place. `seen` has the
 * ids of earlier calls of the request, as they were and as they go, and is
 * added to: some providers count their calls from 0 in each answer.
 */
void lb_call_ids_fit(const struct lb_model *model, json_t *seen, json_t *calls,
		     json_t *results);

#endif
