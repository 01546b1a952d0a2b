#include "fs/expire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

struct file {
	char *name; /* "ab/cdef.jpg" */
	int64_t time, size;
};

struct files {
	struct file *at;
	size_t n, size;
};

static void add(struct files *all, char *take, const struct stat *st)
{
	if (all->n == all->size) {
		all->size = all->size * 2 + 64;
		all->at = lb_grow(all->at, all->size * sizeof(*all->at));
	}
	all->at[all->n++] = (struct file){
		take,
		(int64_t)st->st_mtim.tv_sec * 1000 +
			st->st_mtim.tv_nsec / 1000000,
		st->st_size,
	};
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The regular files of a folder; where `deep`, of those in it, too. */
static int list(struct files *all, int at, const char *within, bool deep)
{
	int fd = openat(at, within,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	struct stat st;

	if (!dir)
		return -1;
	while ((e = readdir(dir))) {
		if (is_dots(e->d_name) ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode))
			add(all,
			    deep ? lb_strdup(e->d_name)
				 : lb_printf("%s/%s", within, e->d_name),
			    &st);
		else if (S_ISDIR(st.st_mode) && deep)
			list(all, fd, e->d_name, false);
	}
	closedir(dir);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Its folder goes, too, when it was the last. */
static void remove_file(int fd, const struct file *f)
{
	char *slash;

	if (unlinkat(fd, f->name, 0) < 0)
		return;
	slash = strchr(f->name, '/');
	if (!slash)
		return;
	*slash = '\0';
	unlinkat(fd, f->name, AT_REMOVEDIR);
	*slash = '/';
}

int lb_fs_expire(const char *folder, int64_t before_ms, int64_t max_bytes,
		 struct lb_expired *expired, struct lb_error *err)
{
	lb_autoclose int fd =
		open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct files all = {0};
	int64_t left = 0;

	*expired = (struct lb_expired){0};
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || list(&all, fd, ".", true) < 0)
		return lb_fail_sys(err, LB_IO, "cannot read '%s'", folder);
	qsort(all.at, all.n, sizeof(*all.at), by_time);
	for (size_t i = 0; i < all.n; i++)
		left += all.at[i].size;
	for (size_t i = 0; i < all.n; i++) {
		const struct file *f = &all.at[i];

		if (f->time < before_ms || left > max_bytes) {
			remove_file(fd, f);
			left -= f->size;
			expired->files++;
			expired->bytes += f->size;
		}
		free(f->name);
	}
	free(all.at);
	return 0;
}
