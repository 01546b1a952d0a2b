#include "skill/offer.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "skill/name.h"

enum { MAX_FILES = 2000 };

/* "SKILL.md" in either spelling: the length of the folder before it, or -1. */
static long folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (strcmp(name, "SKILL.md") != 0 && strcmp(name, "skill.md") != 0)
		return -1;
	return slash ? slash - path : 0;
}

/* The top folder that all of the pack is in, with its '/'; 0: there is none. */
static size_t shared_top(const struct lb_pack *p)
{
	const char *slash = p->n ? strchr(p->files[0].path, '/') : NULL;
	size_t len = slash ? (size_t)(slash - p->files[0].path) + 1 : 0;

	for (size_t i = 0; i < p->n && len > 0; i++)
		if (strncmp(p->files[i].path, p->files[0].path, len) != 0)
			len = 0;
	for (size_t i = 0; i < p->n_odd && len > 0; i++)
		if (strncmp(p->odd[i].path, p->files[0].path, len) != 0)
			len = 0;
	return len;
}

enum sight { SEEN, HIDDEN, PASSED };

/* Is a folder one to look in? `path` is what is below the place to look at. */
static enum sight sight_of(const char *path)
{
	enum sight sight = SEEN;
	size_t depth = 0, n;

	for (; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == strlen("node_modules") &&
		    strncmp(path, "node_modules", n) == 0)
			return PASSED;
		if (*path == '.')
			sight = HIDDEN;
		depth++;
	}
	return depth > LB_OFFER_DEPTH ? PASSED : sight;
}

static bool is_within_another(const struct lb_offers *o, const char *folder)
{
	for (size_t i = 0; i < o->n; i++)
		if (lb_pack_is_below(folder, o->at[i].folder) ||
		    strcmp(folder, o->at[i].folder) == 0)
			return true;
	return false;
}

static void name_it(struct lb_offer_one *one, const struct lb_offer_from *from)
{
	const char *slash = strrchr(one->folder, '/');
	const char *leaf = slash ? slash + 1 : one->folder;
	bool is_known = *leaf && (*one->shown || !from->rename_top);

	if (!is_known && from->name) {
		leaf = from->name;
		is_known = from->is_folder;
	}
	lb_skill_read(&one->skill, one->file->data ? one->file->data : "",
		      one->file->len, is_known ? leaf : NULL);
	one->name = lb_skill_name_of(
		one->skill.name && *one->skill.name ? one->skill.name : leaf);
	if (strcmp(one->file->path + strlen(one->file->path) - 8, "SKILL.md") !=
	    0)
		lb_skill_find(&one->skill.found, LB_SKILL_OFF, 0, "file",
			      "is called skill.md; call it SKILL.md");
}

static int add(struct lb_offers *o, const struct lb_pack_file *f,
	       struct lb_offer_one *one, const struct lb_offer_from *from,
	       struct lb_error *err)
{
	if (o->n == LB_OFFERS) {
		free(one->folder);
		return lb_fail(err, LB_DATA, "it has more than %d skills",
			       LB_OFFERS);
	}
	if ((o->n & (o->n - 1)) == 0)
		o->at = lb_grow(o->at, (o->n ? 2 * o->n : 1) * sizeof(*o->at));
	one->file = f;
	name_it(one, from);
	o->at[o->n++] = *one;
	return 0;
}

/* Whether it is one, seen from the top. */
static int look_at(struct lb_offers *o, const struct lb_pack_file *f,
		   size_t top, const struct lb_offer_from *from,
		   struct lb_error *err)
{
	const char *within = from->within ? from->within : "";
	long len = folder_len(f->path);
	struct lb_offer_one one = {0};
	const char *below;

	if (len < 0)
		return 0;
	one.folder = lb_strndup(f->path, (size_t)len);
	one.shown = (size_t)len >= top ? one.folder + top : one.folder + len;
	below = one.shown;
	if (*within && strcmp(below, within) == 0)
		below = "";
	else if (*within && lb_pack_is_below(below, within))
		below += strlen(within) + 1;
	else if (*within)
		below = "node_modules"; /* elsewhere */
	if (sight_of(below) == SEEN && !is_within_another(o, one.folder))
		return add(o, f, &one, from, err);
	o->hidden += sight_of(below) == HIDDEN;
	free(one.folder);
	return 0;
}

static int by_depth(const void *a, const void *b)
{
	const struct lb_pack_file *const *x = a, *const *y = b;
	size_t depth[2] = {0};

	for (const char *c = (*x)->path; *c; c++)
		depth[0] += *c == '/';
	for (const char *c = (*y)->path; *c; c++)
		depth[1] += *c == '/';
	if (depth[0] != depth[1])
		return depth[0] > depth[1] ? 1 : -1;
	return strcmp((*x)->path, (*y)->path);
}

static int by_folder(const void *a, const void *b)
{
	const struct lb_offer_one *x = a, *y = b;

	return strcmp(x->folder, y->folder);
}

int lb_offers_find(struct lb_offers *o, const struct lb_pack *p,
		   const struct lb_offer_from *from, struct lb_error *err)
{
	/* From the top down: what is below a skill is its own. */
	lb_autofree const struct lb_pack_file **all =
		lb_alloc((p->n + 1) * sizeof(struct lb_pack_file *));
	size_t top = from->is_folder ? 0 : shared_top(p), n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (folder_len(p->files[i].path) >= 0)
			all[n++] = &p->files[i];
	if (n > 0)
		qsort(all, n, sizeof(struct lb_pack_file *), by_depth);
	for (size_t i = 0; i < n; i++)
		if (look_at(o, all[i], top, from, err) < 0)
			return -1;
	if (o->n > 0)
		qsort(o->at, o->n, sizeof(*o->at), by_folder);
	if (o->n == 0 && o->hidden > 0)
		return lb_fail(err, LB_NOINPUT,
			       "no SKILL.md is in it but below folders that "
			       "begin with a dot; name one of those");
	if (o->n == 0)
		return lb_fail(err, LB_NOINPUT, "no SKILL.md is in it");
	return 0;
}

static void release_one(struct lb_offer_one *one)
{
	free(one->folder);
	free(one->name);
	lb_skill_release(&one->skill);
}

void lb_offers_release(struct lb_offers *o)
{
	for (size_t i = 0; i < o->n; i++)
		release_one(&o->at[i]);
	free(o->at);
	*o = (struct lb_offers){0};
}

static int list(const struct lb_offers *o, struct lb_buf *out)
{
	for (size_t i = 0; i < o->n && out->len < 300; i++)
		lb_buf_printf(out, "%s%s (%s)", i ? ", " : "", o->at[i].name,
			      *o->at[i].shown ? o->at[i].shown : ".");
	if (out->len >= 300)
		lb_buf_puts(out, " ...");
	return -1;
}

static bool is_named(const struct lb_offer_one *one, const char *name)
{
	size_t len = strlen(name);

	if (strcmp(one->name, name) == 0)
		return true;
	while (len > 0 && name[len - 1] == '/')
		len--;
	if (len == 1 && *name == '.')
		return !*one->shown;
	return strlen(one->shown) == len && len > 0 &&
	       strncmp(one->shown, name, len) == 0;
}

/* The one that is meant; o->n when it is none, or may be two. */
static size_t find_named(const struct lb_offers *o, const char *name,
			 struct lb_error *err)
{
	size_t found = o->n;
	lb_autobuf struct lb_buf all = {0};

	list(o, &all);
	for (size_t i = 0; i < o->n; i++) {
		if (!is_named(&o->at[i], name))
			continue;
		if (found < o->n) {
			lb_fail(err, LB_USAGE,
				"'%.80s' may be several; name one by its "
				"folder: %s",
				name, lb_buf_str(&all));
			return o->n;
		}
		found = i;
	}
	if (found == o->n)
		lb_fail(err, LB_USAGE, "no skill '%.80s' is in it, but %s",
			name, lb_buf_str(&all));
	return found;
}

static void keep(struct lb_offers *o, const bool *wanted)
{
	size_t to = 0;

	for (size_t i = 0; i < o->n; i++)
		if (wanted[i])
			o->at[to++] = o->at[i];
		else
			release_one(&o->at[i]);
	o->n = to;
}

/* Two that would have one name are nothing to choose from in silence. */
static int check_names(const struct lb_offers *o, struct lb_error *err)
{
	for (size_t i = 0; i < o->n; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(o->at[i].name, o->at[j].name) == 0)
				return lb_fail(err, LB_USAGE,
					       "'%s' is in '%.150s' and in "
					       "'%.150s'; choose one",
					       o->at[i].name, o->at[j].shown,
					       o->at[i].shown);
	return 0;
}

int lb_offers_choose(struct lb_offers *o, const char *const *names, size_t n,
		     bool all, struct lb_error *err)
{
	lb_autofree bool *wanted = lb_alloc(o->n + 1);
	lb_autobuf struct lb_buf text = {0};

	if (n == 0 && !all && o->n > 1) {
		list(o, &text);
		return lb_fail(err, LB_USAGE,
			       "it has %zu skills; choose with --select or "
			       "--all: %s",
			       o->n, lb_buf_str(&text));
	}
	for (size_t i = 0; i < n; i++) {
		size_t at = find_named(o, names[i], err);

		if (at == o->n)
			return -1;
		wanted[at] = true;
	}
	if (n > 0)
		keep(o, wanted);
	return check_names(o, err);
}

/* A skill.md becomes SKILL.md; all else keeps its name. */
static char *path_in(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	path += len > 0 ? len + 1 : 0;
	return lb_strdup(strcmp(path, "skill.md") == 0 ? "SKILL.md" : path);
}

int lb_offer_take(struct lb_pack *to, struct lb_pack *from,
		  const struct lb_offer_one *one, struct lb_error *err)
{
	for (size_t i = 0; i < from->n_odd; i++)
		if (lb_pack_is_below(from->odd[i].path, one->folder))
			return lb_fail(err, LB_DATA, "'%.200s' is %s",
				       from->odd[i].path, from->odd[i].what);
	for (size_t i = 0; i < from->n; i++) {
		struct lb_pack_file *f = &from->files[i];
		struct lb_pack_file one_file = *f;

		if (!lb_pack_is_below(f->path, one->folder))
			continue;
		one_file.path = path_in(f->path, one->folder);
		f->data = NULL;
		f->len = 0;
		if (lb_pack_add(to, &one_file, err) < 0)
			return -1;
		if (to->n > MAX_FILES)
			return lb_fail(err, LB_DATA,
				       "skill '%s' has more than %d files",
				       one->name, MAX_FILES);
	}
	return lb_pack_end(to, err);
}
