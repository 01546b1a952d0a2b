#include "skill/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/near.h"
#include "box/place.h"
#include "fs/beneath.h"
#include "skill/name.h"

enum { MAX_ROOTS = 32 };

static void add_root(struct lb_shelf *s, char *take)
{
	if (s->n_roots == MAX_ROOTS) {
		free(take);
		return;
	}
	s->roots[s->n_roots++] = take;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A project has its skills in one of two places, or it is none. */
static void add_path(struct lb_shelf *s, char *take)
{
	static const char *const places[] = {".claude/skills", ".agents/skills",
					     NULL};
	bool is_project = false;

	for (int i = 0; places[i]; i++) {
		char *path = lb_printf("%s/%s", take, places[i]);

		if (is_folder(path)) {
			is_project = true;
			add_root(s, path);
		} else {
			free(path);
		}
	}
	if (is_project)
		free(take);
	else
		add_root(s, take);
}

struct lb_shelf *lb_shelf_open(struct lb_config *config, const char *state)
{
	struct lb_shelf *s = lb_alloc(sizeof(*s));
	const json_t *paths = lb_config_get(config, "skills.paths");
	const json_t *one;
	size_t i;

	s->roots = lb_alloc(MAX_ROOTS * sizeof(*s->roots));
	s->store = lb_box_skills(config, state);
	add_root(s, lb_strdup(s->store));
	json_array_foreach((json_t *)(uintptr_t)paths, i, one)
		add_path(s, lb_config_beside(config, json_string_value(one)));
	return s;
}

void lb_shelf_close(struct lb_shelf *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_roots; i++)
		free(s->roots[i]);
	free(s->roots);
	free(s->store);
	free(s);
}

void lb_shelved_one_release(struct lb_shelved *one)
{
	free(one->name);
	free(one->folder);
	free(one->text);
	lb_skill_release(&one->skill);
}

void lb_shelved_release(struct lb_shelved_all *all)
{
	for (size_t i = 0; i < all->n; i++)
		lb_shelved_one_release(&all->at[i]);
	free(all->at);
	*all = (struct lb_shelved_all){0};
}

static int read_fd(int fd, struct lb_shelved *one, struct lb_error *err)
{
	ssize_t n;
	struct stat st;
	size_t cap;

	if (fstat(fd, &st) < 0)
		return lb_fail_sys(err, LB_IO, "cannot read it");
	if (!S_ISREG(st.st_mode))
		return lb_fail(err, LB_DATA, "it is no file");
	cap = st.st_size > LB_SKILL_MD_MAX ? LB_SKILL_MD_MAX + 1
					   : (size_t)st.st_size + 1;
	one->text = lb_alloc_raw(cap + 1);
	while ((n = read(fd, one->text + one->len, cap - one->len)) != 0) {
		if (n < 0 && errno != EINTR)
			return lb_fail_sys(err, LB_IO, "cannot read it");
		one->len += n > 0 ? (size_t)n : 0;
		if (one->len == (size_t)st.st_size)
			break; /* of a read more than need be */
	}
	one->text[one->len] = '\0';
	return 0;
}

/* Nobody puts links into the store: no other file can be meant. */
static int open_own(int root, const char *name, struct lb_error *err)
{
	int fd = openat(root, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return lb_fail(err, LB_DENIED, "'%.200s' is no folder", name);
	if (fd < 0)
		return lb_fail_sys(err, errno == ENOENT ? LB_NOINPUT : LB_IO,
				   "cannot open '%.200s'", name);
	return fd;
}

static int open_file(int root, const struct lb_shelved *one, const char *file,
		     struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/%s", one->name, file);
	const struct lb_beneath at = {root, path, NULL};
	lb_autoclose int folder = -1;
	int fd;

	if (!one->is_own)
		return lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FILE, err);
	folder = open_own(root, one->name, err);
	if (folder < 0)
		return -1;
	fd = openat(folder, file,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return lb_fail_sys(err,
				   errno == ENOENT  ? LB_NOINPUT
				   : errno == ELOOP ? LB_DENIED
						    : LB_IO,
				   "cannot open '%.200s'", path);
	return fd;
}

/* 1: there is a file; 0: there is none; -1: it cannot be read. */
static int read_file(int root, struct lb_shelved *one, struct lb_error *err)
{
	static const char *const files[] = {"SKILL.md", "skill.md", NULL};

	for (int i = 0; files[i]; i++) {
		lb_autoclose int fd = open_file(root, one, files[i], err);

		if (fd >= 0)
			return read_fd(fd, one, err) < 0 ? -1 : 1;
		if (err->code != LB_NOINPUT)
			return -1;
	}
	return 0;
}

/* Read the one whose name is set; false: it is no skill. */
static bool look(int root, struct lb_shelved *one)
{
	struct lb_error err;
	int got = read_file(root, one, &err);
	const char *why = lb_skill_name_why(one->name, strlen(one->name));

	if (got == 0 && !one->is_own)
		return false;
	if (got <= 0)
		lb_skill_find(&one->skill.found, LB_SKILL_UNFIT, 0, "file",
			      "%.400s",
			      got ? err.text : "there is no SKILL.md in it");
	else
		lb_skill_read(&one->skill, one->text, one->len, one->name);
	if (got > 0 && why) {
		lb_skill_find(&one->skill.found, LB_SKILL_UNFIT, 0, "folder",
			      "the name of its folder %s; rename it", why);
		one->skill.fit = false;
	}
	if (!one->skill.description)
		one->skill.description = lb_strdup("");
	return true;
}

/* Names in a folder, without those that begin with a dot. */
static int read_names(int root, char ***names, size_t *n, struct lb_error *err)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return lb_fail_sys(err, LB_IO, "cannot read the folder");
	}
	while (*n < 2 * LB_SHELF_SKILLS && (e = readdir(dir))) {
		if (*e->d_name == '.' ||
		    (e->d_type != DT_DIR && e->d_type != DT_LNK &&
		     e->d_type != DT_UNKNOWN))
			continue;
		if ((*n & (*n - 1)) == 0)
			*names = lb_grow(*names,
					 (*n ? 2 * *n : 1) * sizeof(**names));
		(*names)[(*n)++] = lb_strdup(e->d_name);
	}
	closedir(dir);
	return 0;
}

static void add(struct lb_shelved_all *all, struct lb_shelved *take)
{
	if (all->n == LB_SHELF_SKILLS) {
		all->unread++;
		lb_shelved_one_release(take);
		return;
	}
	if ((all->n & (all->n - 1)) == 0)
		all->at = lb_grow(all->at,
				  (all->n ? 2 * all->n : 1) * sizeof(*all->at));
	all->at[all->n++] = *take;
}

static int list_root(const struct lb_shelf *s, size_t root,
		     struct lb_shelved_all *all, struct lb_error *err)
{
	lb_autoclose int fd =
		open(s->roots[root], O_PATH | O_DIRECTORY | O_CLOEXEC);
	lb_autofree char **names = NULL;
	size_t n = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'",
				   s->roots[root]);
	if (read_names(fd, &names, &n, err) < 0)
		return lb_error_wrap(err, "%s", s->roots[root]);
	for (size_t i = 0; i < n; i++) {
		struct lb_shelved one = {
			.name = names[i],
			.folder = lb_printf("%s/%s", s->roots[root], names[i]),
			.root = s->roots[root],
			.is_own = root == 0,
		};

		if (look(fd, &one))
			add(all, &one);
		else
			lb_shelved_one_release(&one);
	}
	return 0;
}

struct sorted {
	struct lb_shelved one;
	size_t order;
};

static int by_name(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int r = strcmp(x->one.name, y->one.name);

	return r ? r : (x->order > y->order) - (x->order < y->order);
}

static void sort(struct lb_shelved_all *all)
{
	lb_autofree struct sorted *s = lb_alloc((all->n + 1) * sizeof(*s));

	for (size_t i = 0; i < all->n; i++)
		s[i] = (struct sorted){all->at[i], i};
	if (all->n > 0)
		qsort(s, all->n, sizeof(*s), by_name);
	for (size_t i = 0; i < all->n; i++) {
		all->at[i] = s[i].one;
		all->at[i].is_shadowed =
			i > 0 && strcmp(s[i - 1].one.name, s[i].one.name) == 0;
	}
}

int lb_shelf_list(const struct lb_shelf *s, struct lb_shelved_all *all,
		  struct lb_error *err)
{
	for (size_t i = 0; i < s->n_roots; i++)
		if (list_root(s, i, all, err) < 0)
			return -1;
	sort(all);
	return 0;
}

static int not_there(const struct lb_shelf *s, const char *name,
		     struct lb_error *err)
{
	struct lb_slip slip = {.typed = name};
	struct lb_shelved_all all = {0};
	struct lb_error ignored;

	if (lb_shelf_list(s, &all, &ignored) == 0)
		for (size_t i = 0; i < all.n; i++)
			lb_slip_try(&slip, all.at[i].name);
	if (slip.meant)
		lb_fail(err, LB_NOINPUT,
			"there is no skill '%.80s'; did you mean '%s'?", name,
			slip.meant);
	else
		lb_fail(err, LB_NOINPUT, "there is no skill '%.80s'", name);
	lb_shelved_release(&all);
	return -1;
}

int lb_shelf_find(const struct lb_shelf *s, const char *name,
		  struct lb_shelved *one, struct lb_error *err)
{
	if (!*name || *name == '.' || strchr(name, '/') || strlen(name) > 255)
		return lb_fail(err, LB_USAGE, "'%.80s' is no name of a skill",
			       name);
	for (size_t i = 0; i < s->n_roots; i++) {
		lb_autofree char *folder =
			lb_printf("%s/%s", s->roots[i], name);
		lb_autoclose int fd = -1;

		if (!is_folder(folder))
			continue;
		fd = open(s->roots[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		*one = (struct lb_shelved){
			.name = lb_strdup(name),
			.folder = lb_steal(&folder),
			.root = s->roots[i],
			.is_own = i == 0,
		};
		if (fd >= 0 && look(fd, one))
			return 0;
		lb_shelved_one_release(one);
	}
	return not_there(s, name, err);
}

int lb_shelved_open(const struct lb_shelved *one, struct lb_error *err)
{
	lb_autoclose int root =
		open(one->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct lb_beneath at = {root, one->name, NULL};

	if (root < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", one->root);
	return one->is_own
		       ? open_own(root, one->name, err)
		       : lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FOLDER, err);
}

int lb_shelved_pack(const struct lb_shelved *one, struct lb_pack *pack,
		    struct lb_error *err)
{
	lb_autoclose int fd = lb_shelved_open(one, err);

	if (fd < 0)
		return -1;
	if (lb_pack_folder(pack, fd, err) < 0)
		return lb_error_wrap(err, "skill '%.80s'", one->name);
	if (pack->n_odd > 0)
		return lb_fail(err, LB_DATA, "skill '%.80s': '%.200s' is %s",
			       one->name, pack->odd[0].path, pack->odd[0].what);
	return 0;
}
