/*
 * config/edit.h - changing a value in a YAML file a person wrote.
 *
 * The text is changed only where the value is: comments, order and spelling
 * of everything else stay. The new text is read again and must say exactly
 * the old values with this one change; a file too unusual for that is left
 * alone, with LB_CONFIG.
 */
#ifndef LB_CONFIG_EDIT_H
#define LB_CONFIG_EDIT_H

#include <jansson.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* The text with the value at a dotted path set, in `out`. */
int lb_edit_set(const char *text, size_t len, const char *path,
		const json_t *value, struct lb_buf *out, struct lb_error *err);

/*
 * The text without the member at a dotted path; its line comments above stay.
 * 1 when it was there, 0 when not (out is the text then). A mapping left
 * without members is written {}.
 */
int lb_edit_unset(const char *text, size_t len, const char *path,
		  struct lb_buf *out, struct lb_error *err);

#endif
