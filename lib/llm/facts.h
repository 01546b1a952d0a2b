/*
 * llm/facts.h - what a listing tells of a model, and what its name does.
 * Inside the room only.
 */
#ifndef LB_LLM_FACTS_H
#define LB_LLM_FACTS_H

#include <jansson.h>

/*
 * {"id","type":"llm"|"embedding"|"rerank","abilities":[...],"context_length"?,
 * "owned_by"?,"display_name"?,"description"?}. What is known neither from
 * the listing's own row nor from the name is left out. New.
 */
json_t *lb_model_facts(const char *id, const json_t *row);

/* Those for chat first, then by name. */
void lb_models_sort(json_t *rows);

#endif
