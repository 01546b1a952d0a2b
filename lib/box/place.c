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
#include "box/key.h"

#define TENANTS "tenants"

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

char *lb_box_base(struct lb_config *config, const char *state)
{
	return below(lb_strdup(state),
		     text_of(config, "box.local.host_root", "box"));
}

char *lb_box_tenant(const struct lb_config *config)
{
	const char *name = lb_config_str(config, "box.workspace");

	return name && *name ? lb_box_folder(name) : NULL;
}

/* Names are short enough that none of them is cut. */
char *lb_box_tenant_name(const char *tenant)
{
	char *name = lb_strdup(tenant), *out = name;
	unsigned byte;

	for (const char *c = tenant; *c; c++) {
		if (*c == '%' && sscanf(c + 1, "%2x", &byte) == 1) {
			*out++ = (char)byte;
			c += 2;
		} else {
			*out++ = *c;
		}
	}
	*out = '\0';
	return name;
}

static char *root_of(struct lb_config *config, const char *state,
		     const char *tenant)
{
	lb_autofree char *base = lb_box_base(config, state);

	return tenant ? lb_printf("%s/" TENANTS "/%s", base, tenant)
		      : lb_steal(&base);
}

static char *workspaces_of(struct lb_config *config, const char *state,
			   const char *tenant)
{
	const char *set =
		text_of(config, "box.local.default_workspace", "workspaces");

	if (tenant && *set == '/')
		return lb_printf("%s/." TENANTS "/%s", set, tenant);
	return below(root_of(config, state, tenant), set);
}

char *lb_box_root(struct lb_config *config, const char *state)
{
	lb_autofree char *tenant = lb_box_tenant(config);

	return root_of(config, state, tenant);
}

char *lb_box_workspaces(struct lb_config *config, const char *state)
{
	lb_autofree char *tenant = lb_box_tenant(config);

	return workspaces_of(config, state, tenant);
}

void lb_box_tenants(struct lb_config *config, const char *state,
		    void (*fn)(void *arg, const char *tenant), void *arg)
{
	lb_autofree char *base = lb_box_base(config, state);
	lb_autofree char *all = lb_printf("%s/" TENANTS, base);
	DIR *dir = opendir(all);
	const struct dirent *one;

	while (dir && (one = readdir(dir)) != NULL)
		if (one->d_name[0] != '.')
			fn(arg, one->d_name);
	if (dir)
		closedir(dir);
}

/* Somebody else's would be what he makes of it. */
static int check_owner(const char *folder, struct lb_error *err)
{
	struct stat st;

	if (stat(folder, &st) < 0 || st.st_uid == geteuid())
		return 0;
	return lb_fail(err, LB_DENIED,
		       "the folder of sandboxes '%s' belongs to user %lu, not "
		       "to who runs this",
		       folder, (unsigned long)st.st_uid);
}

int lb_box_places_of(struct lb_box_places *p, struct lb_config *config,
		     const char *state, const char *tenant,
		     struct lb_error *err)
{
	lb_autofree char *base = lb_box_base(config, state);
	lb_autofree char *root = root_of(config, state, tenant);
	lb_autofree char *workspaces = workspaces_of(config, state, tenant);

	*p = (struct lb_box_places){.base = realpath(base, NULL),
				    .root = realpath(root, NULL),
				    .config = config};
	if (!p->base || !p->root)
		return 0;
	if (check_owner(p->base, err) < 0 || check_owner(p->root, err) < 0)
		return -1;
	p->sessions = lb_printf("%s/sessions", p->root);
	p->workspaces = realpath(workspaces, NULL);
	p->tenant = tenant ? lb_strdup(tenant) : NULL;
	return 1;
}

int lb_box_places_find(struct lb_box_places *p, struct lb_config *config,
		       const char *state, struct lb_error *err)
{
	lb_autofree char *tenant = lb_box_tenant(config);

	return lb_box_places_of(p, config, state, tenant, err);
}

void lb_box_places_release(struct lb_box_places *p)
{
	free(p->base);
	free(p->root);
	free(p->sessions);
	free(p->workspaces);
	free(p->tenant);
	*p = (struct lb_box_places){NULL};
}

char *lb_box_skills(struct lb_config *config, const char *state)
{
	const char *set = text_of(config, "box.local.skills_root", NULL);

	return set ? below(lb_box_base(config, state), set)
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

/* Neither part has a '/' in it. */
char *lb_box_uid_owner(const char *tenant, const char *folder)
{
	return tenant ? lb_printf("%s/%s", tenant, folder) : lb_strdup(folder);
}

/* A link by the number's name says whose it is: made whole or not at all. */
uid_t lb_box_uid(const struct lb_box_uids *uids, const char *base,
		 const char *owner, struct lb_error *err)
{
	lb_autofree char *all = lb_printf("%s/uids", base);
	unsigned long n = uids->last - uids->first, at = hash(owner) % n;
	char has[512];

	if (lb_path_make(all, err) < 0)
		return 0;
	for (unsigned long i = 0; i < n; i++) {
		uid_t uid = uids->first + 1 + (uid_t)((at + i) % n);
		lb_autofree char *path =
			lb_printf("%s/%lu", all, (unsigned long)uid);
		ssize_t len;

		if (symlink(owner, path) == 0)
			return uid;
		if (errno != EEXIST) {
			lb_fail_sys(err, LB_IO, "cannot make '%s'", path);
			return 0;
		}
		len = readlink(path, has, sizeof(has) - 1);
		if (len > 0 && (size_t)len == strlen(owner) &&
		    memcmp(has, owner, (size_t)len) == 0)
			return uid;
	}
	lb_fail(err, LB_UNAVAILABLE,
		"all user ids of box.uid-range are taken; remove sessions or "
		"make it wider");
	return 0;
}

void lb_box_uid_free(const char *base, const char *owner)
{
	lb_autofree char *all = lb_printf("%s/uids", base);
	DIR *dir = opendir(all);
	const struct dirent *one;
	char has[512];

	while (dir && (one = readdir(dir)) != NULL) {
		ssize_t len = readlinkat(dirfd(dir), one->d_name, has,
					 sizeof(has) - 1);

		if (len > 0 && (size_t)len == strlen(owner) &&
		    memcmp(has, owner, (size_t)len) == 0)
			unlinkat(dirfd(dir), one->d_name, 0);
	}
	if (dir)
		closedir(dir);
}
