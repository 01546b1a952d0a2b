/*
 * box/e2b-lease.h - a machine of e2b lives as long as somebody says so. Inside
 * the room only.
 *
 * It is asked for with little time, and kept while a command runs in it: who is
 * killed leaves none that goes on for hours.
 */
#ifndef LB_BOX_E2B_LEASE_H
#define LB_BOX_E2B_LEASE_H

#include "box/e2b.h"

/*
 * Seconds to ask for: enough for a command of so many ms, and then until nobody
 * used it for idle_ms, if a lease is kept meanwhile.
 */
int64_t lb_e2b_lease_s(int64_t timeout_ms, int64_t idle_ms);

/* Zeroed before first use; must not move. */
struct lb_e2b_lease {
	struct lb_e2b *e;
	const char *id; /* of the machine; borrowed */
	int64_t seconds, every_ms;
	struct lb_timer timer;
	struct lb_http_call *call;
};

void lb_e2b_lease_keep(struct lb_e2b_lease *l, struct lb_e2b *e, const char *id,
		       int64_t idle_ms);
void lb_e2b_lease_end(struct lb_e2b_lease *l);

#endif
