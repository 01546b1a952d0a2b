#include "box/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

enum { FILES_A_MB = 64, LEAST_FILES = 1000 };

static char *below(char *take_parent, const char *name)
{
	char *path;

	if (*name == '/') {
		free(take_parent);
		return lb_strdup(name);
	}
	path = lb_printf("%s/%s", take_parent, name);
	free(take_parent);
	return path;
}

static const char *text_of(struct lb_config *config, const char *key,
			   const char *otherwise)
{
	const char *text = lb_config_str(config, key);

	return text && *text ? text : otherwise;
}

char *lb_box_root(struct lb_config *config, const char *state)
{
	return below(lb_strdup(state),
		     text_of(config, "box.local.host_root", "box"));
}

char *lb_box_workspaces(struct lb_config *config, const char *state)
{
	return below(lb_box_root(config, state),
		     text_of(config, "box.local.default_workspace",
			     "workspaces"));
}

int lb_box_places_find(struct lb_box_places *p, struct lb_config *config,
		       const char *state, struct lb_error *err)
{
	lb_autofree char *root = lb_box_root(config, state);
	lb_autofree char *workspaces = lb_box_workspaces(config, state);
	struct stat st;

	*p = (struct lb_box_places){.root = realpath(root, NULL)};
	if (!p->root || stat(p->root, &st) < 0)
		return 0;
	if (st.st_uid != geteuid())
		return lb_fail(err, LB_DENIED,
			       "the folder of sandboxes '%s' belongs to user "
			       "%lu, not to who runs this",
			       p->root, (unsigned long)st.st_uid);
	p->sessions = lb_printf("%s/sessions", p->root);
	p->workspaces = realpath(workspaces, NULL);
	return 1;
}

void lb_box_places_release(struct lb_box_places *p)
{
	free(p->root);
	free(p->sessions);
	free(p->workspaces);
	*p = (struct lb_box_places){NULL};
}

char *lb_box_skills(struct lb_config *config, const char *state)
{
	const char *set = text_of(config, "box.local.skills_root", NULL);

	return set ? below(lb_box_root(config, state), set)
		   : lb_printf("%s/skills", state);
}

int64_t lb_box_files(struct lb_config *config, int64_t mb)
{
	int64_t files = mb * FILES_A_MB,
		most = lb_config_int(config,
				     "box.limits.max_workspace_entries");

	if (files < LEAST_FILES)
		files = LEAST_FILES;
	return files < most ? files : most;
}

int lb_box_uids(struct lb_config *config, struct lb_box_uids *uids,
		struct lb_error *err)
{
	const char *text = text_of(config, "box.uid-range", "200000-265535");
	unsigned long first, last;
	char more;

	if (sscanf(text, "%lu-%lu%c", &first, &last, &more) != 2 ||
	    first < 1000 || last <= first || last > 4000000000UL)
		return lb_fail(err, LB_CONFIG,
			       "box.uid-range '%s' is not FIRST-LAST, user ids "
			       "from 1000 on",
			       text);
	*uids = (struct lb_box_uids){(uid_t)first, (uid_t)last};
	return 0;
}

/* Where to begin to look: the same for the same session. */
static unsigned long hash(const char *text)
{
	unsigned long h = 5381;

	for (; *text; text++)
		h = h * 33 + (unsigned char)*text;
	return h;
}

/* A link by the number's name says whose it is: made whole or not at all. */
uid_t lb_box_uid(const struct lb_box_uids *uids, const char *root,
		 const char *folder, struct lb_error *err)
{
	lb_autofree char *all = lb_printf("%s/uids", root);
	unsigned long n = uids->last - uids->first, at = hash(folder) % n;
	char owner[512];

	if (lb_path_make(all, err) < 0)
		return 0;
	for (unsigned long i = 0; i < n; i++) {
		uid_t uid = uids->first + 1 + (uid_t)((at + i) % n);
		lb_autofree char *path =
			lb_printf("%s/%lu", all, (unsigned long)uid);
		ssize_t len;

		if (symlink(folder, path) == 0)
			return uid;
		if (errno != EEXIST) {
			lb_fail_sys(err, LB_IO, "cannot make '%s'", path);
			return 0;
		}
		len = readlink(path, owner, sizeof(owner) - 1);
		if (len > 0 && (size_t)len == strlen(folder) &&
		    memcmp(owner, folder, (size_t)len) == 0)
			return uid;
	}
	lb_fail(err, LB_UNAVAILABLE,
		"all user ids of box.uid-range are taken; remove sessions or "
		"make it wider");
	return 0;
}

void lb_box_uid_free(const char *root, const char *folder)
{
	lb_autofree char *all = lb_printf("%s/uids", root);
	DIR *dir = opendir(all);
	const struct dirent *one;
	char owner[512];

	while (dir && (one = readdir(dir)) != NULL) {
		ssize_t len = readlinkat(dirfd(dir), one->d_name, owner,
					 sizeof(owner) - 1);

		if (len > 0 && (size_t)len == strlen(folder) &&
		    memcmp(owner, folder, (size_t)len) == 0)
			unlinkat(dirfd(dir), one->d_name, 0);
	}
	if (dir)
		closedir(dir);
}
