/* del [NUMBER|all] - forget a conversation: the one in use, or that one. */
#include <stdio.h>
#include <string.h>

#include "agent/command.h"
#include "config/notice.h"
#include "store/conversation.h"

static int del(struct order *o, const struct talks *talks, size_t from,
	       size_t to, struct lb_error *err)
{
	char count[32];

	for (size_t i = from; i < to; i++)
		if (lb_conversation_delete(o->agent->store, talks->at[i].id,
					   err) < 0)
			return -1;
	snprintf(count, sizeof(count), "%zu", to - from);
	say(o, "command-deleted", "count", count, NULL);
	return 0;
}

int command_del(struct order *o, struct lb_error *err)
{
	struct talks talks = {0};
	int r = talks_load(o, &talks, err);
	const char *which = o->args[0];
	size_t used = talks_used(&talks);
	long at;

	if (r < 0 || talks.n == 0) {
		if (r == 0)
			say(o, "command-none", NULL);
	} else if (which && strcmp(which, "all") == 0) {
		r = del(o, &talks, 0, talks.n, err);
	} else if (!which && used < talks.n) {
		r = del(o, &talks, used, used + 1, err);
	} else if (!which) {
		say(o, "command-none-used", NULL);
	} else {
		at = talks_place(o, &talks, which);
		if (at >= 0)
			r = del(o, &talks, (size_t)at, (size_t)at + 1, err);
	}
	talks_release(&talks);
	return r;
}
