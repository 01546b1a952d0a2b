/*
 * box/available.h - trying a backend. Inside the room only.
 */
#ifndef LB_BOX_AVAILABLE_H
#define LB_BOX_AVAILABLE_H

#include "box/driver.h"

/*
 * Start a sandbox of that driver and ask whoever is inside what he is. NULL:
 * whatever the configuration says. LB_UNAVAILABLE.
 */
int lb_box_try(struct lb_config *config, const char *state,
	       const struct lb_box_driver *driver, struct lb_error *err);

#endif
