/*
 * provider/parameters.h - the schema of a tool, as model APIs take it. Inside the
 * room only.
 */
#ifndef LB_PROVIDER_PARAMETERS_H
#define LB_PROVIDER_PARAMETERS_H

#include <jansson.h>

/*
 * The schema of an object, new. It allows what the given one allows; but what an
 * API refuses a whole request for is said in another way: an array says what its
 * items are, an object what its properties are, and no schema is `true`. Without
 * a given one (NULL, null) it is one of any object.
 */
json_t *lb_tool_parameters(const json_t *parameters);

#endif
