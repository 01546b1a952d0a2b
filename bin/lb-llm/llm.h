/* llm.h - what the verbs of lb-llm share. */
#ifndef LB_LLM_MAIN_H
#define LB_LLM_MAIN_H

#include "base/buf.h"
#include "base/prog.h"
#include "config/config.h"
#include "lineup.h"
#include "llm/llm.h"

extern const struct lb_opt chat_options[], embed_options[], models_options[],
	rerank_options[], test_options[];

int chat_main(int argc, char **argv);
int embed_main(int argc, char **argv);
int rerank_main(int argc, char **argv);
int models_main(int argc, char **argv);
int test_main(int argc, char **argv);

/* settings.c: KEY=VALUE pairs as an object; a value that is JSON is taken as
 * JSON. And what was used, on stderr. */
json_t *parse_settings(const struct lb_list *settings);
void tell_usage(const struct lb_usage *usage);

/* records.c: request records in, response records out. */
struct records {
	struct lb_config *config;
	const char *model; /* when a request names none */
	const json_t *options;
	struct patience patience;
	long jobs;
	size_t max_line;
	bool strict;
	bool dry_run; /* what would be sent instead of what comes of it */
};
int records_run(const struct records *how);

/* ask.c: one request and all that came of it. */
struct ask {
	struct lb_buf text, reasoning;
	json_t *calls; /* [{"id","name","arguments"}...] */
	json_t *keep;  /* what the provider wants back; or NULL */
	struct lb_usage usage;
	char *finish;
	bool over, failed;
	enum lb_code code;
	char *message;
	const struct lb_model *model; /* who it is of */
	json_t *passed;               /* who did not answer, and why; or NULL */
	const struct lb_llm_request *request; /* while it is under way */
	/* More text came; may be NULL. */
	void (*on_text)(void *arg, const char *text, size_t len);
	void (*on_over)(void *arg);
	void *arg;
};

void ask_event(void *ask, const struct lb_llm_event *event);
void ask_reset(struct ask *ask);
void ask_release(struct ask *ask);
/* Ask and wait, at most timeout_ms (0: as long as the model's limits). */
int ask_wait(struct ask *ask, struct lb_model *model,
	     const struct lb_llm_request *request, int64_t timeout_ms,
	     struct lb_error *err);
/* The same of several, one after another. */
int ask_models(struct ask *ask, const struct lineup *models,
	       const struct lb_llm_request *request, int64_t timeout_ms,
	       struct lb_error *err);
/* For who has a loop already. The request is borrowed until it is over. */
struct lb_failover *ask_start(struct ask *ask, const struct lineup *models,
			      struct lb_loop *loop, struct lb_llm *llm,
			      const struct lb_llm_request *request,
			      struct lb_error *err);
/* Members of a response: model, text, reasoning, tool_calls, keep .... */
void ask_put(struct lb_buf *b, const struct ask *ask);

/* attach.c: a file as a part of the message; "-" is standard input. */
json_t *attach(const char *file, struct lb_error *err);

/* history.c: the conversation named so. */
struct lb_store *history_open(struct lb_error *err);
json_t *history_load(struct lb_store *store, const char *name,
		     struct lb_error *err);
int history_add(struct lb_store *store, const char *name, bool anew,
		const json_t *messages, bool complete, struct lb_error *err);

#endif
