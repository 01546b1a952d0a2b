#include <string.h>

#include "llm/protocol.h"

static const struct lb_protocol *const protocols[] = {
	&lb_openai_chat, &lb_openai_responses, &lb_anthropic, &lb_gemini,
	&lb_ollama,      &lb_offline,          NULL,
};

const struct lb_protocol *lb_protocol_find(const char *name)
{
	for (const struct lb_protocol *const *p = protocols; *p; p++)
		if (strcmp((*p)->name, name) == 0)
			return *p;
	return NULL;
}
