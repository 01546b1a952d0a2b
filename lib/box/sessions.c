#include "box/sessions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/alive.h"
#include "box/image.h"
#include "box/place.h"
#include "box/session.h"
#include "fs/tree.h"

enum { MEASURE_MS = 2000 };

/* Somebody holds it; who asks holds it for a moment himself. */
static bool is_used(int used)
{
	return flock(used, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static void measure_mounted(struct lb_box_about *a)
{
	struct statvfs v;

	if (statvfs(a->workspace, &v) < 0)
		return;
	a->bytes = (int64_t)(v.f_blocks - v.f_bfree) * (int64_t)v.f_frsize;
	a->files = (int64_t)(v.f_files - v.f_ffree);
	a->is_measured = true;
}

static void measure_folder(struct lb_box_about *a)
{
	const struct lb_tree_limits limits = {.max_ms = MEASURE_MS};
	lb_autoclose int fd =
		open(a->workspace,
		     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct lb_tree_size size;
	struct lb_error ignored;

	if (fd < 0 || lb_tree_size(fd, &limits, &size, &ignored) < 0 ||
	    size.end != LB_WALK_WHOLE)
		return;
	a->bytes = size.bytes;
	a->files = size.entries;
	a->is_measured = true;
}

static void look_at_image(struct lb_box_about *a, const char *image,
			  bool measure)
{
	struct stat st;

	if (stat(image, &st) == 0)
		a->size_mb = st.st_size >> 20;
	a->mounted = a->size_mb > 0 && lb_box_image_is_at(image, a->workspace);
	if (!measure)
		return;
	if (a->mounted)
		measure_mounted(a);
	else if (a->size_mb > 0)
		a->is_measured =
			lb_box_image_used(image, &a->bytes, &a->files) == 0;
	else
		measure_folder(a);
	if (a->is_measured && a->size_mb > 0)
		a->files -= LB_BOX_IMAGE_INODES;
}

struct listing {
	struct lb_box_places p;
	bool measure;
	void (*fn)(void *arg, const struct lb_box_about *about);
	void *arg;
};

static bool tell(const struct listing *l, const char *folder)
{
	lb_autofree char *name = lb_box_session_name(l->p.sessions, folder);
	lb_autofree char *at = lb_printf("%s/%s", l->p.sessions, folder);
	lb_autofree char *use = lb_printf("%s/use", at);
	lb_autofree char *image = lb_printf("%s/workspace.img", at);
	lb_autofree char *persistent = lb_printf("%s/persistent", at);
	lb_autofree char *workspace =
		lb_printf("%s/%s", l->p.workspaces ? l->p.workspaces : "",
			  folder);
	lb_autoclose int used = open(use, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct lb_box_about a = {.name = name, .workspace = workspace};
	struct stat st;

	if (!name || used < 0 || fstat(used, &st) < 0)
		return false;
	a.last_used = (int64_t)st.st_mtim.tv_sec * 1000 +
		      st.st_mtim.tv_nsec / 1000000;
	a.in_use = is_used(used);
	a.persistent = access(persistent, F_OK) == 0;
	look_at_image(&a, image, l->measure);
	a.alive = a.in_use || a.mounted;
	l->fn(l->arg, &a);
	return true;
}

int64_t lb_box_sessions(struct lb_config *config, const char *state,
			bool measure,
			void (*fn)(void *arg, const struct lb_box_about *about),
			void *arg, struct lb_error *err)
{
	struct listing l = {.measure = measure, .fn = fn, .arg = arg};
	int there = lb_box_places_find(&l.p, config, state, err);
	DIR *dir = there > 0 ? opendir(l.p.sessions) : NULL;
	const struct dirent *one;
	int64_t n = 0;

	while (dir && (one = readdir(dir)) != NULL)
		if (one->d_name[0] != '.')
			n += tell(&l, one->d_name);
	if (dir)
		closedir(dir);
	lb_box_places_release(&l.p);
	return there < 0 ? -1 : n;
}
