/* cgroup-find.c - where a group can be made. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/cgroup.h"

static const char *const names[LB_CGROUP_KINDS] = {"memory", "pids", "cpu",
						   "cpuacct"};

/* Is `word` in a list with commas or blanks? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; *at; at += strcspn(at, ", \n")) {
		at += strspn(at, ", \n");
		if (strncmp(at, word, len) == 0 &&
		    strchr(", \n", at[len]) != NULL)
			return true;
	}
	return false;
}

/* What the kernel says of us, each read once. */
struct us {
	const char *root; /* put before every path */
	char *cgroup;     /* those files of /proc/self; owned */
	char *mountinfo;  /* NULL: not needed yet */
};

enum { MOST_PROC = 4 * 1024 * 1024 };

static char *read_proc(const char *root, const char *name)
{
	lb_autofree char *path = lb_printf("%s/proc/self/%s", root, name);
	lb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 16 * 1024, len = 0;
	char *text = lb_alloc_raw(size);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && size <= MOST_PROC) {
		if (len + 1 == size)
			text = lb_grow(text, size *= 2);
		got = read(fd, text + len, size - len - 1);
		len += got > 0 ? (size_t)got : 0;
	}
	text[len] = '\0';
	return text;
}

/* The next line of a text, copied; false: there is none. A longer one is
 * passed over. */
static bool next_line(const char **text, char *line, size_t size)
{
	while (**text) {
		size_t len = strcspn(*text, "\n");
		const char *at = *text;

		*text += len + (at[len] == '\n');
		if (len >= size)
			continue;
		memcpy(line, at, len);
		line[len] = '\0';
		return true;
	}
	return false;
}

/* Our own group in the hierarchy with that controller ("": version 2). */
static char *own_group(const struct us *us, const char *controller)
{
	const char *text = us->cgroup;
	char line[4096], *found = NULL;

	while (!found && next_line(&text, line, sizeof(line))) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		if (*controller ? has_word(list + 1, controller) : !list[1])
			found = lb_strdup(path);
	}
	return found;
}

/* The fields of a line of mountinfo, proc(5). */
struct mounted {
	char *root, *point, *type, *options;
};

static bool split(char *line, struct mounted *m)
{
	char *at = line, *rest = strstr(line, " - "), *save = NULL;
	char *fields[5] = {NULL};

	if (!rest)
		return false;
	*rest = '\0';
	for (int i = 0; i < 5; i++, at = NULL)
		fields[i] = strtok_r(at, " ", &save);
	m->root = fields[3];
	m->point = fields[4];
	save = NULL;
	m->type = strtok_r(rest + 3, " ", &save);
	strtok_r(NULL, " ", &save);
	m->options = strtok_r(NULL, " \n", &save);
	return m->point && m->options;
}

/*
 * Where every system has it: reading mountinfo takes as long as all else here.
 * A name below a mount of another root (a container's) is not there.
 */
static char *usual_folder(const struct us *us, const char *controller,
			  const char *own)
{
	char *path = lb_printf("%s/sys/fs/cgroup%s%s%s", us->root,
			       *controller ? "/" : "", controller,
			       strcmp(own, "/") == 0 ? "" : own);
	struct statfs fs;

	if (statfs(path, &fs) == 0 &&
	    fs.f_type ==
		    (*controller ? CGROUP_SUPER_MAGIC : CGROUP2_SUPER_MAGIC))
		return path;
	free(path);
	return NULL;
}

/* Where that hierarchy is mounted, with our group in it; NULL: nowhere. */
static char *folder_of(struct us *us, const char *controller)
{
	lb_autofree char *own = own_group(us, controller);
	char line[8192], *found = NULL;
	const char *text;
	struct mounted m;

	if (!own || (found = usual_folder(us, controller, own)) != NULL)
		return found;
	if (!us->mountinfo)
		us->mountinfo = read_proc(us->root, "mountinfo");
	text = us->mountinfo;
	while (!found && next_line(&text, line, sizeof(line))) {
		const char *inner = own;
		size_t len;

		if (!split(line, &m) ||
		    strcmp(m.type, *controller ? "cgroup" : "cgroup2") != 0 ||
		    (*controller && !has_word(m.options, controller)))
			continue;
		len = strcmp(m.root, "/") == 0 ? 0 : strlen(m.root);
		if (strncmp(own, m.root, len) == 0 &&
		    (own[len] == '/' || !own[len]))
			inner = own + len;
		found = lb_printf("%s%s%s", us->root, m.point,
				  strcmp(inner, "/") == 0 ? "" : inner);
	}
	return found;
}

/* A group below `own`: the operator's, which is made where it is missing. */
static char *below(char *take, const char *parent)
{
	char *path;

	if (!take || !*parent)
		return take;
	path = lb_printf("%s/%s", take, parent + (*parent == '/'));
	free(take);
	mkdir(path, 0755);
	return path;
}

static int read_text(const char *folder, const char *file, char *text,
		     size_t size)
{
	lb_autofree char *path = lb_printf("%s/%s", folder, file);
	lb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	text[got < 0 ? 0 : got] = '\0';
	return got < 0 ? -1 : 0;
}

/* Version 2: groups below `folder` get the controllers. */
static bool hands_down(const char *folder)
{
	lb_autofree char *path = lb_printf("%s/cgroup.subtree_control", folder);
	lb_autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);
	static const char ask[] = "+memory +pids +cpu";
	char text[1024];
	bool all = true;

	for (int turn = 0; turn < 2; turn++) {
		if (read_text(folder, "cgroup.subtree_control", text,
			      sizeof(text)) < 0)
			return false;
		all = true;
		for (int i = 0; i <= LB_CGROUP_CPU; i++)
			all = all && has_word(text, names[i]);
		if (all || fd < 0 || turn > 0)
			break;
		if (write(fd, ask, sizeof(ask) - 1) < 0)
			return false;
	}
	return all;
}

/* By one name, or by one that is a link to the other's. */
static bool is_same(const char *one, const char *other)
{
	struct stat a, b;

	return strcmp(one, other) == 0 ||
	       (stat(one, &a) == 0 && stat(other, &b) == 0 &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static void find_v1(struct lb_cgroups *g, struct us *us, const char *parent)
{
	for (int i = 0; i < LB_CGROUP_KINDS; i++) {
		g->below[i] = below(folder_of(us, names[i]), parent);
		if (!g->below[i] && i != LB_CGROUP_CPUACCT) {
			lb_fail(&g->why, LB_OS,
				"no control group for '%s' is mounted",
				names[i]);
			return;
		}
	}
	g->version = 1;
	if (g->below[LB_CGROUP_CPUACCT] &&
	    is_same(g->below[LB_CGROUP_CPUACCT], g->below[LB_CGROUP_CPU]))
		free(lb_steal(&g->below[LB_CGROUP_CPUACCT]));
}

/*
 * Version 2: a group with processes hands nothing down, so ours does not serve
 * unless it is the root; root makes one of its own beside the system's.
 */
static void find_v2(struct lb_cgroups *g, struct us *us, const char *parent)
{
	char *own = folder_of(us, "");

	if (!own)
		return;
	if (*parent || geteuid() != 0) {
		own = below(own, parent);
	} else {
		lb_autofree char *path = own_group(us, "");
		size_t len = strlen(own) -
			     (strcmp(path, "/") == 0 ? 0 : strlen(path));

		own[len] = '\0';
		if (hands_down(own))
			own = below(own, "lb");
	}
	g->below[0] = own;
	if (!hands_down(own))
		lb_fail(&g->why, LB_OS,
			"the control group '%s' does not hand down memory, "
			"pids and cpu",
			own);
	else
		g->version = 2;
}

void lb_cgroups_release(struct lb_cgroups *g)
{
	for (int i = 0; i < LB_CGROUP_KINDS; i++)
		free(g->below[i]);
	*g = (struct lb_cgroups){.looked = false};
}

void lb_cgroups_find(struct lb_cgroups *g, const char *root, const char *parent)
{
	struct us us = {root, read_proc(root, "cgroup"), NULL};
	lb_autofree char *first = own_group(&us, names[LB_CGROUP_MEMORY]);

	lb_cgroups_release(g);
	lb_fail(&g->why, LB_OS, "no control groups are mounted");
	if (first)
		find_v1(g, &us, parent);
	else
		find_v2(g, &us, parent);
	g->looked = true;
	free(us.cgroup);
	free(us.mountinfo);
}

/* How many folders groups are made below; some may be NULL. */
static int kinds(const struct lb_cgroups *g)
{
	return g->version == 1 ? LB_CGROUP_KINDS : g->version / 2;
}

void lb_cgroups_try(struct lb_cgroups *g)
{
	for (int i = 0; i < kinds(g) && i <= LB_CGROUP_CPU; i++) {
		lb_autofree char *name = lb_cgroup_name(0);
		lb_autofree char *path = lb_printf("%s/%s", g->below[i], name);

		if (mkdir(path, 0755) < 0) {
			lb_fail_sys(&g->why, LB_OS,
				    "cannot make a control group below '%s'",
				    g->below[i]);
			g->version = 0;
		}
		rmdir(path);
	}
}

static void end_left_over(const struct lb_cgroups *g, const char *name)
{
	struct lb_cgroup left = {.version = g->version};

	for (int i = 0; i < kinds(g); i++) {
		if (!g->below[i])
			continue;
		left.folders[left.n] = lb_printf("%s/%s", g->below[i], name);
		left.joins[left.n++] = -1;
	}
	lb_cgroup_end(&left);
	while (left.n > 0)
		free(left.folders[--left.n]);
}

void lb_cgroups_sweep(const struct lb_cgroups *g)
{
	DIR *dir = kinds(g) > 0 ? opendir(g->below[0]) : NULL;
	const struct dirent *one;

	while (dir && (one = readdir(dir)) != NULL)
		if (lb_cgroup_is_left_over(one->d_name))
			end_left_over(g, one->d_name);
	if (dir)
		closedir(dir);
}
