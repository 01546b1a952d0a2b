/*
 * base/clock.h - time, durations and sizes.
 *
 * Records carry milliseconds since the epoch; time-outs use the monotonic
 * clock. Durations are written 500ms, 30s, 5m, 2h, 7d and a bare number is
 * seconds; sizes are written 64k, 16M, 2G (powers of 1024) and a bare number
 * is bytes.
 */
#ifndef LB_BASE_CLOCK_H
#define LB_BASE_CLOCK_H

#include <stdint.h>

#include "base/error.h"

enum { LB_CLOCK_TEXT = 32 };

int64_t lb_clock_now(void);  /* ms since the epoch */
int64_t lb_clock_mono(void); /* ms, monotonic */

/* RFC 3339 in UTC with milliseconds. */
void lb_clock_text(int64_t ms, char out[LB_CLOCK_TEXT]);

/* For people at a terminal: "2026-11-29 09:05:00", where they are (TZ). */
void lb_clock_local(int64_t ms, char out[LB_CLOCK_TEXT]);

/* "30s" to 30000. LB_USAGE on anything else; the error quotes the text. */
int lb_duration_parse(const char *text, int64_t *ms, struct lb_error *err);

/* "64k" to 65536. LB_USAGE on anything else. */
int lb_size_parse(const char *text, int64_t *bytes, struct lb_error *err);

#endif
