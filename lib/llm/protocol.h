/*
 * llm/protocol.h - what a wire protocol has to know. Inside the room only.
 */
#ifndef LB_LLM_PROTOCOL_H
#define LB_LLM_PROTOCOL_H

#include "base/buf.h"
#include "llm/image.h"
#include "llm/llm.h"

/* One header of a request. */
struct lb_header {
	char *line;    /* "Name: value" */
	size_t secret; /* where in it a key begins; 0: nowhere */
};

/* A request as it leaves. */
struct lb_wire {
	const char *method; /* NULL is POST */
	struct lb_buf url, body;
	struct lb_header *headers;
	size_t n_headers;
};

void lb_wire_release(struct lb_wire *wire);

/* `value` without line breaks; LB_CONFIG otherwise. */
int lb_wire_header(struct lb_wire *wire, const char *name, const char *value,
		   struct lb_error *err);
/* "name: before secret", of which people never see the last part. */
void lb_wire_secret(struct lb_wire *wire, const char *name, const char *before,
		    const char *secret);
/* The lines, NULL-ended; the array is the caller's to free, they are not. */
const char **lb_wire_lines(const struct lb_wire *wire);

/* {"method","url","headers","body"} for people, without keys. New. */
json_t *lb_wire_shown(const struct lb_wire *wire);

/*
 * Where a protocol wants what all call by the names of chat completions:
 * "max_tokens" at "generationConfig.maxOutputTokens".
 */
struct lb_option_place {
	const char *name;
	const char *path; /* dotted; NULL: it has no such thing, leave it out */
};

/*
 * Add what the model and the request want in each body, the latter over the
 * former: members at their places, objects joined, `extra_body` likewise, and
 * `extra_headers` as headers; before them the level of reasoning, and last the
 * changes. `places` ends with a NULL name, and may be NULL. LB_CONFIG: a header
 * that is none; LB_USAGE: the level.
 */
int lb_wire_options(struct lb_wire *wire, json_t *body,
		    const struct lb_model *model,
		    const struct lb_llm_request *request,
		    const struct lb_option_place *places, struct lb_error *err);

/* {base}{path}, of which the base may have the first folder already. */
void lb_wire_url(struct lb_wire *wire, const char *base, const char *path);

/* The option of that name in the request, else in the model; or NULL. */
const json_t *lb_wire_option(const struct lb_model *model,
			     const struct lb_llm_request *request,
			     const char *name);

struct lb_reader;

/* How an endpoint tells which models it offers. */
struct lb_models_listing {
	const char *path;   /* behind the base URL */
	const char *list;   /* the member that holds them */
	const char *id;     /* the member that names each */
	const char *before; /* what the name begins with there; or NULL */
	/* Where it says how its next page is asked for; NULL: it has one. */
	const char *next, *more; /* members; `more` is true when there is one */
	const char *parameter;   /* of the query, which takes what `next` has */
};

struct lb_protocol {
	const char *name;
	enum lb_framing { LB_FRAMING_SSE, LB_FRAMING_NDJSON } framing;
	struct lb_models_listing models; /* without a path: none */
	struct lb_image_limits images;
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

/* "Authorization: Bearer KEY", where there is a key. */
void lb_wire_bearer(const struct lb_model *model, struct lb_wire *wire);

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
