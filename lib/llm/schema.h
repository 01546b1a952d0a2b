/*
 * llm/schema.h - JSON Schema, as far as models are asked to keep to one.
 *
 * Checked: type (one or several), enum, const, properties, required,
 * additionalProperties, items, minItems, maxItems, minLength, maxLength,
 * minimum, maximum, anyOf, oneOf, allOf and $ref within the document. Other
 * keywords say nothing here. Depth is bounded.
 */
#ifndef LB_LLM_SCHEMA_H
#define LB_LLM_SCHEMA_H

#include <jansson.h>

#include "base/error.h"

/*
 * A schema from what a person writes: JSON, the path of a file that holds
 * JSON, or a short form "name, age int, tags list: what they are". New.
 */
json_t *lb_schema_open(const char *text, struct lb_error *err);

/* LB_DATA: "at 'a.b': expected integer, got string". */
int lb_schema_check(const json_t *schema, const json_t *value,
		    struct lb_error *err);

#endif
