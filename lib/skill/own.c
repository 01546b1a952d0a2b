#include "skill/own.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "skill/change.h"
#include "skill/name.h"
#include "skill/sum.h"

void lb_own_compose(struct lb_buf *out, const char *name,
		    const char *description, const char *body, size_t len)
{
	lb_buf_printf(out, "---\nname: %s\ndescription: ", name);
	/* A text in JSON is one in YAML. */
	lb_buf_json_str(out, description, strlen(description));
	lb_buf_puts(out, "\n---\n\n");
	lb_buf_put(out, body, len);
	if (len > 0 && body[len - 1] != '\n')
		lb_buf_putc(out, '\n');
}

/* The one that has that path, or a new one. */
static struct lb_pack_file *slot(struct lb_pack *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->files[i].path, path) == 0)
			return &p->files[i];
	return NULL;
}

static bool is_script(const struct lb_own_file *file)
{
	return file->len > 2 && memcmp(file->text, "#!", 2) == 0;
}

/*
 * A pack of what was there and the file. It is made anew, so that all that
 * holds for packs holds for it.
 */
static int put(struct lb_pack *to, struct lb_pack *was,
	       const struct lb_own_file *file, struct lb_error *err)
{
	lb_autofree char *path =
		lb_pack_path(file->path, strlen(file->path), err);
	const struct lb_pack_file *old = path ? slot(was, path) : NULL;
	struct lb_pack_file f = {.len = file->len};

	if (!path)
		return -1;
	if (lb_pack_is_junk(path))
		return lb_fail(err, LB_USAGE, "'%.200s' is no name for a file",
			       path);
	f.exec = file->mode == LB_OWN_EXEC ||
		 (file->mode == LB_OWN_AS_IS &&
		  (old ? old->exec : is_script(file)));
	for (size_t i = 0; i < was->n; i++) {
		struct lb_pack_file one = was->files[i];

		if (&was->files[i] == old)
			continue;
		was->files[i].path = NULL;
		was->files[i].data = NULL;
		if (lb_pack_add(to, &one, err) < 0)
			return -1;
	}
	f.path = lb_steal(&path);
	f.data = lb_strndup(file->text, file->len);
	if (lb_pack_count(to, f.path, 0, f.len, err) < 0) {
		free(f.path);
		free(f.data);
		return -1;
	}
	if (lb_pack_add(to, &f, err) < 0)
		return -1;
	return lb_pack_end(to, err);
}

static int check(const struct lb_pack *p, const char *name,
		 struct lb_error *err)
{
	const struct lb_pack_file *f = lb_pack_find(p, "SKILL.md");
	const struct lb_skill_finding *worst;
	struct lb_skill skill;
	int r = 0;

	if (!f)
		f = lb_pack_find(p, "skill.md");
	if (!f)
		return lb_fail(err, LB_DATA, "skill '%s' has no SKILL.md",
			       name);
	lb_skill_read(&skill, f->data, f->len, name);
	worst = lb_skill_worst(&skill.found);
	if (!skill.fit)
		r = lb_fail(err, LB_DATA, "SKILL.md:%zu: %s", worst->line,
			    worst->text);
	lb_skill_release(&skill);
	return r;
}

static json_t *local_entry(const struct lb_pack *p)
{
	lb_autobuf struct lb_buf list = {0};
	char sum[LB_SKILL_SUM], time[LB_CLOCK_TEXT];

	lb_skill_list(p, &list);
	lb_skill_sum(&list, sum);
	lb_clock_text(lb_clock_now(), time);
	return lb_json_pack("{s:s, s:s, s:s}", "source", LB_SKILL_LOCAL, "tree",
			    sum, "installed", time);
}

/* Into the store, as its own or as an edit of what was installed. */
static int keep(struct lb_change *c, const char *name, const struct lb_pack *p,
		bool is_local, struct lb_error *err)
{
	json_auto_t *from = is_local ? local_entry(p) : NULL;
	const struct lb_change_item item = {name, p, from};

	if (check(p, name, err) < 0)
		return -1;
	return lb_change_put(c, &item, 1, err);
}

int lb_own_create(const struct lb_shelf *shelf, const char *name,
		  const struct lb_own_file *file, struct lb_error *err)
{
	const char *why = lb_skill_name_why(name, strlen(name));
	struct lb_pack none = {0}, pack = {0};
	struct lb_shelved there;
	struct lb_change c;
	int r;

	if (why)
		return lb_fail(err, LB_USAGE, "name '%.80s' %s", name, why);
	if (lb_change_begin(&c, shelf->store, err) < 0)
		return -1;
	if (lb_shelf_find(shelf, name, &there, err) == 0) {
		r = lb_fail(err, LB_DENIED, "skill '%s' is there already, '%s'",
			    name, there.folder);
		lb_shelved_one_release(&there);
	} else {
		r = err->code == LB_NOINPUT ? put(&pack, &none, file, err) : -1;
	}
	if (r == 0)
		r = keep(&c, name, &pack, true, err);
	lb_pack_release(&pack);
	lb_change_end(&c);
	return r;
}

static int write_into(struct lb_change *c, const struct lb_shelved *one,
		      const struct lb_own_file *file, struct lb_error *err)
{
	const char *source =
		lb_json_str(json_object_get(c->skills, one->name), "source");
	bool is_local = source && strcmp(source, LB_SKILL_LOCAL) == 0;
	struct lb_pack was = {0}, now = {0};
	int r = 0;

	if (!one->is_own)
		return lb_fail(err, LB_DENIED,
			       "skill '%s' is in '%.200s', which is only read",
			       one->name, one->folder);
	r = lb_shelved_pack(one, &was, err);
	if (r == 0)
		r = put(&now, &was, file, err);
	if (r == 0)
		r = keep(c, one->name, &now, is_local, err);
	lb_pack_release(&was);
	lb_pack_release(&now);
	return r;
}

int lb_own_write(const struct lb_shelf *shelf, const char *name,
		 const struct lb_own_file *file, struct lb_error *err)
{
	struct lb_shelved one;
	struct lb_change c;
	int r;

	/* A store that is not there is not made for that. */
	if (lb_shelf_find(shelf, name, &one, err) < 0)
		return -1;
	lb_shelved_one_release(&one);
	if (lb_change_begin(&c, shelf->store, err) < 0)
		return -1;
	r = lb_shelf_find(shelf, name, &one, err);
	if (r == 0) {
		r = write_into(&c, &one, file, err);
		lb_shelved_one_release(&one);
	}
	lb_change_end(&c);
	return r;
}
