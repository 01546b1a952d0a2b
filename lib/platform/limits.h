/*
 * platform/limits.h - what each platform takes: one table.
 *
 * Numbers are the platforms' public ones, or practice where there is none; a
 * bot's `limits` in the configuration overrides each:
 *
 *     text, caption                 in units
 *     unit                          bytes, code-points or utf16
 *     media-in, media-out, photo-out   "20M"
 *     chat-interval, group-interval, all-interval, edit-interval,
 *     group-edit-interval           "1s"
 *     burst                         messages
 */
#ifndef LB_PLATFORM_LIMITS_H
#define LB_PLATFORM_LIMITS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/cut.h"

struct lb_limits {
	const char *platform;
	size_t text, caption; /* of one message, in `unit`; 0 for none */
	enum lb_unit unit;
	int64_t media_in, media_out, photo_out; /* bytes; 0 for none */
	/* Between two messages of a chat, of a group, of all: ms; 0 none. */
	int64_t chat_ms, group_ms, all_ms;
	int burst;       /* messages a chat may have at once before */
	int64_t edit_ms; /* between two edits of a message; 0: no edits */
	int64_t group_edit_ms;
};

/* The table; the last has no platform. */
extern const struct lb_limits lb_limits[];

/* NULL: the platform has no line in the table. */
const struct lb_limits *lb_limits_find(const char *platform);

/*
 * The same with a bot's `limits` object (or NULL) laid over; LB_CONFIG names
 * the key that is wrong or unknown, and LB_BUG the platform without a line.
 */
int lb_limits_read(const char *platform, const json_t *over,
		   struct lb_limits *out, struct lb_error *err);

#endif
