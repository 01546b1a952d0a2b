/*
 * mcp/content.h - what a server answers, for people and for models.
 */
#ifndef LB_MCP_CONTENT_H
#define LB_MCP_CONTENT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

enum {
	LB_MCP_TEXT_MAX = 4 << 20,  /* of a result for a model, bytes */
	LB_MCP_IMAGE_MAX = 8 << 20, /* of one picture, as base64 */
	LB_MCP_IMAGES = 8,
	LB_MCP_PARTS = 1000,
};

/* isError of a result of a tool. */
bool lb_mcp_is_error(const json_t *result);

/*
 * The text of `content` (an array of blocks), of `contents` of a resource, or of
 * one block: texts as they are, a line about everything that is none. Where
 * there is no text, structuredContent as JSON. What is beyond `max` bytes is left out, and
 * told.
 */
void lb_mcp_content_text(struct lb_buf *out, const json_t *result, size_t max);

/*
 * The same as the content of an answer of lb-provider(7): a text, or parts when
 * there are pictures. New.
 */
json_t *lb_mcp_content_parts(const json_t *result);

#endif
