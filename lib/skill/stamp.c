#include "skill/stamp.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fs/walk.h"
#include "skill/sum.h"

/* Names may come in any order, so what is known of each is added up. */
struct sum {
	uint64_t n, mixed;
};

static uint64_t mix(uint64_t h, const void *at, size_t len)
{
	const unsigned char *b = at;

	for (size_t i = 0; i < len; i++)
		h = (h ^ b[i]) * 0x100000001b3;
	return h;
}

static void add_file(struct sum *s, int folder, const char *file,
		     const char *name, uint64_t seed)
{
	uint64_t h = mix(0xcbf29ce484222325 ^ seed, name, strlen(name));
	struct stat st;

	if (fstatat(folder, file, &st, 0) == 0) {
		h = mix(h, &st.st_ino, sizeof(st.st_ino));
		h = mix(h, &st.st_size, sizeof(st.st_size));
		h = mix(h, &st.st_mtim, sizeof(st.st_mtim));
		h = mix(h, &st.st_ctim, sizeof(st.st_ctim));
	}
	s->n++;
	s->mixed += h;
}

static void add(struct sum *s, int root, const char *name, uint64_t seed)
{
	lb_autofree char *path = lb_printf("%s/SKILL.md", name);

	add_file(s, root, path, name, seed);
}

static void add_root(struct sum *s, const char *path, uint64_t seed)
{
	DIR *dir = opendir(path);
	const struct dirent *e;

	while (dir && s->n < 4 * LB_SHELF_SKILLS && (e = readdir(dir)))
		if (*e->d_name != '.' && e->d_type != DT_REG)
			add(s, dirfd(dir), e->d_name, seed);
	if (dir)
		closedir(dir);
}

static void put(const struct sum *s, char stamp[72])
{
	lb_autofree char *text =
		lb_printf("%016llx-%016llx", (unsigned long long)s->n,
			  (unsigned long long)s->mixed);

	memcpy(stamp, text, strlen(text) + 1);
}

void lb_shelf_stamp(const struct lb_shelf *shelf, char stamp[72])
{
	struct sum s = {0};

	for (size_t i = 0; i < shelf->n_roots; i++)
		add_root(&s, shelf->roots[i], i);
	put(&s, stamp);
}

int lb_shelved_stamp(const struct lb_shelved *one, char stamp[72],
		     struct lb_error *err)
{
	const struct lb_walk_options options = {
		.max_entries = LB_PACK_ENTRIES,
		.paths = true,
	};
	lb_autoclose int folder = lb_shelved_open(one, err);
	struct sum s = {0};
	struct lb_walk_entry e;
	struct lb_walk *walk;

	if (folder < 0)
		return -1;
	walk = lb_walk_open(folder, &options, err);
	if (!walk)
		return -1;
	while (lb_walk_next(walk, &e) > 0)
		if (e.type == DT_DIR)
			lb_walk_enter(walk);
		else
			add_file(&s, e.folder, e.name, e.path, 0);
	lb_walk_close(walk);
	put(&s, stamp);
	return 0;
}
