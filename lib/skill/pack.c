#include "skill/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

void lb_pack_release(struct lb_pack *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->files[i].path);
		free(p->files[i].data);
	}
	for (size_t i = 0; i < p->n_odd; i++)
		free(p->odd[i].path);
	free(p->files);
	free(p->odd);
	lb_map_release(&p->names, NULL);
	*p = (struct lb_pack){0};
}

static const char *name_why(const char *name, size_t len)
{
	if (len == 0)
		return "has no name";
	if (len > LB_PACK_PATH)
		return "has too long a name";
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return "has control characters in its name";
	if (!lb_utf8_valid(name, len))
		return "has a name that is not UTF-8";
	if (name[0] == '/' || name[0] == '\\')
		return "has an absolute name";
	if (len > 1 && name[1] == ':' &&
	    ((name[0] | 0x20) >= 'a' && (name[0] | 0x20) <= 'z'))
		return "has a drive letter in its name";
	return NULL;
}

static const char *part_why(const char *part, size_t len, size_t depth)
{
	if (len == 2 && memcmp(part, "..", 2) == 0)
		return "leads out of its folder";
	if (len > LB_PACK_NAME)
		return "has too long a name";
	if (depth >= LB_PACK_DEPTH)
		return "is too deep";
	return NULL;
}

char *lb_pack_path(const char *name, size_t len, struct lb_error *err)
{
	lb_autofree char *path = lb_alloc(len + 1);
	const char *why = name_why(name, len);
	size_t to = 0, depth = 0;

	for (size_t at = 0, n; !why && at < len; at += n + 1) {
		for (n = 0; at + n < len && name[at + n] != '/' &&
			    name[at + n] != '\\';)
			n++;
		if (n == 0 || (n == 1 && name[at] == '.'))
			continue;
		why = part_why(name + at, n, depth++);
		if (to > 0)
			path[to++] = '/';
		memcpy(path + to, name + at, n);
		to += n;
	}
	if (why) {
		lb_autobuf struct lb_buf shown = {0};

		lb_utf8_clean(&shown, name, len < 120 ? len : 120);
		lb_fail(err, LB_DATA, "entry '%s' %s", lb_buf_str(&shown), why);
		return NULL;
	}
	path[to] = '\0';
	return lb_steal(&path);
}

bool lb_pack_is_junk(const char *path)
{
	static const char *const names[] = {".DS_Store", "Thumbs.db",
					    "desktop.ini", NULL};
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	if (strncmp(path, "__MACOSX/", 9) == 0 ||
	    strcmp(path, "__MACOSX") == 0 || strncmp(name, "._", 2) == 0 ||
	    strstr(path, "/__MACOSX/"))
		return true;
	for (int i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* In small letters, as file systems of some machines compare. */
static char *lowered(const char *path)
{
	char *low = lb_strdup(path);

	for (char *c = low; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return low;
}

static int count_entry(struct lb_pack *p, struct lb_error *err)
{
	if (++p->entries > LB_PACK_ENTRIES)
		return lb_fail(err, LB_DATA, "it has more than %d entries",
			       LB_PACK_ENTRIES);
	return 0;
}

static char file_mark, folder_mark;

/* Folders may be named again and again; what else has a name, once. */
static int claim(struct lb_pack *p, const char *path, char *mark,
		 struct lb_error *err)
{
	lb_autofree char *low = lowered(path);
	const char *there = lb_map_find(&p->names, low);

	if (there && there == mark && mark == &folder_mark)
		return 0;
	if (there)
		return lb_fail(err, LB_DATA,
			       "entry '%.200s' is there twice, or another "
			       "differs from it in case alone",
			       path);
	lb_map_add(&p->names, low, mark);
	return 0;
}

static void *room(void *at, size_t n, size_t size)
{
	return (n & (n - 1)) == 0 ? lb_grow(at, (n ? 2 * n : 1) * size) : at;
}

int lb_pack_add(struct lb_pack *p, const struct lb_pack_file *take,
		struct lb_error *err)
{
	if (!*take->path)
		lb_fail(err, LB_DATA, "an entry has no name");
	else if (count_entry(p, err) == 0 &&
		 (lb_pack_is_junk(take->path) ||
		  claim(p, take->path, &file_mark, err) == 0)) {
		if (!lb_pack_is_junk(take->path)) {
			p->files = room(p->files, p->n, sizeof(*p->files));
			p->files[p->n++] = *take;
			return 0;
		}
		free(take->path);
		free(take->data);
		return 0;
	}
	free(take->path);
	free(take->data);
	return -1;
}

int lb_pack_add_folder(struct lb_pack *p, char *take, struct lb_error *err)
{
	lb_autofree char *path = take;

	if (count_entry(p, err) < 0)
		return -1;
	return *path && !lb_pack_is_junk(path)
		       ? claim(p, path, &folder_mark, err)
		       : 0;
}

int lb_pack_add_odd(struct lb_pack *p, char *take, const char *what,
		    struct lb_error *err)
{
	lb_autofree char *path = take;

	if (count_entry(p, err) < 0 || claim(p, path, &file_mark, err) < 0)
		return -1;
	p->odd = room(p->odd, p->n_odd, sizeof(*p->odd));
	p->odd[p->n_odd++] = (struct lb_pack_odd){lb_steal(&path), what};
	return 0;
}

int lb_pack_count(struct lb_pack *p, const char *path, int64_t so_far,
		  size_t more, struct lb_error *err)
{
	p->bytes += (int64_t)more;
	if (so_far + (int64_t)more > LB_PACK_FILE)
		return lb_fail(err, LB_DATA,
			       "'%.200s' is larger than %d MiB unpacked", path,
			       LB_PACK_FILE >> 20);
	if (p->bytes > LB_PACK_TOTAL)
		return lb_fail(err, LB_DATA,
			       "it is larger than %d MiB unpacked",
			       LB_PACK_TOTAL >> 20);
	return 0;
}

static int by_path(const void *a, const void *b)
{
	const struct lb_pack_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* A file that another has for a folder. */
static int check_folders(struct lb_pack *p, const char *path,
			 struct lb_error *err)
{
	lb_autofree char *part = lowered(path);

	for (char *slash = part; (slash = strchr(slash, '/')); slash++) {
		const char *there;

		*slash = '\0';
		there = lb_map_find(&p->names, part);
		if (there == &file_mark)
			return lb_fail(err, LB_DATA,
				       "'%.200s' is both a file and a folder",
				       part);
		if (!there)
			lb_map_add(&p->names, part, &folder_mark);
		*slash = '/';
	}
	return 0;
}

int lb_pack_end(struct lb_pack *p, struct lb_error *err)
{
	for (size_t i = 0; i < p->n; i++)
		if (check_folders(p, p->files[i].path, err) < 0)
			return -1;
	if (p->n > 0)
		qsort(p->files, p->n, sizeof(*p->files), by_path);
	lb_map_release(&p->names, NULL);
	p->names = (struct lb_map){0};
	return 0;
}

const struct lb_pack_file *lb_pack_find(const struct lb_pack *p,
					const char *path)
{
	const struct lb_pack_file key = {.path = (char *)(uintptr_t)path};

	return p->n ? bsearch(&key, p->files, p->n, sizeof(key), by_path)
		    : NULL;
}

bool lb_pack_is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return len == 0 ||
	       (strncmp(path, folder, len) == 0 && path[len] == '/');
}
