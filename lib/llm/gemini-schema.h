/*
 * llm/gemini-schema.h - JSON Schema as Gemini takes it. Inside the room only.
 */
#ifndef LB_LLM_GEMINI_SCHEMA_H
#define LB_LLM_GEMINI_SCHEMA_H

#include <jansson.h>

/*
 * The schema of a tool's parameters in the subset of OpenAPI that Gemini
 * knows, new: references are resolved, null is `nullable`, and what it would
 * refuse is left out. NULL: there are no parameters. The tool itself is still
 * held to the schema it gave. Depth and size are bounded.
 */
json_t *lb_gemini_schema(const json_t *schema);

#endif
