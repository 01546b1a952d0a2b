#include "box/mounts-never.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "box/spec.h"
#include "config/config.h"

enum {
	MAX_PEOPLE = 10000, /* lines of /etc/passwd that are looked at */
	FIRST_PERSON = 1000,
	NOBODY = 65534,
};

/* These and all below them. */
static const char *const system_folders[] =
	{"/etc",     "/proc",      "/sys",       "/dev",      "/boot",
	 "/run",     "/var/run",   "/usr",       "/bin",      "/sbin",
	 "/lib",     "/lib32",     "/lib64",     "/libx32",   "/var/lib",
	 "/var/log", "/var/spool", "/var/cache", "/var/mail", "/var/backups",
	 "/snap",    NULL};

/* What whoever can connect to has the machine by. */
static const char *const sockets[] = {"docker.sock",
				      "podman.sock",
				      "podman/podman.sock",
				      "containerd.sock",
				      "crio.sock",
				      "containerd/containerd.sock",
				      "crio/crio.sock",
				      "buildkitd.sock",
				      "docker/docker.sock",
				      "libvirt-sock",
				      "libvirt/libvirt-sock",
				      NULL};

static int is_above(const char *what, struct lb_error *err)
{
	return lb_fail(err, LB_DENIED,
		       "'%.100s' is in it, which is never mounted; name the "
		       "folder in it that is needed",
		       what);
}

static int check_system(const char *path, struct lb_error *err)
{
	if (strcmp(path, "/") == 0)
		return lb_fail(err, LB_DENIED,
			       "it is the whole machine, and never mounted; "
			       "name the folder that is needed");
	for (size_t i = 0; system_folders[i]; i++) {
		if (lb_box_is_below(path, system_folders[i]))
			return lb_fail(err, LB_DENIED,
				       "%s is the system's, and never mounted; "
				       "copy what is needed into a folder of "
				       "your own",
				       system_folders[i]);
		if (lb_box_is_below(system_folders[i], path))
			return is_above(system_folders[i], err);
	}
	return 0;
}

static int check_home(const char *path, const char *home, struct lb_error *err)
{
	if (strcmp(home, "/") == 0 || *home != '/' ||
	    !lb_box_is_below(home, path))
		return 0;
	if (strcmp(path, home) != 0)
		return is_above(home, err);
	return lb_fail(err, LB_DENIED,
		       "it is a home folder, with keys and histories in it, "
		       "and never mounted whole; name a folder in it");
}

/* Homes as the system lists them; no name service is asked, which may be slow
 * and far away. */
static int check_people(const char *path, struct lb_error *err)
{
	FILE *list = fopen("/etc/passwd", "re");
	const struct passwd *one;
	int bad = 0;

	for (int i = 0; list && !bad && i < MAX_PEOPLE; i++) {
		one = fgetpwent(list);
		if (!one)
			break;
		if (one->pw_uid == 0 ||
		    (one->pw_uid >= FIRST_PERSON && one->pw_uid != NOBODY))
			bad = check_home(path, one->pw_dir, err);
	}
	if (list)
		fclose(list);
	return bad;
}

static int check_homes(const char *path, struct lb_error *err)
{
	const char *set = lb_config_env("HOME");
	lb_autofree char *home = set ? realpath(set, NULL) : NULL;

	if (check_home(path, "/root", err) < 0 ||
	    check_home(path, "/home", err) < 0 ||
	    (home && check_home(path, home, err) < 0))
		return -1;
	/* a home by its place, of whoever it is */
	if (strncmp(path, "/home/", 6) == 0 && !strchr(path + 6, '/'))
		return check_home(path, path, err);
	return check_people(path, err);
}

static int check_sockets(const char *path, struct lb_error *err)
{
	for (size_t i = 0; sockets[i]; i++) {
		lb_autofree char *one = lb_printf("%s/%s", path, sockets[i]);
		struct stat st;

		if (stat(one, &st) == 0 && S_ISSOCK(st.st_mode))
			return lb_fail(err, LB_DENIED,
				       "whoever reaches %s in it has this "
				       "machine; move what is needed to "
				       "another folder",
				       sockets[i]);
	}
	return 0;
}

static int check_ours(const struct lb_box_ours *ours, const char *path,
		      struct lb_error *err)
{
	const char *const kept[] = {ours->state, ours->root, ours->workspaces,
				    ours->skills};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (lb_box_is_below(path, kept[i]))
			return lb_fail(err, LB_DENIED,
				       "lb keeps it for itself; of its own "
				       "folders only workspaces and skills are "
				       "mounted");
		if (lb_box_is_below(kept[i], path))
			return is_above(kept[i], err);
	}
	return 0;
}

int lb_box_never(const struct lb_box_ours *ours, const char *path,
		 struct lb_error *err)
{
	if (check_system(path, err) < 0 || check_homes(path, err) < 0 ||
	    check_ours(ours, path, err) < 0)
		return -1;
	return check_sockets(path, err);
}
