/*
 * llm/encode.h - neutral messages in the shape of chat completions.
 */
#ifndef LB_LLM_ENCODE_H
#define LB_LLM_ENCODE_H

#include <jansson.h>

#include "base/error.h"

/*
 * A new array. Members a model does not know are left out, parts without a
 * payload too; a file becomes a note; text alone becomes one string. LB_USAGE:
 * not an array of objects with a role.
 */
json_t *lb_encode_messages(const json_t *messages, struct lb_error *err);

#endif
