/*
 * base/zone.h - the time of day where people are.
 */
#ifndef LB_BASE_ZONE_H
#define LB_BASE_ZONE_H

#include <stdint.h>

#include "base/error.h"

enum { LB_ZONE_TEXT = 64 };

/*
 * All that follows is in this zone ("Europe/Paris"); "" is the machine's.
 * LB_CONFIG: the machine does not know it. For the whole program, once.
 */
int lb_zone_set(const char *zone, struct lb_error *err);

/* "2026-11-29 21:07" */
void lb_zone_minute(int64_t ms, char out[LB_ZONE_TEXT]);

/* "Sunday, November 29, 2026", in English whatever the locale. */
void lb_zone_day(int64_t ms, char out[LB_ZONE_TEXT]);

#endif
