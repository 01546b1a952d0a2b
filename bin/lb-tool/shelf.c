/* lb-tool - the skills there are, read anew when they changed. */
#include "shelf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "skill/change.h"
#include "skill/stamp.h"
#include "skills.h"

void shelf_let_go(struct shelf_state *s)
{
	if (!s || --s->users > 0)
		return;
	for (size_t i = 0; i < s->all.n; i++) {
		if (s->folders[i] >= 0)
			close(s->folders[i]);
		free(s->paths[i]);
	}
	free(s->folders);
	free(s->paths);
	lb_shelved_release(&s->all);
	json_decref(s->known);
	free(s);
}

struct tool_shelf *tool_shelf_open(struct lb_config *config, const char *state)
{
	struct tool_shelf *s = lb_alloc(sizeof(*s));

	s->config = config;
	s->shelf = lb_shelf_open(config, state);
	return s;
}

void tool_shelf_close(struct tool_shelf *s)
{
	if (!s)
		return;
	shelf_let_go(s->now);
	lb_shelf_close(s->shelf);
	free(s);
}

/* Others install and remove skills while we run. */
struct shelf_state *shelf_look(struct tool_shelf *s)
{
	struct shelf_state *new;
	struct lb_error err;
	char stamp[sizeof(new->stamp)];

	lb_shelf_stamp(s->shelf, stamp);
	if (s->now && strcmp(s->now->stamp, stamp) == 0)
		return s->now;
	new = lb_alloc(sizeof(*new));
	new->users = 1;
	memcpy(new->stamp, stamp, sizeof(stamp));
	new->known = lb_change_known(s->shelf->store, &err);
	if (!new->known || lb_shelf_list(s->shelf, &new->all, &err) < 0) {
		lb_complain("there are no skills: %s", err.text);
		lb_shelved_release(&new->all);
	}
	new->folders = lb_alloc((new->all.n + 1) * sizeof(*new->folders));
	new->paths = lb_alloc((new->all.n + 1) * sizeof(*new->paths));
	for (size_t i = 0; i < new->all.n; i++)
		new->folders[i] = -1;
	shelf_let_go(s->now);
	s->now = new;
	return new;
}

bool shelf_open_one(struct shelf_state *s, size_t i)
{
	struct lb_error err;
	char link[32];

	if (s->folders[i] >= 0)
		return true;
	s->folders[i] = lb_shelved_open(&s->all.at[i], &err);
	if (s->folders[i] < 0) {
		lb_warn("skill '%s' is left out: %s", s->all.at[i].name,
			err.text);
		return false;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", s->folders[i]);
	s->paths[i] = realpath(link, NULL);
	return s->paths[i] != NULL;
}
