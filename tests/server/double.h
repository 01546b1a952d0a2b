/*
 * double.h - endpoints of models that refuse what the real ones refuse, and
 * answer everything else with one fixed text, or with calls of tools first.
 */
#ifndef LB_TEST_DOUBLE_H
#define LB_TEST_DOUBLE_H

#include "script.h"

/* What is wrong. `param` names the field. */
struct fault {
	int status;
	const char *code, *param;
	char message[300];
};

/* A 400; always false. */
bool wrong(struct fault *f, const char *param, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

bool is_one_of(const char *s, const char *const *list);
bool is_object_text(const char *text);
/* Absent, or a number within the bounds. */
bool in_range(const json_t *body, const char *key, double low, double high,
	      struct fault *f);
/* Has it only members of the list? */
bool knows_all(const json_t *o, const char *const *names, struct fault *f);
bool name_ok(const char *name, size_t most);
/* Base64 whose first bytes are those of an image of that type (or of any). */
bool image_ok(const char *data, const char *type);

/* What is answered. */
struct turn {
	const struct twin *how;
	const json_t *body;
	const char *path;    /* of the request */
	const char *text;    /* "" when tools are called */
	const json_t *calls; /* [{"name","arguments":{...}}], or empty */
	struct plan *plan;
};

/* A piece of the answer: a JSON line, or an event that may have a name. */
enum framing { FRAME_VALUE, FRAME_LINE, FRAME_EVENT, FRAME_NAMED };
void send_json(struct turn *t, json_t *take, enum framing framing, int ms);
/* Calls fn with each word of the text, blanks before it included. */
void each_word(const char *text, void (*fn)(void *arg, const char *s, size_t n),
	       void *arg);

struct service {
	const char *name;
	/* NULL: anyone may ask. */
	bool (*key_ok)(const struct twin *how, const struct request *r,
		       struct fault *f);
	bool (*ok)(const struct request *r, const json_t *body,
		   struct fault *f);
	json_t *(*refuse)(const struct fault *f);
	/* The user's last words; *tools when tools have answered after them. */
	const char *(*last)(const json_t *body, bool *tools);
	bool (*wants_stream)(const struct request *r, const json_t *body);
	const char *stream_type;
	void (*stream)(struct turn *t);
	void (*whole)(struct turn *t);
};

extern const struct service openai_service, anthropic_service, gemini_service,
	ollama_service, responses_service;
/* vectors.c, rerank.c */
extern const struct service embeddings_service, ollama_embed_service,
	gemini_embed_service, cohere_embed_service, cohere_rerank_service,
	voyage_rerank_service;

/* The key of an "Authorization: Bearer", or what is wrong with it. */
bool bearer_ok(const struct twin *how, const struct request *r,
	       struct fault *f);

#endif
