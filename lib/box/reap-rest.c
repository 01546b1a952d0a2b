/* reap-rest.c - what was left behind and is no session. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "box/cgroup.h"
#include "box/driver.h"
#include "box/kept.h"
#include "box/reaping.h"
#include "box/session.h"

void lb_reap_each(struct reap *r, const char *root, const char *below,
		  void (*fn)(struct reap *r, const char *name))
{
	lb_autofree char *path = lb_printf("%s/%s", root, below);
	DIR *dir = opendir(path);
	const struct dirent *one;

	while (dir && (one = readdir(dir)) != NULL)
		if (one->d_name[0] != '.')
			fn(r, one->d_name);
	if (dir)
		closedir(dir);
}

/* The session's folder, if whoever has the user id is of this workspace. */
static const char *folder_of(const struct reap *r, const char *owner)
{
	lb_autofree char *before = lb_box_uid_owner(r->p.tenant, "");
	const char *folder = owner + strlen(before);

	if (strncmp(owner, before, strlen(before)) != 0 || !*folder ||
	    *folder == '.' || strchr(folder, '/'))
		return NULL;
	return folder;
}

/* A user id whose session is not there: its folder is made, so that nobody else
 * begins it meanwhile, and removed with the rest. */
static void look_at_uid(struct reap *r, const char *uid)
{
	lb_autofree char *link = lb_printf("%s/uids/%s", r->p.base, uid);
	lb_autofree char *session = NULL, *workspace = NULL;
	lb_autoclose int used = -1;
	char owner[512];
	const char *folder;
	ssize_t len = readlink(link, owner, sizeof(owner) - 1);
	struct lb_error err;

	owner[len > 0 ? len : 0] = '\0';
	folder = folder_of(r, owner);
	if (!folder)
		return;
	session = lb_printf("%s/%s", r->p.sessions, folder);
	workspace = lb_printf("%s/%s", r->p.workspaces ? r->p.workspaces : "",
			      folder);
	if (access(workspace, F_OK) == 0 || mkdir(session, 0700) < 0)
		return;
	used = lb_box_session_claim(r->p.sessions, folder, folder, &err);
	if (used < 0 || access(workspace, F_OK) == 0)
		return;
	if (lb_box_session_end(&r->p, folder, &err) == 0)
		lb_reap_tell(r, "user", uid);
}

static void end_orphan(void *arg, const char *name)
{
	const struct reap *r = arg;
	lb_autofree char *processes = lb_kept_below(r->p.root);
	lb_autofree char *folder = lb_kept_folder(processes, name);
	struct lb_error err;

	if (lb_kept_stop(folder, 0, &err) == 0)
		lb_reap_tell(r, "orphan", name);
	else if (err.code != LB_NOINPUT) /* it has just ended */
		lb_warn("%s", err.text);
}

/* Their keepers end those whose owner is gone; one that hangs has not. Those
 * that ended are remembered for a while. */
static void sweep_processes(struct reap *r)
{
	lb_autofree char *processes = lb_kept_below(r->p.root);
	int64_t kept_s = lb_config_int(r->config, "box.limits.completed_"
						  "process_retention_sec"),
		most = lb_config_int(r->config,
				     "box.limits.max_completed_processes");
	struct lb_error err;

	if (lb_kept_orphans(processes, end_orphan, r, &err) < 0)
		lb_warn("%s", err.text);
	for (int n = lb_kept_sweep(processes, kept_s * 1000, (long)most); n > 0;
	     n--)
		lb_reap_tell(r, "process", "");
}

static void sweep_copies(const struct reap *r)
{
	lb_autoclose int root = open(r->p.root, O_RDONLY | O_DIRECTORY |
							O_NOFOLLOW | O_CLOEXEC);

	if (root < 0 || flock(root, LOCK_EX | LOCK_NB) < 0)
		return;
	for (int n = lb_box_etc_sweep(root); n > 0; n--)
		lb_reap_tell(r, "copy", "/etc");
}

static void sweep_groups(const struct reap *r)
{
	const char *parent = lb_config_str(r->config, "box.cgroup");
	struct lb_cgroups groups = {.looked = false};

	lb_cgroups_find(&groups, "", parent ? parent : "");
	lb_cgroups_sweep(&groups);
	lb_cgroups_release(&groups);
}

/* Copies of /etc are at the base, for all workspaces. */
void lb_reap_rest(struct reap *r)
{
	lb_reap_each(r, r->p.base, "uids", look_at_uid);
	sweep_processes(r);
	if (r->p.tenant)
		return;
	sweep_copies(r);
	sweep_groups(r);
}
