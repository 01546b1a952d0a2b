/*
 * llm/protocol.h - what a wire protocol has to know. Inside the room only.
 */
#ifndef LB_LLM_PROTOCOL_H
#define LB_LLM_PROTOCOL_H

#include "base/buf.h"
#include "llm/image.h"
#include "llm/listing.h"
#include "llm/llm.h"
#include "llm/wire.h"

struct lb_reader;

struct lb_protocol {
	const char *name;
	enum lb_framing { LB_FRAMING_SSE, LB_FRAMING_NDJSON } framing;
	struct lb_models_listing models; /* without a path: none */
	struct lb_image_limits images;
	bool plain_ids; /* of calls: ^[a-zA-Z0-9_-]{1,64}$ is taken alone */
	/* The headers that every request to an endpoint of this kind bears. */
	void (*authorize)(const struct lb_model *model, struct lb_wire *wire);
	/* NULL for a protocol that sends nothing: `play` answers. */
	int (*encode)(const struct lb_model *model,
		      const struct lb_llm_request *request,
		      struct lb_wire *wire, struct lb_error *err);
	/* Memory for the decoders, zeroed; see lb_reader_state(). */
	size_t state_size;
	void (*release)(void *state);
	/*
	 * A frame that it can read at a glance, ended by a NUL: does what
	 * `event` would. False: it is none of those, and nothing was done. May
	 * be NULL.
	 */
	bool (*quick)(struct lb_reader *reader, const char *text);
	/* One JSON value of an event stream; LB_DATA: it breaks the protocol. */
	int (*event)(struct lb_reader *reader, const json_t *value,
		     struct lb_error *err);
	/* A whole answer that did not stream. */
	int (*body)(struct lb_reader *reader, const json_t *value,
		    struct lb_error *err);
	/* The answer is whole: what it wants back with it, new; or NULL. */
	json_t *(*keep)(struct lb_reader *reader);
	void (*play)(struct lb_llm_call *call,
		     const struct lb_llm_request *request);
};

extern const struct lb_protocol lb_anthropic, lb_gemini, lb_offline;
extern const struct lb_protocol lb_ollama, lb_openai_chat, lb_openai_responses;

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
