/*
 * llm/protocol.h - what a wire protocol has to know. Inside the room only.
 */
#ifndef LB_LLM_PROTOCOL_H
#define LB_LLM_PROTOCOL_H

#include "base/buf.h"
#include "llm/llm.h"

/* A request as it leaves. */
struct lb_wire {
	struct lb_buf url, body;
	struct lb_buf auth; /* "Authorization: Bearer ..."; may be empty */
};

void lb_wire_release(struct lb_wire *wire);

struct lb_reader;

struct lb_protocol {
	const char *name;
	/* NULL for a protocol that sends nothing: `play` answers. */
	int (*encode)(const struct lb_model *model,
		      const struct lb_llm_request *request,
		      struct lb_wire *wire, struct lb_error *err);
	/* One JSON value of an event stream; LB_DATA: it breaks the protocol. */
	int (*event)(struct lb_reader *reader, const json_t *value,
		     struct lb_error *err);
	/* A whole answer that did not stream. */
	int (*body)(struct lb_reader *reader, const json_t *value,
		    struct lb_error *err);
	void (*play)(struct lb_llm_call *call,
		     const struct lb_llm_request *request);
};

extern const struct lb_protocol lb_openai_chat, lb_offline;

const struct lb_protocol *lb_protocol_find(const char *name);

/* For `play`: the parts of a call it needs. */
struct lb_loop *lb_call_loop(struct lb_llm_call *call);
const struct lb_model *lb_call_model(struct lb_llm_call *call);
void lb_call_emit(struct lb_llm_call *call, const struct lb_llm_event *event);
/*
 * State of a play: freed with the call, after `release`. Its first member is a
 * timer, which is cancelled.
 */
void *lb_call_state(struct lb_llm_call *call, size_t size,
		    void (*release)(void *state));

/* Is this a name behind "offline:"? */
bool lb_offline_knows(const char *name);

#endif
