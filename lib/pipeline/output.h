/*
 * pipeline/output.h - how a pipeline wants its answers sent: its settings
 * below `output`, read once.
 */
#ifndef LB_PIPELINE_OUTPUT_H
#define LB_PIPELINE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"
#include "pipeline/words.h"

enum lb_long_text {
	LB_LONG_NONE,
	LB_LONG_SPLIT,
	LB_LONG_FORWARD,
	LB_LONG_IMAGE,
	LB_LONG_FILE,
};

struct lb_output {
	struct lb_output *next;
	char *pipeline;
	enum { LB_SHOW_HINT, LB_SHOW_ERROR, LB_HIDE } failures;
	const char *hint; /* "" is the notice `failed`. Borrowed. */
	enum lb_long_text strategy;
	size_t threshold;     /* code points */
	const char *renderer; /* a command for sh; NULL for none. Borrowed. */
	bool at_sender, quote_origin, remove_think, track_calls;
	int64_t delay_min, delay_max; /* ms */
	struct lb_words *words;       /* NULL: nothing is looked for */
};

struct lb_outputs {
	struct lb_config *config;
	struct lb_output *first;
};

/* Those of all pipelines. LB_CONFIG: words that are none. */
int lb_outputs_open(struct lb_outputs *all, struct lb_config *config,
		    struct lb_error *err);
void lb_outputs_release(struct lb_outputs *all);

/*
 * That of a record: of the pipeline it names, else of its bot's, else of
 * `default`, which a name that is none means, too.
 */
const struct lb_output *lb_output_of(const struct lb_outputs *all,
				     const json_t *record);

/* Does an answer's text not pass as it came? */
bool lb_output_changes_text(const struct lb_output *o);

/* Must be known what was streamed of an answer? */
bool lb_output_keeps_streams(const struct lb_output *o);

#endif
