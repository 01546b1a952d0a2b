/*
 * net/retry.h - when a server wants to be asked again.
 */
#ifndef LB_NET_RETRY_H
#define LB_NET_RETRY_H

#include <stdint.h>

/*
 * The value of a Retry-After header (RFC 9110 10.2.3): seconds or a date,
 * `now_ms` since the epoch. -1 when it is neither, negative or over a day.
 */
int64_t lb_retry_after(const char *value, int64_t now_ms);

#endif
