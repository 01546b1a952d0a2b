/* box.c - what all runs of a process share. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "box/driver.h"
#include "box/place.h"

/* How long control groups have to become empty when we end, ms. */
enum { LAST_MS = 1000 };

struct lb_box *lb_box_open(struct lb_loop *loop, struct lb_config *config,
			   const char *state)
{
	struct lb_box *box = lb_alloc(sizeof(*box));

	/* The first process of a sandbox outlives the one that started it, and
	 * whoever is process 1 here may not wait for what it does not know. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	box->loop = loop;
	box->config = config;
	box->state = lb_strdup(state);
	box->etc = -1;
	return box;
}

/* A control group whose processes are on their way out. */
struct ending {
	struct lb_box *box;
	struct lb_cgroup group;
	struct lb_timer timer;
	int nap;
};

/* It is left to lb_cgroups_sweep(). */
static void forget_group(struct lb_box *box, struct ending *e)
{
	lb_timer_cancel(box->loop, &e->timer);
	for (size_t i = 0; i < box->n_ending; i++)
		if (box->ending[i] == e)
			box->ending[i] = box->ending[--box->n_ending];
	for (int i = 0; i < e->group.n; i++)
		free(e->group.folders[i]);
	free(e);
}

void lb_box_close(struct lb_box *box)
{
	int64_t until = lb_clock_mono() + LAST_MS;

	if (!box)
		return;
	while (box->n_ending > 0 && lb_clock_mono() < until)
		lb_loop_turn(box->loop, 10);
	while (box->n_ending > 0)
		forget_group(box, box->ending[0]);
	free(box->ending);
	lb_guard_close(box->guard);
	lb_cgroups_release(&box->groups);
	if (box->etc >= 0)
		close(box->etc);
	free(box->etc_path);
	free(box->state);
	free(box);
}

static void try_again(void *arg)
{
	struct ending *e = arg;

	if (lb_cgroup_end(&e->group)) {
		forget_group(e->box, e);
		return;
	}
	e->nap = e->nap < 100 ? e->nap * 2 : e->nap;
	lb_timer_set(e->box->loop, &e->timer, lb_clock_mono() + e->nap,
		     try_again, e);
}

void lb_box_end_group(struct lb_box *box, struct lb_cgroup *take)
{
	struct ending *e;

	if (lb_cgroup_end(take))
		return;
	e = lb_alloc(sizeof(*e));
	*e = (struct ending){.box = box, .group = *take, .nap = 1};
	*take = (struct lb_cgroup){.version = 0};
	box->ending = lb_grow(box->ending,
			      (box->n_ending + 1) * sizeof(struct ending *));
	box->ending[box->n_ending++] = e;
	lb_timer_set(box->loop, &e->timer, lb_clock_mono() + e->nap, try_again,
		     e);
}
