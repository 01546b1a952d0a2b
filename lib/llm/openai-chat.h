/* llm/openai-chat.h - what the files of chat completions share. */
#ifndef LB_LLM_OPENAI_CHAT_H
#define LB_LLM_OPENAI_CHAT_H

#include "llm/reader.h"

struct lb_openai_chat_state {
	struct lb_buf reasoning; /* which its provider may want back */
	struct lb_buf text;      /* of a frame, without its escapes */
};

/* openai-chat-quick.c: lb_protocol.quick. */
bool lb_openai_chat_quick(struct lb_reader *reader, const char *text);

#endif
