/* chat.h - a question on its way to its answer. */
#ifndef LB_LLM_CHAT_H
#define LB_LLM_CHAT_H

#include "base/regex.h"
#include "llm.h"
#include "record/out.h"
#include "store/store.h"

/* What was asked on the command line. */
struct question {
	int argc;
	char **argv;
	const char *system;
	struct lb_list attachments;
};

/*
 * Its messages: the system prompts, then the user's with what was piped in.
 * New; NULL when an input cannot be read. Exits when there is nothing to ask.
 */
json_t *compose(const struct question *q, const json_t *schema,
		struct lb_error *err);

struct chat {
	struct lb_config *config;
	struct lineup models;
	struct lb_store *store; /* opened when it is needed */
	const char *session;    /* NULL: a new conversation */
	json_t *options, *schema;
	json_t *fresh;    /* the messages of this question */
	json_t *messages; /* history, then those */
	struct lb_regex *quiet;
	struct lb_llm_request request;
	struct ask ask;
	struct lb_out *out;
	struct lb_buf tail; /* of the answer: a line that is not whole */
	bool as_json, want_usage, keep, terminal, ended_line;
	int64_t timeout_ms;
};

/* Make the answer's text the JSON in it, asking once more if need be. */
int keep_to_schema(struct chat *c, struct lb_error *err);

/* Ask and print. Returns what to exit with. */
int chat_run(struct chat *c);
void chat_release(struct chat *c);

#endif
