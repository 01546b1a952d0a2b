/* lb-skill install */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "skill.h"
#include "skill/install.h"
#include "skill/source.h"

static bool all, json, replace, force, strict, dry;
static struct lb_list selected;
static const char *config_file;

const struct lb_opt install_options[] = {
	{'a', "all", NULL, "all skills that are there", .flag = &all},
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "dry-run",
	 .help = "say what would be done, and do nothing",
	 .flag = &dry},
	{.name = "force",
	 .help = "undo what was edited here since it was installed",
	 .flag = &force},
	{.name = "json",
	 .help = "write records to a terminal too",
	 .flag = &json},
	{.name = "replace",
	 .help = "replace a skill of that name from another source",
	 .flag = &replace},
	{.name = "select",
	 .arg = "SKILL",
	 .help = "this one of several, by name or folder; may be repeated",
	 .list = &selected},
	{'s', "strict", NULL, "refuse what is not as the specification says",
	 .flag = &strict},
	{0},
};

static const char *const columns[] = {"name", "action", "path", NULL};

static void show(const struct desk *d, const struct lb_install_row *row,
		 struct lb_table *table)
{
	json_t *o = lb_json_pack("{s:s}", "kind", "skill");
	lb_autofree char *path = lb_printf("%s/%s", d->shelf->store, row->name);

	lb_json_set_str(o, "name", row->name, strlen(row->name));
	json_object_set_new(o, "action",
			    json_string(lb_installed_word(row->what)));
	lb_json_set_str(o, "path", path, strlen(path));
	if (row->changes)
		json_object_set(o, "changes", row->changes);
	lb_table_row(table, o);
}

static void warn(const struct lb_offers *offers)
{
	for (size_t i = 0; i < offers->n; i++) {
		const struct lb_offer_one *one = &offers->at[i];
		lb_autofree char *where = lb_printf("%s%sSKILL.md", one->shown,
						    *one->shown ? "/" : "");

		if (one->skill.fit)
			warn_of(where, &one->skill, LB_SKILL_OFF);
	}
}

static int install(struct desk *d, struct lb_got *got, struct lb_error *err)
{
	const struct lb_install how = {replace, force, strict, dry};
	struct lb_install_rows rows = {0};
	struct lb_offers offers = {0};
	int r = lb_offers_find(&offers, &got->pack, &got->from, err);

	if (r == 0)
		r = lb_offers_choose(&offers, selected.at, selected.n, all,
				     err);
	if (r == 0) {
		warn(&offers);
		r = lb_skills_install(d->shelf, &offers, &got->pack,
				      &got->origin, &how, &rows, err);
	}
	if (r == 0) {
		struct lb_table *table = lb_table_open(columns, json);

		for (size_t i = 0; i < rows.n; i++)
			show(d, &rows.at[i], table);
		lb_table_close(table);
	}
	lb_install_rows_release(&rows);
	lb_offers_release(&offers);
	return r;
}

int install_verb(int argc, char **argv)
{
	struct lb_got got = {0};
	struct lb_error err;
	struct desk d;
	int r = desk_open(&d, config_file, &err);

	(void)argc;
	if (r == 0)
		r = desk_get(&got, argv[0], &err);
	if (r == 0 && (r = install(&d, &got, &err)) < 0 &&
	    err.code != LB_DENIED)
		lb_error_wrap(&err, "%.200s", argv[0]);
	lb_got_release(&got);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}
