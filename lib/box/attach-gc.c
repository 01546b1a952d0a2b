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
	struct lb_error *err; /* of the first that failed */
	bool bad;
};

static int64_t expire_all(const struct round *r, const char *workspaces,
			  struct lb_error *err)
{
	const struct lb_walk_options options = {0};
	lb_autoclose int all =
		open(workspaces, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct lb_walk_entry e;
	struct lb_walk *walk;
	int64_t n = 0;

	if (all < 0 && errno == ENOENT)
		return 0;
	if (all < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", workspaces);
	walk = lb_walk_open(all, &options, err);
	if (!walk)
		return -1;
	while (lb_walk_next(walk, &e) > 0) {
		/* One with a quota is a file system of its own; what begins with
		 * a dot is none. */
		lb_autoclose int fd =
			e.name[0] == '.'
				? -1
				: openat(e.folder, e.name,
					 O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
						 O_CLOEXEC);

		if (fd < 0)
			continue;
		n += expire_box(fd, LB_ATTACH_INBOX, r->before_ms);
		n += expire_box(fd, LB_ATTACH_OUTBOX, r->before_ms);
	}
	lb_walk_close(walk);
	return n;
}

static void expire_in(void *arg, const char *tenant)
{
	struct round *r = arg;
	struct lb_box_places p;
	struct lb_error err;
	int there = lb_box_places_of(&p, r->config, r->state, tenant, &err);
	int64_t n = there < 0      ? -1
		    : p.workspaces ? expire_all(r, p.workspaces, &err)
				   : 0;

	if (n < 0 && !r->bad)
		*r->err = err;
	r->bad = r->bad || n < 0;
	r->n += n > 0 ? n : 0;
	lb_box_places_release(&p);
}

int64_t lb_attach_expire(struct lb_config *config, const char *state,
			 int64_t before_ms, struct lb_error *err)
{
	lb_autofree char *tenant = lb_box_tenant(config);
	struct round r = {config, state, before_ms, 0, err, false};

	expire_in(&r, tenant);
	if (!tenant)
		lb_box_tenants(config, state, expire_in, &r);
	return r.bad ? -1 : r.n;
}
