/* provider/say.h - answers of a provider, as lines. Inside the room only. */
#ifndef LB_PROVIDER_SAY_H
#define LB_PROVIDER_SAY_H

#include <jansson.h>

#include "record/out.h"

void lb_say_failure(struct lb_out *out, const char *id, const char *code,
		    const char *message);

/* One that holds a value; or, where it would be longer than a line may be, that
 * it failed ("limit"). */
void lb_say_answer(struct lb_out *out, const char *id, const char *key,
		   const json_t *value);

#endif
