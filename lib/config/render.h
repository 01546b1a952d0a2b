/*
 * config/render.h - JSON values as the YAML a person would write.
 */
#ifndef LB_CONFIG_RENDER_H
#define LB_CONFIG_RENDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* A text, quoted only where it must be. */
void lb_render_text(struct lb_buf *out, const char *text);

/* Any value on one line. */
void lb_render_flow(struct lb_buf *out, const json_t *value);

/*
 * "key: value" and the end of the line, indented; a mapping takes a line a
 * member, each `step` further in.
 */
void lb_render_member(struct lb_buf *out, const char *key, const json_t *value,
		      size_t indent, size_t step, const char *eol);

#endif
