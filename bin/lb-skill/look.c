/* lb-skill serve: what others install, remove and edit meanwhile. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/watch.h"
#include "serving.h"
#include "skill/stamp.h"

/* What comes and goes is heard of at once, the rest when we look. */
enum { LOOK_MS = 1000 };

static void look(struct serving *s)
{
	char now[sizeof(s->stamp)];

	lb_shelf_stamp(s->desk.shelf, now);
	if (strcmp(now, s->stamp) != 0)
		lb_tools_changed(s->server);
	memcpy(s->stamp, now, sizeof(now));
}

static void heard(int fd, uint32_t events, void *arg)
{
	(void)events;
	lb_watch_drain(fd);
	look(arg);
}

/* A folder may not have been there before. */
static void watch(struct serving *s)
{
	const struct lb_shelf *shelf = s->desk.shelf;

	for (size_t i = 0; i < shelf->n_roots; i++) {
		if (s->watched[i] < 0)
			s->watched[i] = lb_watch_folder(shelf->roots[i]);
		else
			continue;
		if (s->watched[i] >= 0)
			lb_loop_watch(s->loop, s->watched[i], EPOLLIN, heard,
				      s);
	}
}

static void look_again(void *arg)
{
	struct serving *s = arg;

	watch(s);
	look(s);
	lb_timer_set(s->loop, &s->look, lb_clock_mono() + LOOK_MS, look_again,
		     s);
}

void serving_look(void *arg, struct lb_loop *loop, struct lb_server *server)
{
	struct serving *s = arg;
	size_t n = s->desk.shelf->n_roots;

	s->loop = loop;
	s->server = server;
	s->watched = lb_alloc(n * sizeof(*s->watched));
	for (size_t i = 0; i < n; i++)
		s->watched[i] = -1;
	watch(s);
	lb_shelf_stamp(s->desk.shelf, s->stamp);
	lb_timer_set(loop, &s->look, lb_clock_mono() + LOOK_MS, look_again, s);
}

void serving_end(void *arg)
{
	struct serving *s = arg;

	lb_timer_cancel(s->loop, &s->look);
	for (size_t i = 0; i < s->desk.shelf->n_roots; i++) {
		if (s->watched[i] < 0)
			continue;
		lb_loop_watch(s->loop, s->watched[i], 0, NULL, NULL);
		close(s->watched[i]);
	}
	free(s->watched);
}
