/* tree-size.c - counting, with one descriptor a level while there are some. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fs/tree.h"

enum {
	DEEPEST = 256, /* levels; what is below them is not ours to make */
};

struct count {
	struct lb_tree_size *size;
	int64_t max_bytes, max_files;
	dev_t dev;
};

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void add(struct count *c, const struct stat *st)
{
	c->size->bytes += (int64_t)st->st_blocks * 512;
	c->size->files++;
	c->size->more = c->size->bytes > c->max_bytes ||
			c->size->files > c->max_files;
}

static DIR *open_folder(int parent, const char *name)
{
	int fd = openat(parent, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

void lb_tree_size(int folder, int64_t max_bytes, int64_t max_files,
		  struct lb_tree_size *size)
{
	struct count c = {size, max_bytes, max_files, 0};
	lb_autofree DIR **at = lb_alloc(DEEPEST * sizeof(DIR *));
	int depth = 0;
	struct stat st;

	*size = (struct lb_tree_size){0};
	at[0] = open_folder(folder, ".");
	if (!at[0] || fstat(dirfd(at[0]), &st) < 0)
		return;
	c.dev = st.st_dev;
	while (depth >= 0) {
		const struct dirent *one = size->more ? NULL
						      : readdir(at[depth]);

		if (!one) {
			closedir(at[depth--]);
			continue;
		}
		if (is_dots(one->d_name) ||
		    fstatat(dirfd(at[depth]), one->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		add(&c, &st);
		if (!S_ISDIR(st.st_mode) || st.st_dev != c.dev)
			continue;
		/* Too deep to be counted is too much. */
		if (depth + 1 == DEEPEST) {
			size->more = true;
			continue;
		}
		at[depth + 1] = open_folder(dirfd(at[depth]), one->d_name);
		depth += at[depth + 1] != NULL;
	}
}
