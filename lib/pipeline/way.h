/*
 * pipeline/way.h - which messages may become one: what lb-aggregate goes by.
 */
#ifndef LB_PIPELINE_WAY_H
#define LB_PIPELINE_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"
#include "pipeline/pipeline.h"
#include "record/record.h"

/* The settings of a pipeline, read once. */
struct lb_way_setting {
	struct lb_way_setting *next;
	char *pipeline;
	bool enabled, by_session;
	int64_t delay_ms;
};

struct lb_ways {
	struct lb_pipeline pipeline;
	struct lb_message message; /* the last that was looked at */
	struct lb_way_setting *settings;
};

/* Messages of one session join when pipeline and sender are the same.
 * Borrowed until the next one is looked at. */
struct lb_way {
	const char *session; /* "": it names none */
	const char *pipeline, *sender;
	bool routed; /* a rule of the bot chose the pipeline */
	int64_t delay_ms;
};

enum lb_joins {
	LB_JOINS_NOTHING, /* it goes out at once, what waits before it */
	LB_JOINS_OTHERS,
};

bool lb_ways_any(struct lb_config *config);
/* LB_CONFIG: a rule that cannot work. */
int lb_ways_open(struct lb_ways *ways, struct lb_config *config,
		 struct lb_error *err);
void lb_ways_release(struct lb_ways *ways);

/* How a message goes on. */
enum lb_joins lb_way_of(struct lb_ways *ways, const struct lb_record *r,
			struct lb_way *way);

#endif
