/*
 * llm/encode.h - what the encoders of several protocols share. Inside the room
 * only.
 */
#ifndef LB_LLM_ENCODE_H
#define LB_LLM_ENCODE_H

#include <jansson.h>

#include "llm/protocol.h"

/* Turns (llm/turns.h) as messages of chat completions, new. */
json_t *lb_encode_chat(const struct lb_model *model,
		       const struct lb_llm_request *request,
		       const json_t *turns);

/* Parts as a protocol spells each; one string where they are text alone. New. */
json_t *lb_encode_content(const json_t *parts,
			  json_t *(*encode)(const json_t *part));

/* "data:MIME;base64,DATA", or the address, of a part that is an image; new. */
json_t *lb_encode_image_url(const json_t *part);

/* What a tool of a request is called, does and takes; all borrowed. */
struct lb_tool_view {
	const char *name;
	json_t *description; /* or NULL */
	json_t *parameters;  /* or NULL */
};

struct lb_tool_view lb_encode_tool(const json_t *tool);

/* Which tool is to be called. */
struct lb_tool_choice {
	enum {
		LB_CHOOSE_AUTO,
		LB_CHOOSE_NONE,
		LB_CHOOSE_ANY,
		LB_CHOOSE_ONE
	} how;
	const char *name; /* of the one; borrowed */
};

struct lb_tool_choice lb_encode_choice(const struct lb_model *model,
				       const struct lb_llm_request *request);

#endif
