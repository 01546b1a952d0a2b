/* lb-skill verify */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "skill.h"
#include "skill/change.h"
#include "skill/install.h"
#include "skill/sum.h"

static bool json;
static const char *config_file;

const struct lb_opt verify_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "json",
	 .help = "write lines of JSON to a terminal too",
	 .flag = &json},
	{0},
};

static const char *const columns[] = {"name", "state", "text", NULL};

struct verdict {
	struct lb_table *table;
	bool good;
};

static void tell(struct verdict *v, const char *name, const char *state,
		 const char *text, json_t *take)
{
	json_t *row = lb_json_pack("{}");

	lb_json_set_str(row, "name", name, strlen(name));
	json_object_set_new(row, "state", json_string(state));
	if (text)
		lb_json_set_str(row, "text", text, strlen(text));
	if (take)
		json_object_set_new(row, "changes", take);
	lb_table_row(v->table, row);
	v->good = v->good && strcmp(state, "ok") == 0;
}

/* What it is against what was installed. */
static int compare(struct verdict *v, const char *store,
		   const struct lb_shelved *one, const json_t *from,
		   struct lb_error *err)
{
	lb_autobuf struct lb_buf before = {0}, now = {0}, text = {0};
	char sum[LB_SKILL_SUM];
	json_t *changes;
	int r = lb_shelved_sum(one, &now, sum, err);

	if (r < 0 && err->code != LB_DATA)
		return -1;
	if (r < 0) {
		tell(v, one->name, "modified", err->text, NULL);
		return 0;
	}
	if (strcmp(sum, lb_json_str(from, "tree")) == 0) {
		tell(v, one->name, "ok", NULL, NULL);
		return 0;
	}
	if (lb_change_list(store, one->name, &before, err) < 0)
		return -1;
	changes = lb_skill_changes(lb_buf_str(&before), lb_buf_str(&now));
	lb_changes_text(changes, &text);
	tell(v, one->name, "modified", lb_buf_str(&text), changes);
	return 0;
}

static int look(struct verdict *v, const struct lb_shelf *shelf,
		const struct lb_shelved *one, const json_t *known,
		struct lb_error *err)
{
	const json_t *from = json_object_get(known, one->name);

	if (!one->is_own)
		return 0;
	if (!lb_json_str(from, "tree")) {
		tell(v, one->name, "unknown",
		     "it is not in lock.json: nobody installed it", NULL);
		return 0;
	}
	return compare(v, shelf->store, one, from, err);
}

static bool is_there(const struct lb_shelved_all *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].is_own && strcmp(all->at[i].name, name) == 0)
			return true;
	return false;
}

static int verify_all(struct verdict *v, const struct lb_shelf *shelf,
		      json_t *known, struct lb_error *err)
{
	struct lb_shelved_all all = {0};
	const char *name;
	json_t *from;
	int r = lb_shelf_list(shelf, &all, err);

	for (size_t i = 0; i < all.n && r == 0; i++)
		r = look(v, shelf, &all.at[i], known, err);
	json_object_foreach(known, name,
			    from) if (r == 0 && !is_there(&all, name))
		tell(v, name, "missing",
		     "it was installed, and is "
		     "not there",
		     NULL);
	lb_shelved_release(&all);
	return r;
}

static int verify_one(struct verdict *v, const struct lb_shelf *shelf,
		      const char *name, json_t *known, struct lb_error *err)
{
	struct lb_shelved one;
	int r = lb_shelf_find(shelf, name, &one, err);

	if (r < 0)
		return -1;
	if (!one.is_own)
		r = lb_fail(err, LB_DENIED,
			    "skill '%s' is in '%.200s', which nothing is known "
			    "of",
			    name, one.folder);
	else
		r = look(v, shelf, &one, known, err);
	lb_shelved_one_release(&one);
	return r;
}

int verify_verb(int argc, char **argv)
{
	struct verdict v = {.good = true};
	struct lb_error err;
	struct desk d;
	json_auto_t *known = NULL;
	int r = desk_open(&d, config_file, &err);

	if (r == 0 && !(known = lb_change_known(d.shelf->store, &err)))
		r = -1;
	v.table = lb_table_open(columns, json);
	if (r == 0 && argc == 0)
		r = verify_all(&v, d.shelf, known, &err);
	for (int i = 0; i < argc && r == 0; i++)
		r = verify_one(&v, d.shelf, argv[i], known, &err);
	lb_table_close(v.table);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : v.good ? LB_OK : LB_NO;
}
