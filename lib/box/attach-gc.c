/* attach-gc.c - inboxes and outboxes that nobody needs any more. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/attaching.h"
#include "box/place.h"
#include "fs/beneath.h"
#include "fs/tree.h"
#include "fs/walk.h"

/* Folders of one box that are looked at, and what one of them may hold. */
enum { MAX_FOLDERS = 100000 };

static const struct lb_tree_limits some = {.max_entries = 1000000,
					   .max_ms = 30 * 1000};

/* Those of one session; whoever runs in it may put anything there. */
static int64_t expire_box(int workspace, const char *name, int64_t before_ms)
{
	const struct lb_walk_options options = {.max_entries = MAX_FOLDERS};
	lb_autoclose int box =
		lb_beneath_step(workspace, name, O_RDONLY | O_DIRECTORY, 0);
	struct lb_error err;
	struct lb_walk *walk =
		box < 0 ? NULL : lb_walk_open(box, &options, &err);
	struct lb_walk_entry e;
	struct stat st;
	int64_t n = 0;

	while (walk && lb_walk_next(walk, &e) > 0)
		if (fstatat(e.folder, e.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    (int64_t)st.st_mtim.tv_sec * 1000 < before_ms &&
		    lb_tree_remove(e.folder, e.name, &some, &err) == 0)
			n++;
	lb_walk_close(walk);
	return n;
}

struct round {
	struct lb_config *config;
	const char *state;
	int64_t before_ms, n;
	int r;
	struct lb_error *err;
};

static void expire_all(struct round *round, int all)
{
	const struct lb_walk_options options = {0};
	struct lb_walk *walk = lb_walk_open(all, &options, round->err);
	struct lb_walk_entry e;

	if (!walk)
		round->r = -1;
	while (walk && lb_walk_next(walk, &e) > 0) {
		/* One with a quota is a file system of its own; what begins with
		 * a dot is no session's, and tenants have any name in there. */
		lb_autoclose int fd =
			e.name[0] == '.'
				? -1
				: openat(e.folder, e.name,
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
						 O_CLOEXEC);

		if (fd < 0)
			continue;
		round->n += expire_box(fd, LB_ATTACH_INBOX, round->before_ms);
		round->n += expire_box(fd, LB_ATTACH_OUTBOX, round->before_ms);
	}
	lb_walk_close(walk);
}

/* Those of a workspace, by its folder's name; NULL: of none. */
static void look_in(void *arg, const char *tenant)
{
	struct round *round = arg;
	struct lb_box_places p = {NULL};
	int found = lb_box_places_of(&p, round->config, round->state, tenant,
				     round->err);
	lb_autoclose int all =
		found > 0 && p.workspaces
			? open(p.workspaces, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			: -1;

	if (found < 0)
		round->r = -1;
	else if (all >= 0)
		expire_all(round, all);
	else if (found > 0 && p.workspaces)
		round->r = lb_fail_sys(round->err, LB_IO, "cannot open '%s'",
				       p.workspaces);
	lb_box_places_release(&p);
}

int64_t lb_attach_expire(struct lb_config *config, const char *state,
			 int64_t before_ms, struct lb_error *err)
{
	lb_autofree char *tenant = lb_box_tenant(config);
	struct round round = {.config = config,
			      .state = state,
			      .before_ms = before_ms,
			      .err = err};

	look_in(&round, tenant);
	if (!tenant)
		lb_box_tenants(config, state, look_in, &round);
	return round.r < 0 ? -1 : round.n;
}
