/* list [PAGE] - the conversations there are, ten a page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/command.h"
#include "config/notice.h"

enum { PAGE = 10 };

static int list(struct order *o, const struct talks *talks,
		struct lb_error *err)
{
	size_t pages = (talks->n + PAGE - 1) / PAGE, page = 1;
	char here[32], all[32];

	if (o->args[0] && strspn(o->args[0], "0123456789") < 7)
		page = strtoul(o->args[0], NULL, 10);
	if (page < 1 || page > pages)
		page = 1;
	snprintf(here, sizeof(here), "%zu", page);
	snprintf(all, sizeof(all), "%zu", pages);
	say(o, "command-list", "page", here, "pages", all, NULL);
	lb_buf_putc(&o->said, '\n');
	for (size_t i = (page - 1) * PAGE; i < talks->n && i < page * PAGE; i++)
		if (talks_line(o, talks, i, err) < 0)
			return -1;
	o->said.data[--o->said.len] = '\0'; /* the last line break */
	return 0;
}

int command_list(struct order *o, struct lb_error *err)
{
	struct talks talks = {0};
	int r = talks_load(o, &talks, err);

	if (r == 0 && talks.n == 0)
		say(o, "command-none", NULL);
	else if (r == 0)
		r = list(o, &talks, err);
	talks_release(&talks);
	return r;
}
