#include "skill/stamp.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
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

static void add(struct sum *s, int root, const char *name, uint64_t seed)
{
	lb_autofree char *path = lb_printf("%s/SKILL.md", name);
	uint64_t h = mix(0xcbf29ce484222325 ^ seed, name, strlen(name));
	struct stat st;

	if (fstatat(root, path, &st, 0) == 0) {
		h = mix(h, &st.st_ino, sizeof(st.st_ino));
		h = mix(h, &st.st_size, sizeof(st.st_size));
		h = mix(h, &st.st_mtim, sizeof(st.st_mtim));
		h = mix(h, &st.st_ctim, sizeof(st.st_ctim));
	}
	s->n++;
	s->mixed += h;
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

void lb_shelf_stamp(const struct lb_shelf *shelf, char stamp[72])
{
	struct sum s = {0};
	lb_autofree char *text = NULL;

	for (size_t i = 0; i < shelf->n_roots; i++)
		add_root(&s, shelf->roots[i], i);
	text = lb_printf("%016llx-%016llx", (unsigned long long)s.n,
			 (unsigned long long)s.mixed);
	memcpy(stamp, text, strlen(text) + 1);
}
