#include "box/reap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/alive.h"
#include "box/image.h"
#include "box/reaping.h"
#include "box/session.h"

enum {
	EACH_S = 30,       /* between two looks that nobody asked for */
	FEW = 4,           /* file systems that such a look unmounts */
	HALF_MADE_S = 600, /* nobody needs that long to begin a session */
};

void lb_reap_tell(const struct reap *r, const char *what, const char *name)
{
	if (r->fn)
		r->fn(r->arg, what, name);
}

static void tell_session(const struct reap *r, const char *what,
			 const char *folder)
{
	lb_autofree char *name = lb_box_session_name(r->p.sessions, folder);

	lb_reap_tell(r, what, name ? name : folder);
}

/* Since when nobody uses it, ms; of a `use` file that we hold. */
static int64_t idle_ms(const struct reap *r, int used)
{
	struct stat st;

	if (fstat(used, &st) < 0)
		return 0;
	return r->now - ((int64_t)st.st_mtim.tv_sec * 1000 +
			 st.st_mtim.tv_nsec / 1000000);
}

static bool has(const struct reap *r, const char *folder, const char *file)
{
	lb_autofree char *path =
		lb_printf("%s/%s/%s", r->p.sessions, folder, file);

	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* What was mounted from its image is not any more; false: it is still. */
static bool unmount(struct reap *r, const char *folder, bool *was)
{
	lb_autofree char *image =
		lb_printf("%s/%s/workspace.img", r->p.sessions, folder);
	lb_autofree char *at =
		lb_printf("%s/%s", r->p.workspaces ? r->p.workspaces : "",
			  folder);

	*was = false;
	while (r->p.workspaces && lb_box_image_is_at(image, at)) {
		if (r->unmounts-- <= 0)
			return false;
		if (umount2(at, UMOUNT_NOFOLLOW) < 0) {
			if (errno != EBUSY)
				lb_warn("cannot unmount '%s': %s", at,
					strerror(errno));
			return false;
		}
		*was = true;
	}
	return true;
}

/* What somebody left who was killed when he made the workspace. */
static void tidy(const struct reap *r, const char *folder)
{
	lb_autofree char *at = lb_printf("%s/%s", r->p.sessions, folder);
	lb_autofree char *new = lb_printf("%s/new", at);
	bool was = lb_box_session_tidy(at) > 0;

	was = rmdir(new) == 0 || was;
	if (was)
		tell_session(r, "leftover", folder);
}

/* One that nobody uses, held by us. */
static void end_idle(struct reap *r, const char *folder, int64_t idle)
{
	lb_autofree char *image =
		lb_printf("%s/%s/workspace.img", r->p.sessions, folder);
	lb_autofree char *at =
		lb_printf("%s/%s", r->p.workspaces ? r->p.workspaces : "",
			  folder);
	bool stays = idle < r->ttl_ms || has(r, folder, "persistent");
	bool was;

	tidy(r, folder);
	if (stays && (!r->for_room || lb_box_image_is_at(image, at)))
		return;
	if (!unmount(r, folder, &was))
		return;
	if (was || lb_box_alive_has(r->p.root, folder))
		tell_session(r, "session", folder);
	lb_box_alive_leave(r->p.root, folder);
}

/* Was it begun and not made, long ago? A user id it may have, and no files. */
static bool is_half(const struct reap *r, const char *folder, int64_t idle)
{
	lb_autofree char *at =
		lb_printf("%s/%s", r->p.workspaces ? r->p.workspaces : "",
			  folder);

	return idle > HALF_MADE_S * 1000 && !has(r, folder, "name") &&
	       !has(r, folder, "workspace.img") &&
	       faccessat(AT_FDCWD, at, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
}

static void look(struct reap *r, const char *folder)
{
	struct lb_error err;
	lb_autoclose int used =
		lb_box_session_claim(r->p.sessions, folder, folder, &err);
	int64_t idle;

	if (used < 0) {
		if (err.code == LB_NOINPUT) /* of one that was deleted */
			lb_box_alive_leave(r->p.root, folder);
		return;
	}
	idle = idle_ms(r, used);
	if (!is_half(r, folder, idle)) {
		end_idle(r, folder, idle);
		return;
	}
	if (lb_box_session_end(&r->p, folder, &err) < 0)
		lb_warn("%s", err.text);
	else
		lb_reap_tell(r, "leftover", folder);
}

static void begin(struct reap *r, struct lb_config *config)
{
	int64_t ttl = lb_config_ms(config, "box.session_ttl");

	*r = (struct reap){
		.config = config,
		.ttl_ms = ttl > 0 ? ttl : INT64_MAX,
		.now = lb_clock_now(),
		.unmounts = INT32_MAX,
	};
}

/* Of the workspace in force: is there anything? */
static bool begin_here(struct reap *r, struct lb_config *config,
		       const char *state)
{
	struct lb_error ignored;

	begin(r, config);
	return lb_box_places_find(&r->p, config, state, &ignored) > 0;
}

/* What is done in each workspace. */
struct round {
	struct reap *r;
	void (*work)(struct reap *r);
	const char *state;
	struct lb_error *err;
	int bad;
};

static void look_in(void *arg, const char *tenant)
{
	struct round *round = arg;
	struct reap *r = round->r;
	struct lb_error err;
	int there =
		lb_box_places_of(&r->p, r->config, round->state, tenant, &err);

	if (there > 0)
		round->work(r);
	if (there < 0 && round->bad == 0) { /* the others are looked at */
		*round->err = err;
		round->bad = -1;
	}
	lb_box_places_release(&r->p);
}

/* In the one in force; where none is, in all that there are, and in none. */
static int look_everywhere(struct reap *r, const char *state,
			   void (*work)(struct reap *r), struct lb_error *err)
{
	lb_autofree char *tenant = lb_box_tenant(r->config);
	struct round round = {r, work, state, err, 0};

	look_in(&round, tenant);
	if (!tenant)
		lb_box_tenants(r->config, state, look_in, &round);
	return round.bad;
}

static void reap(struct reap *r)
{
	lb_reap_each(r, r->p.root, "alive", look);
	lb_reap_each(r, r->p.root, "sessions", look);
	lb_reap_rest(r);
}

int lb_box_reap(struct lb_config *config, const char *state, lb_box_reaped *fn,
		void *arg, struct lb_error *err)
{
	struct reap r;

	begin(&r, config);
	r.fn = fn;
	r.arg = arg;
	return look_everywhere(&r, state, reap, err);
}

void lb_box_reap_for_room(struct lb_config *config, const char *state)
{
	struct reap r;
	bool there = begin_here(&r, config, state);

	r.for_room = true;
	if (there)
		lb_reap_each(&r, r.p.root, "alive", look);
	lb_box_places_release(&r.p);
}

/* Is it time? Then it is ours to look, and nobody else's. */
static bool is_due(const char *root)
{
	lb_autofree char *path = lb_printf("%s/reaped", root);
	lb_autoclose int fd = -1;
	struct stat st;
	time_t now = time(NULL);

	if (stat(path, &st) == 0 && st.st_mtime <= now &&
	    now - st.st_mtime < EACH_S)
		return false;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	       futimens(fd, NULL) == 0;
}

void lb_box_reap_sometimes(struct lb_config *config, const char *state)
{
	lb_autofree char *root = lb_box_root(config, state);
	struct reap r;

	if (!is_due(root))
		return;
	if (begin_here(&r, config, state)) {
		r.unmounts = FEW;
		lb_reap_each(&r, r.p.root, "alive", look);
	}
	lb_box_places_release(&r.p);
}

/* The files of one that nobody used for so long, `ttl_ms` here. */
static void look_at_age(struct reap *r, const char *folder)
{
	struct lb_error err;
	lb_autoclose int used =
		lb_box_session_claim(r->p.sessions, folder, folder, &err);
	lb_autofree char *name = NULL;

	if (used < 0 || idle_ms(r, used) < r->ttl_ms)
		return;
	name = lb_box_session_name(r->p.sessions, folder);
	if (lb_box_session_end(&r->p, folder, &err) < 0)
		lb_warn("%s", err.text);
	else
		lb_reap_tell(r, "files", name ? name : folder);
}

static void gc(struct reap *r)
{
	lb_reap_each(r, r->p.root, "sessions", look_at_age);
}

int lb_box_gc(struct lb_config *config, const char *state, lb_box_reaped *fn,
	      void *arg, struct lb_error *err)
{
	static const int64_t day_ms = 24 * 3600 * 1000;
	int64_t days = lb_config_int(config, "box.workspace_retention_days");
	struct reap r;

	if (days <= 0)
		return 0;
	begin(&r, config);
	r.ttl_ms = days * day_ms;
	r.fn = fn;
	r.arg = arg;
	return look_everywhere(&r, state, gc, err);
}
