/* lb-box - the configuration and the state, for verbs that need both. */
#include <stdlib.h>

#include "box.h"

int box_place(struct box_place *p, const char *config_file,
	      struct lb_error *err)
{
	p->config = lb_config_load(config_file, err);
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
