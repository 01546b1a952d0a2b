/*
 * llm/turns.h - a conversation as every encoder wants it. Inside the room only.
 *
 * Empty parts and messages are gone, files are notes, images are known, and
 * each call of a tool is answered once, behind its message and in the order of
 * the calls, whatever order the answers came in (lb_llm_request.messages says
 * what they were made of):
 *
 * {"role":"system"|"developer"|"user","parts":[PART...],"name"?}
 * {"role":"assistant","parts":[PART...],"calls":[CALL...],"keep"?}
 * {"role":"tool","results":[RESULT...]}
 *
 * PART is {"text"}, {"mime","data"} or {"url"}; no two texts stand side by
 * side. CALL is {"id","name","arguments":{...},"text"}, the text being the
 * same arguments as JSON; its id is one that the endpoint takes, and no other call
 * has it. RESULT is {"id","name","parts","is_error":bool}.
 * `keep` is what the protocol itself wanted to be kept.
 */
#ifndef LB_LLM_TURNS_H
#define LB_LLM_TURNS_H

#include <jansson.h>

#include "base/error.h"
#include "llm/protocol.h"

/*
 * A new array, with at least one message in it. LB_USAGE: not an array of
 * objects with a role, nothing is said, or the images are too large.
 */
json_t *lb_turns(const struct lb_model *model, const json_t *messages,
		 struct lb_error *err);

/* All texts of the parts with a blank line between, new. */
json_t *lb_turns_text(const json_t *parts);

/* The parts of all system and developer messages, new; NULL: there are none. */
json_t *lb_turns_system(const json_t *turns);
bool lb_turns_is_system(const json_t *turn);

#endif
