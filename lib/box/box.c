/* box.c - what all runs of a process share. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/driver.h"
#include "box/place.h"

/* How long control groups have to become empty when we end, ms. */
enum { LAST_MS = 1000 };

struct lb_box *lb_box_open(struct lb_loop *loop, struct lb_config *config,
			   const char *state)
{
	struct lb_box *box = lb_alloc(sizeof(*box));

	/* The first process of a sandbox outlives the one that started it, and
	 * whoever is process 1 here may not wait for what it does not know. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	box->loop = loop;
	box->config = config;
	box->state = lb_strdup(state);
	box->etc = -1;
	return box;
}

void lb_box_close(struct lb_box *box)
{
	int64_t until = lb_clock_mono() + LAST_MS;

	if (!box)
		return;
	while (box->n_ending > 0 && lb_clock_mono() < until)
		lb_loop_turn(box->loop, 10);
	while (box->n_ending > 0)
		lb_box_forget_group(box, box->ending[0]);
	free(box->ending);
	lb_cgroups_release(&box->groups);
	if (box->etc >= 0)
		close(box->etc);
	free(box->etc_path);
	free(box->state);
	free(box);
}

/* What is in /etc inside. Empty texts are where files of this machine are
 * mounted, if it has them. */
static const struct {
	const char *name, *text; /* NULL: a folder */
} etc[] = {
	{"passwd", "root:x:0:0:root:/:/usr/sbin/nologin\n"
		   "user:x:1000:1000:user:/workspace/.home:/bin/sh\n"
		   "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"},
	{"group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
	{"hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
	{"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
	{"ld.so.cache", ""},
	{"localtime", ""},
	{"alternatives", NULL},
	{"ssl", NULL},
	{"ssl/certs", NULL},
	{"fonts", NULL},
};

static int make_entry(int folder, const char *name, const char *text)
{
	lb_autoclose int fd = -1;
	size_t len = text ? strlen(text) : 0;

	if (!text)
		return mkdirat(folder, name, 0755) < 0 ||
				       fchmodat(folder, name, 0755, 0) < 0
			       ? -1
			       : 0;
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0644);
	return fd >= 0 && fchmod(fd, 0644) == 0 &&
			       write(fd, text, len) == (ssize_t)len
		       ? 0
		       : -1;
}

static void remove_entries(const char *path)
{
	lb_autoclose int fd =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (size_t i = sizeof(etc) / sizeof(etc[0]); fd >= 0 && i > 0; i--)
		unlinkat(fd, etc[i - 1].name,
			 etc[i - 1].text ? 0 : AT_REMOVEDIR);
	rmdir(path);
}

static int make_etc(const char *path)
{
	lb_autofree char *new = lb_printf("%s.%ld", path, (long)getpid());
	lb_autoclose int fd = -1;

	remove_entries(new);
	if (mkdir(new, 0755) < 0 || chmod(new, 0755) < 0)
		return -1;
	fd = open(new, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof(etc) / sizeof(etc[0]); i++)
		if (fd < 0 || make_entry(fd, etc[i].name, etc[i].text) < 0)
			return -1;
	if (rename(new, path) == 0)
		return 0;
	/* Another process was faster. */
	remove_entries(new);
	return errno == ENOTEMPTY || errno == EEXIST ? 0 : -1;
}

int lb_box_etc(struct lb_box *box, struct lb_error *err)
{
	lb_autofree char *root = NULL, *made = NULL;

	if (box->etc >= 0)
		return 0;
	made = lb_box_root(box->config, box->state);
	if (lb_path_make(made, err) < 0)
		return -1;
	root = realpath(made, NULL);
	if (!root)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", made);
	free(box->etc_path);
	box->etc_path = lb_printf("%s/etc-1", root);
	box->etc = open(box->etc_path,
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (box->etc < 0 && make_etc(box->etc_path) == 0)
		box->etc = open(box->etc_path,
				O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (box->etc < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'",
				   box->etc_path);
	return 0;
}

/* A control group whose processes are on their way out. */
struct ending {
	struct lb_box *box;
	struct lb_cgroup group;
	struct lb_timer timer;
	int nap;
};

void lb_box_forget_group(struct lb_box *box, struct ending *e)
{
	lb_timer_cancel(box->loop, &e->timer);
	for (size_t i = 0; i < box->n_ending; i++)
		if (box->ending[i] == e)
			box->ending[i] = box->ending[--box->n_ending];
	for (int i = 0; i < e->group.n; i++)
		free(e->group.folders[i]);
	free(e);
}

static void try_again(void *arg)
{
	struct ending *e = arg;

	if (lb_cgroup_end(&e->group)) {
		lb_box_forget_group(e->box, e);
		return;
	}
	e->nap = e->nap < 100 ? e->nap * 2 : e->nap;
	lb_timer_set(e->box->loop, &e->timer, lb_clock_mono() + e->nap,
		     try_again, e);
}

void lb_box_end_group(struct lb_box *box, struct lb_cgroup *take)
{
	struct ending *e;

	if (lb_cgroup_end(take))
		return;
	e = lb_alloc(sizeof(*e));
	*e = (struct ending){.box = box, .group = *take, .nap = 1};
	*take = (struct lb_cgroup){.version = 0};
	box->ending = lb_grow(box->ending,
			      (box->n_ending + 1) * sizeof(struct ending *));
	box->ending[box->n_ending++] = e;
	lb_timer_set(box->loop, &e->timer, lb_clock_mono() + e->nap, try_again,
		     e);
}
