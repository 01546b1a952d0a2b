/*
 * llm/offline-tools.h - what the script in the user's words says to do now.
 * Inside the room only.
 */
#ifndef LB_LLM_OFFLINE_TOOLS_H
#define LB_LLM_OFFLINE_TOOLS_H

#include <jansson.h>

#include "base/buf.h"

struct lb_scripted {
	struct lb_buf text, finish; /* finish may be empty */
	json_t *calls;              /* [{"name","arguments"}], a text each */
};

void lb_offline_script(struct lb_scripted *out, const json_t *messages);
void lb_scripted_release(struct lb_scripted *scripted);

#endif
