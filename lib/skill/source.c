#include "skill/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

const char *lb_got_keep(struct lb_got *got, char *take)
{
	got->texts[got->n_texts++] = take;
	return take;
}

void lb_got_release(struct lb_got *got)
{
	lb_pack_release(&got->pack);
	for (size_t i = 0; i < got->n_texts; i++)
		free(got->texts[i]);
	*got = (struct lb_got){0};
}

/* "demo" of "/tmp/demo.tar.gz". */
static char *stem_of(const char *path)
{
	static const char *const ends[] = {".zip", ".skill", ".tar",
					   ".tgz", ".tbz2",  ".gz",
					   ".bz2", ".zst",   NULL};
	const char *slash = strrchr(path, '/');
	char *stem = lb_strdup(slash ? slash + 1 : path);
	bool cut = true;

	while (cut) {
		cut = false;
		for (int i = 0; ends[i] && !cut; i++) {
			size_t len = strlen(stem), n = strlen(ends[i]);

			cut = len > n && strcmp(stem + len - n, ends[i]) == 0;
			if (cut)
				stem[len - n] = '\0';
		}
	}
	return stem;
}

int lb_source_bytes(struct lb_got *got, const char *name, const char *bytes,
		    size_t len, struct lb_error *err)
{
	got->from.name = lb_got_keep(got, stem_of(name));
	if (lb_pack_archive(&got->pack, bytes, len, false, err) < 0)
		return lb_error_wrap(err, "%.200s", name);
	return 0;
}

static int get_folder(struct lb_got *got, const char *path,
		      struct lb_error *err)
{
	lb_autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *slash = strrchr(path, '/');

	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'", path);
	got->origin.by_folder = true;
	got->from.name = slash && slash[1] ? slash + 1 : path;
	got->from.is_folder = true;
	if (lb_pack_folder(&got->pack, fd, err) < 0)
		return lb_error_wrap(err, "%.200s", path);
	return 0;
}

static int get_file(struct lb_got *got, const char *path, struct lb_error *err)
{
	lb_autofree char *bytes = NULL;
	size_t len;

	if (lb_path_read(path, LB_PACK_ARCHIVE, &bytes, &len, err) < 0)
		return -1;
	return lb_source_bytes(got, path, bytes, len, err);
}

/* The SKILL.md of a folder stands for the folder. */
static void up_from_file(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash && slash != path &&
	    (strcmp(slash + 1, "SKILL.md") == 0 ||
	     strcmp(slash + 1, "skill.md") == 0))
		*slash = '\0';
}

int lb_source_get(struct lb_got *got, const char *name, struct lb_error *err)
{
	char *path = realpath(name, NULL);
	struct stat st;

	if (!path)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   name);
	up_from_file(path);
	got->origin.source = lb_got_keep(got, path);
	if (stat(path, &st) < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   name);
	if (S_ISDIR(st.st_mode))
		return get_folder(got, path, err);
	return get_file(got, path, err);
}
