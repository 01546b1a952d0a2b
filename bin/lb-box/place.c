/* lb-box - the configuration and the state, for verbs that need both. */
#include <stdlib.h>

#include "base/mem.h"
#include "box.h"
#include "box/admit.h"

const char *box_workspace;

/* What box_whose() says, until the program ends. */
static char *whose;

struct lb_config *box_config(const char *file, struct lb_error *err)
{
	struct lb_config *config = lb_config_workspace(box_workspace, err) < 0
					   ? NULL
					   : lb_config_load(file, err);
	const char *name = config ? lb_box_workspace(config) : NULL;

	free(whose);
	whose = name ? lb_strdup(name) : NULL;
	return config;
}

const char *box_whose(void)
{
	return whose;
}

int box_place(struct box_place *p, const char *config_file,
	      struct lb_error *err)
{
	p->config = box_config(config_file, err);
	p->state = p->config ? lb_config_state(err) : NULL;
	if (p->state)
		return 0;
	box_place_release(p);
	return -1;
}

void box_place_release(struct box_place *p)
{
	lb_config_close(p->config);
	free(p->state);
	*p = (struct box_place){NULL};
}
