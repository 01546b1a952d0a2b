#include <string.h>

#include "agent/turn.h"

static const struct runner runners[] = {
	{"local-agent", runner_local_start},
	{NULL, NULL},
};

const struct runner *runner_find(const char *name)
{
	for (const struct runner *r = runners; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}
