/* lb-tool - the skills there are, for skills.c. */
#ifndef LB_TOOL_SHELF_H
#define LB_TOOL_SHELF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "skill/shelf.h"

/* The shelf as it was when it was read. Calls that are under way hold it. */
struct shelf_state {
	size_t users;
	char stamp[72];
	json_t *known;
	struct lb_shelved_all all;
	int *folders; /* one each; -1: not opened yet */
	char **paths; /* what they really are; or NULL */
};

struct tool_shelf {
	struct lb_config *config;
	struct lb_shelf *shelf;
	struct shelf_state *now;
};

/* As it is now; borrowed: whoever keeps it counts as a user. */
struct shelf_state *shelf_look(struct tool_shelf *shelf);
/* Its folder and where that really is; false: it is gone, or not readable. */
bool shelf_open_one(struct shelf_state *state, size_t i);
/* There is one user less. NULL is allowed. */
void shelf_let_go(struct shelf_state *state);

#endif
