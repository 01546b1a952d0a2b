/*
 * pipeline/pipeline.h - from a message to a query: the stages of lb-pipeline.
 *
 * A message passes the stages of the table in stages.c in order. Each looks at
 * it, adds what it decides, and says how it goes on. A new stage is one file
 * with one function and one line in that table.
 */
#ifndef LB_PIPELINE_PIPELINE_H
#define LB_PIPELINE_PIPELINE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"
#include "record/record.h"

/* A pipeline of the config, made ready once. */
struct lb_flow {
	char *name;
	char *runner;
	struct lb_buf prompt; /* see pipeline/prompt.h */
	bool quotes;          /* the model reads what is quoted */
	bool speakers;        /* ... and in groups who speaks */
	struct lb_flow *next;
};

struct lb_commands;

struct lb_pipeline {
	struct lb_config *config;
	struct lb_commands *commands; /* NULL: no text is one */
	struct lb_flow *flows;        /* those used so far */
};

/* One message on its way through the stages. */
struct lb_message {
	struct lb_pipeline *pipeline;
	const struct lb_record *record;
	/* From the record, borrowed, set by `accept`; names may be "". */
	const char *id, *bot, *launcher_type, *launcher_id;
	const char *sender_id, *sender_name, *group_name;
	int64_t time;
	const json_t *chain;
	struct lb_buf session;      /* {bot}/{launcher_type}_{launcher_id} */
	const struct lb_flow *flow; /* set by `route` */
	bool stream;
	struct lb_buf text;    /* the Plain texts */
	struct lb_buf content; /* JSON: the user message's parts */
	int64_t not_before;    /* ms since the epoch: answer it then; 0 */
	struct lb_buf command; /* JSON {name, args}: lb-agent runs it */
	struct lb_buf answer;  /* what is said to the user: LB_ANSWER */
	/* Why it goes on or ends here; for the drop record and --explain. */
	const char *stage;
	struct lb_buf reason;
};

enum lb_verdict {
	LB_PASS,   /* on to the next stage */
	LB_DROP,   /* a rule ended it: reason */
	LB_ANSWER, /* a reply is its end: answer */
	LB_FAILED, /* it cannot be answered: err */
};

struct lb_stage {
	const char *name;
	enum lb_verdict (*run)(struct lb_message *m, struct lb_error *err);
};

extern const struct lb_stage lb_stages[]; /* ends with a nameless one */

enum lb_verdict lb_stage_accept(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_route(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_respond(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_stopped(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_command(struct lb_message *m, struct lb_error *err);
enum lb_verdict lb_stage_prepare(struct lb_message *m, struct lb_error *err);

/* The pipeline of that name, made ready; NULL when there is none. */
const struct lb_flow *lb_flow_find(struct lb_pipeline *p, const char *name);
void lb_flows_release(struct lb_pipeline *p);

/*
 * Run the stages. `m` is zeroed memory or one used before; `out` gets the
 * query, drop or error record that comes of it.
 */
enum lb_verdict lb_message_run(struct lb_message *m, struct lb_pipeline *p,
			       const struct lb_record *r, struct lb_buf *out);
void lb_message_release(struct lb_message *m);

#endif
