/*
 * pipeline/pipeline.h - from a message to a query: the stages of lb-pipeline.
 *
 * A message passes the stages of pipeline/stages.h in order. Each looks at it,
 * adds what it decides, and says how it goes on.
 */
#ifndef LB_PIPELINE_PIPELINE_H
#define LB_PIPELINE_PIPELINE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "config/config.h"
#include "pipeline/conversation.h"
#include "pipeline/rules.h"
#include "record/aside.h"
#include "record/record.h"

/* A pipeline of the config, made ready once. */
struct lb_flow {
	char *name;
	char *runner;
	struct lb_buf prompt;  /* see pipeline/prompt.h */
	bool quotes;           /* the model reads what is quoted */
	bool speakers;         /* ... and in groups who speaks */
	enum lb_shared shared; /* who shares a conversation */
	struct lb_rules *rules;
	struct lb_flow *next;
};

struct lb_commands;

/* Zeroed, with a config and what else is wanted, for lb_pipeline_ready(). */
struct lb_pipeline {
	struct lb_config *config;
	const char
		*config_file; /* where it was read from, when that was said */
	const char *state;    /* the folder of the stores; NULL: none */
	struct lb_commands *commands;
	struct lb_limits *limits; /* NULL: nothing is counted */
	bool explain;             /* say of each stage what it decided */
	bool record_time; /* a record's time is now: for tests of rules */
	struct lb_asides *asides; /* for commands that are programs; or NULL */
	bool has_admins;          /* somebody is one; set when ready */
	struct lb_flow *flows;
	struct lb_map flow_of, bot_of; /* by name */
	struct lb_bot_rules *nobody;   /* of bots that are not configured */
};

/*
 * Make all pipelines and bots of the configuration ready. LB_CONFIG and
 * "file:line: key: why" for a rule that cannot work: so a mistake is found
 * when a program starts, and not by a bot that keeps quiet.
 */
int lb_pipeline_ready(struct lb_pipeline *p, struct lb_error *err);
void lb_pipeline_release(struct lb_pipeline *p);

/* The configuration, with rules that work: lb_config_load() and a look at all
 * of them. For those who start others with it. */
struct lb_config *lb_pipeline_config(const char *file, struct lb_error *err);

/* What was counted is written: before what comes of it leaves. */
void lb_pipeline_commit(struct lb_pipeline *p);

/* One message on its way through the stages. */
struct lb_message {
	struct lb_pipeline *pipeline;
	const struct lb_record *record;
	/* From the record, borrowed, set by `accept`; names may be "". */
	const char *id, *bot, *launcher_type, *launcher_id;
	const char *sender_id, *sender_name, *group_name;
	int64_t time;
	int64_t now; /* what rate limits take for it */
	/* The record's chain; once `respond` has cut it, `cut` owns it. */
	const json_t *chain;
	json_t *cut;
	struct lb_buf keys; /* scratch of `limit` */
	struct lb_buf form; /* its text form: see lb_message_form() */
	bool has_form;
	const struct lb_bot_rules *rules; /* of the bot, set by `route` */
	bool routed;                /* a rule of the bot chose the pipeline */
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
	struct lb_buf trace; /* with `explain`: what each stage said */
};

enum lb_verdict {
	LB_PASS,   /* on to the next stage */
	LB_DROP,   /* a rule ended it: reason */
	LB_ANSWER, /* a reply is its end: answer */
	LB_FAILED, /* it cannot be answered: err */
};

/* The pipeline of that name; NULL when there is none. */
const struct lb_flow *lb_flow_find(struct lb_pipeline *p, const char *name);

/* The rules of a bot; never NULL. */
const struct lb_bot_rules *lb_bot_rules_find(struct lb_pipeline *p,
					     const char *name);

/* What rules match: the chain as people read it. */
const struct lb_buf *lb_message_form(struct lb_message *m);

/*
 * Say why: an end's reason or, where that is asked for, why it goes on. It
 * replaces what was said in this stage. Returns the verdict.
 */
enum lb_verdict lb_because(struct lb_message *m, enum lb_verdict verdict,
			   const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The end with a notice for the user, or without when its text is empty. */
enum lb_verdict lb_refuse(struct lb_message *m, const char *notice,
			  const char *why);

/* Before the first stage; `m` is zeroed memory or one used before. */
void lb_message_begin(struct lb_message *m, struct lb_pipeline *p,
		      const struct lb_record *r);

/*
 * Run the stages. `m` is zeroed memory or one used before; `out` gets the
 * query, drop or error record that comes of it.
 */
enum lb_verdict lb_message_run(struct lb_message *m, struct lb_pipeline *p,
			       const struct lb_record *r, struct lb_buf *out);
void lb_message_release(struct lb_message *m);

#endif
