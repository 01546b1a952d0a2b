#include "skill/install.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "skill/sum.h"

enum { MAX_SHOWN = 5 };

struct work {
	const struct lb_shelf *shelf;
	const struct lb_origin *origin;
	const struct lb_install *how;
	struct lb_change change;
	struct lb_pack *packs; /* one each */
	struct lb_change_item *items;
	size_t n_items; /* those that are to be put in place */
	struct lb_install_rows *rows;
};

const char *lb_installed_word(enum lb_installed what)
{
	static const char *const words[] = {"installed", "updated",
					    "unchanged"};

	return words[what];
}

void lb_install_rows_release(struct lb_install_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->at[i].name);
		free(rows->at[i].folder);
		json_decref(rows->at[i].changes);
	}
	free(rows->at);
	*rows = (struct lb_install_rows){0};
}

void lb_changes_text(const json_t *changes, struct lb_buf *out)
{
	size_t n = json_array_size(changes), i;
	json_t *one;

	lb_buf_printf(out,
		      n == 1 ? "1 file differs: " : "%zu files differ: ", n);
	json_array_foreach((json_t *)(uintptr_t)changes, i, one)
	{
		if (i == MAX_SHOWN) {
			lb_buf_puts(out, ", ...");
			break;
		}
		lb_buf_printf(out, "%s%.80s (%s)", i ? ", " : "",
			      lb_json_str(one, "path"),
			      lb_json_str(one, "change"));
	}
}

static int check_fit(const struct lb_offer_one *one, bool strict,
		     struct lb_error *err)
{
	const struct lb_skill_finding *worst =
		lb_skill_worst(&one->skill.found);

	if (!worst || worst->grade == LB_SKILL_ADVICE ||
	    (worst->grade == LB_SKILL_OFF && !strict))
		return 0;
	return lb_fail(err, worst->grade == LB_SKILL_UNFIT ? LB_DATA : LB_NO,
		       "%s%sSKILL.md:%zu: %s", one->shown,
		       *one->shown ? "/" : "", worst->line, worst->text);
}

/* The member of lock.json that it gets. */
static json_t *entry_of(const struct work *w, const struct lb_offer_one *one,
			const char *tree)
{
	const struct lb_origin *o = w->origin;
	char time[LB_CLOCK_TEXT];
	json_t *e = lb_json_pack("{}");
	lb_autofree char *joined = lb_printf("%s/%s", o->source, one->shown);
	const char *source = o->by_folder && *one->shown ? joined : o->source;

	lb_json_set_str(e, "source", source, strlen(source));
	if (*one->shown && !o->by_folder)
		lb_json_set_str(e, "folder", one->shown, strlen(one->shown));
	if (o->ref)
		lb_json_set_str(e, "ref", o->ref, strlen(o->ref));
	if (o->commit)
		lb_json_set_str(e, "commit", o->commit, strlen(o->commit));
	json_object_set_new(e, "tree", json_string(tree));
	lb_clock_text(lb_clock_now(), time);
	json_object_set_new(e, "installed", json_string(time));
	return e;
}

static bool is_same_source(const struct work *w, const json_t *was,
			   const json_t *now)
{
	const char *a = lb_json_str(was, "source");
	const char *b = lb_json_str(now, "source");

	return a && !w->origin->nameless && strcmp(a, b) == 0;
}

/* What is there now: its list, and whether it is what was installed. */
static int look_at(const struct work *w, const struct lb_shelved *there,
		   struct lb_buf *list, json_t **edits, struct lb_error *err)
{
	const json_t *was = json_object_get(w->change.skills, there->name);
	const char *tree = lb_json_str(was, "tree");
	lb_autobuf struct lb_buf before = {0};
	char sum[LB_SKILL_SUM];
	int r = lb_shelved_sum(there, list, sum, err);

	if (r < 0 || !tree || strcmp(tree, sum) == 0)
		return r;
	if (lb_change_list(w->shelf->store, there->name, &before, err) < 0)
		return -1;
	*edits = lb_skill_changes(lb_buf_str(&before), lb_buf_str(list));
	return 0;
}

static int refuse_edits(const char *name, const json_t *edits,
			struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};

	lb_changes_text(edits, &text);
	return lb_fail(err, LB_DENIED,
		       "skill '%s' was edited here, and --force would undo "
		       "that: %s",
		       name, lb_buf_str(&text));
}

static int refuse_source(const struct work *w, const struct lb_shelved *there,
			 struct lb_error *err)
{
	const json_t *was = json_object_get(w->change.skills, there->name);
	const char *source = lb_json_str(was, "source");

	if (!there->is_own)
		return lb_fail(err, LB_DENIED,
			       "skill '%s' is in '%.200s' already; --replace "
			       "would hide that one",
			       there->name, there->folder);
	return lb_fail(err, LB_DENIED,
		       "skill '%s' is there already, from %s%.200s; --replace "
		       "would put this one in its place",
		       there->name, source ? "" : "somewhere",
		       source ? source : "");
}

/* It has the name of one that is there. 0: go on; 1: nothing to do. */
static int meet(struct work *w, const struct lb_shelved *there,
		const struct lb_buf *list, json_t *entry,
		struct lb_install_row *row, struct lb_error *err)
{
	const json_t *was = json_object_get(w->change.skills, there->name);
	lb_autobuf struct lb_buf now = {0};
	json_auto_t *edits = NULL;
	bool same;

	if (!there->is_own && !w->how->replace)
		return refuse_source(w, there, err);
	if (!there->is_own)
		return 0;
	if (look_at(w, there, &now, &edits, err) < 0)
		return -1;
	same = is_same_source(w, was, entry);
	/* Nothing comes in that is not there: who brings it is no matter. */
	if (now.len == list->len &&
	    memcmp(lb_buf_str(&now), lb_buf_str(list), now.len) == 0) {
		row->what = LB_UNCHANGED;
		return 1;
	}
	if (!same && !w->how->replace)
		return refuse_source(w, there, err);
	row->changes = lb_skill_changes(lb_buf_str(&now), lb_buf_str(list));
	row->what = LB_UPDATED;
	if (json_array_size(edits) > 0 && !w->how->force)
		return refuse_edits(there->name, edits, err);
	return 0;
}

static int prepare(struct work *w, const struct lb_offer_one *one,
		   struct lb_pack *from, struct lb_error *err)
{
	struct lb_pack *pack = &w->packs[w->rows->n];
	struct lb_install_row *row = &w->rows->at[w->rows->n++];
	lb_autobuf struct lb_buf list = {0};
	struct lb_shelved there;
	json_auto_t *entry = NULL;
	char sum[LB_SKILL_SUM];
	int met = 0;

	row->name = lb_strdup(one->name);
	row->folder = lb_strdup(one->shown);
	if (check_fit(one, w->how->strict, err) < 0 ||
	    lb_offer_take(pack, from, one, err) < 0)
		return -1;
	lb_skill_list(pack, &list);
	lb_skill_sum(&list, sum);
	if (w->how->tree && strcmp(w->how->tree, sum) != 0)
		return lb_fail(err, LB_DATA,
			       "what is there now is not what was installed: "
			       "%.24s..., and was %.24s...",
			       sum, w->how->tree);
	entry = entry_of(w, one, sum);
	if (lb_shelf_find(w->shelf, one->name, &there, err) == 0) {
		met = meet(w, &there, &list, entry, row, err);
		lb_shelved_one_release(&there);
	} else if (err->code != LB_NOINPUT) {
		return -1;
	}
	if (met != 0)
		return met < 0 ? -1 : 0;
	w->items[w->n_items++] =
		(struct lb_change_item){.name = row->name,
					.pack = pack,
					.from = json_incref(entry)};
	return 0;
}

static int install(struct work *w, struct lb_offers *offers,
		   struct lb_pack *pack, struct lb_error *err)
{
	for (size_t i = 0; i < offers->n; i++)
		if (prepare(w, &offers->at[i], pack, err) < 0)
			return -1;
	if (w->n_items == 0 || w->how->dry)
		return 0;
	return lb_change_put(&w->change, w->items, w->n_items, err);
}

int lb_skills_install(const struct lb_shelf *shelf, struct lb_offers *offers,
		      struct lb_pack *pack, const struct lb_origin *origin,
		      const struct lb_install *how,
		      struct lb_install_rows *rows, struct lb_error *err)
{
	struct work w = {.shelf = shelf,
			 .origin = origin,
			 .how = how,
			 .rows = rows};
	size_t n = offers->n + 1;
	int r;

	if (lb_change_begin(&w.change, shelf->store, err) < 0)
		return -1;
	w.packs = lb_alloc(n * sizeof(*w.packs));
	w.items = lb_alloc(n * sizeof(*w.items));
	rows->at = lb_alloc(n * sizeof(*rows->at));
	r = install(&w, offers, pack, err);
	for (size_t i = 0; i < w.n_items; i++)
		json_decref(w.items[i].from);
	for (size_t i = 0; i < rows->n; i++)
		lb_pack_release(&w.packs[i]);
	free(w.packs);
	free(w.items);
	lb_change_end(&w.change);
	return r;
}
