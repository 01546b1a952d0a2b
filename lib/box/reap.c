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
#include "box/cgroup.h"
#include "box/driver.h"
#include "box/image.h"
#include "box/place.h"
#include "box/kept.h"
#include "box/session.h"
#include "fs/tree.h"

enum {
	EACH_S = 30,       /* between two looks that nobody asked for */
	FEW = 4,           /* file systems that such a look unmounts */
	HALF_MADE_S = 600, /* nobody needs that long to begin a session */
};

struct reap {
	struct lb_config *config;
	struct lb_box_places p;
	int64_t ttl_ms; /* INT64_MAX: sessions do not end by themselves */
	int64_t now;
	bool for_room; /* those without a file system end at once */
	int unmounts;  /* so many more */
	lb_box_reaped *fn;
	void *arg;
};

static void tell(const struct reap *r, const char *what, const char *name)
{
	if (r->fn)
		r->fn(r->arg, what, name);
}

static void tell_session(const struct reap *r, const char *what,
			 const char *folder)
{
	lb_autofree char *name = lb_box_session_name(r->p.sessions, folder);

	tell(r, what, name ? name : folder);
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
		tell(r, "leftover", folder);
}

/* Each name in a folder below the root, whatever is removed meanwhile. */
static void each(struct reap *r, const char *below,
		 void (*fn)(struct reap *, const char *))
{
	lb_autofree char *path = lb_printf("%s/%s", r->p.root, below);
	DIR *dir = opendir(path);
	const struct dirent *one;

	while (dir && (one = readdir(dir)) != NULL)
		if (one->d_name[0] != '.')
			fn(r, one->d_name);
	if (dir)
		closedir(dir);
}

/* A user id whose session is not there: its folder is made, so that nobody else
 * begins it meanwhile, and removed with the rest. */
static void look_at_uid(struct reap *r, const char *uid)
{
	lb_autofree char *link = lb_printf("%s/uids/%s", r->p.root, uid);
	lb_autofree char *session = NULL, *workspace = NULL;
	char folder[512];
	ssize_t len = readlink(link, folder, sizeof(folder) - 1);
	lb_autoclose int used = -1;
	struct lb_error err;

	if (len <= 0 || memchr(folder, '/', (size_t)len) || folder[0] == '.')
		return;
	folder[len] = '\0';
	session = lb_printf("%s/%s", r->p.sessions, folder);
	workspace = lb_printf("%s/%s", r->p.workspaces ? r->p.workspaces : "",
			      folder);
	if (access(workspace, F_OK) == 0 || mkdir(session, 0700) < 0)
		return;
	used = lb_box_session_claim(r->p.sessions, folder, folder, &err);
	if (used < 0 || access(workspace, F_OK) == 0)
		return;
	if (lb_box_session_end(&r->p, folder, &err) == 0)
		tell(r, "user", uid);
}

static void sweep_copies(const struct reap *r)
{
	lb_autoclose int root = open(r->p.root, O_RDONLY | O_DIRECTORY |
							O_NOFOLLOW | O_CLOEXEC);

	if (root < 0 || flock(root, LOCK_EX | LOCK_NB) < 0)
		return;
	for (int n = lb_box_etc_sweep(root); n > 0; n--)
		tell(r, "copy", "/etc");
}

static void sweep_groups(const struct reap *r)
{
	const char *parent = lb_config_str(r->config, "box.cgroup");
	struct lb_cgroups groups = {.looked = false};

	lb_cgroups_find(&groups, "", parent ? parent : "");
	lb_cgroups_sweep(&groups);
	lb_cgroups_release(&groups);
}

/* Processes that ended are remembered for a while. */
static void sweep_processes(const struct reap *r, const char *state)
{
	lb_autofree char *processes = lb_kept_all(r->config, state);
	int64_t kept_s = lb_config_int(r->config, "box.limits.completed_"
						  "process_retention_sec"),
		most = lb_config_int(r->config,
				     "box.limits.max_completed_processes");

	for (int n = lb_kept_sweep(processes, kept_s * 1000, (long)most);
	     n > 0; n--)
		tell(r, "process", "");
}

static int begin(struct reap *r, struct lb_config *config, const char *state,
		 struct lb_error *err)
{
	int64_t ttl = lb_config_ms(config, "box.session_ttl");

	*r = (struct reap){
		.config = config,
		.ttl_ms = ttl > 0 ? ttl : INT64_MAX,
		.now = lb_clock_now(),
		.unmounts = INT32_MAX,
	};
	return lb_box_places_find(&r->p, config, state, err);
}

int lb_box_reap(struct lb_config *config, const char *state, lb_box_reaped *fn,
		void *arg, struct lb_error *err)
{
	struct reap r;
	int there = begin(&r, config, state, err);

	r.fn = fn;
	r.arg = arg;
	if (there > 0) {
		each(&r, "alive", look);
		each(&r, "sessions", look);
		each(&r, "uids", look_at_uid);
		sweep_processes(&r, state);
		sweep_copies(&r);
		sweep_groups(&r);
	}
	lb_box_places_release(&r.p);
	return there < 0 ? -1 : 0;
}

void lb_box_reap_for_room(struct lb_config *config, const char *state)
{
	struct lb_error err;
	struct reap r;
	int there = begin(&r, config, state, &err);

	r.for_room = true;
	if (there > 0)
		each(&r, "alive", look);
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
	struct lb_error err;
	struct reap r;

	if (!is_due(root))
		return;
	if (begin(&r, config, state, &err) > 0) {
		r.unmounts = FEW;
		each(&r, "alive", look);
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
		tell(r, "files", name ? name : folder);
}

int lb_box_gc(struct lb_config *config, const char *state, lb_box_reaped *fn,
	      void *arg, struct lb_error *err)
{
	static const int64_t day_ms = 24 * 3600 * 1000;
	int64_t days = lb_config_int(config, "box.workspace_retention_days");
	struct reap r;
	int there;

	if (days <= 0)
		return 0;
	there = begin(&r, config, state, err);
	r.ttl_ms = days * day_ms;
	r.fn = fn;
	r.arg = arg;
	if (there > 0)
		each(&r, "sessions", look_at_age);
	lb_box_places_release(&r.p);
	return there < 0 ? -1 : 0;
}
