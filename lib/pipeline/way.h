/*
 * pipeline/way.h - which messages may become one: what lb-aggregate goes by.
 */
#ifndef LB_PIPELINE_WAY_H
#define LB_PIPELINE_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "config/config.h"
#include "record/record.h"

/* The settings of a pipeline, read once. */
struct lb_way_setting {
	struct lb_way_setting *next;
	char *pipeline;
	bool enabled, by_session;
	int64_t delay_ms;
};

struct lb_ways {
	struct lb_config *config;
	struct lb_way_setting *settings;
};

/* Messages of one session join when these are the same. Borrowed. */
struct lb_way {
	const char *pipeline, *sender;
	int64_t delay_ms;
};

enum lb_joins {
	LB_JOINS_NOTHING, /* it goes out at once, what waits before it */
	LB_JOINS_OTHERS,
};

bool lb_ways_any(struct lb_config *config);
void lb_ways_open(struct lb_ways *ways, struct lb_config *config);
void lb_ways_release(struct lb_ways *ways);

/*
 * How a message goes on. `session` gets the name of its session; "" where it
 * names none.
 */
enum lb_joins lb_way_of(struct lb_ways *ways, const struct lb_record *r,
			struct lb_way *way, struct lb_buf *session);

#endif
