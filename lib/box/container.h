/*
 * box/container.h - podman and docker, for whoever asks about them. Inside the
 * room only.
 */
#ifndef LB_BOX_CONTAINER_H
#define LB_BOX_CONTAINER_H

#include "box/engine.h"

/* The program and its first options, to which a verb is added. */
void lb_container_program(struct lb_config *config, bool is_podman,
			  struct lb_argv *argv);

/* Does it bring an init of its own? */
bool lb_container_has_init(bool is_podman);

/*
 * Is the configured image there? It is asked, and nothing is fetched. 1, 0, or
 * -1: LB_UNAVAILABLE, the engine does not answer.
 */
int lb_container_has_image(struct lb_config *config, bool is_podman,
			   struct lb_error *err);

#endif
