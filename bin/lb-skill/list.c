/* lb-skill list */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "skill.h"
#include "skill/change.h"

static bool all, json;
static const char *config_file;

const struct lb_opt list_options[] = {
	{'a', "all", NULL,
	 "those that cannot be used, too, and those that another hides",
	 .flag = &all},
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "json",
	 .help = "write records to a terminal too",
	 .flag = &json},
	{0},
};

static const char *const columns[] = {"name", "state", "description", NULL};

/* For people: the first line, or why there is none. */
static void shorten(json_t *row)
{
	const char *reason = lb_json_str(row, "reason");
	const char *text = reason ? reason : lb_json_str(row, "description");

	if (text)
		lb_json_set_str(row, "description", text, strcspn(text, "\n"));
}

/* What was not read as it stands; validate and install say all. */
static void warn(const char *where, const struct lb_skill *skill)
{
	if (!skill->fit)
		warn_of(where, skill, LB_SKILL_UNFIT);
	for (size_t i = 0; skill->fit && i < skill->found.n; i++) {
		const struct lb_skill_finding *f = &skill->found.at[i];

		if (strcmp(f->rule, "colon") == 0)
			lb_warn("%s:%zu: %s", where, f->line, f->text);
	}
}

/* A search path that is misspelt would just have no skills. */
static void warn_of_paths(const struct lb_shelf *shelf)
{
	for (size_t i = 1; i < shelf->n_roots; i++)
		if (access(shelf->roots[i], F_OK) < 0)
			lb_warn("skills.paths: '%s' is not there",
				shelf->roots[i]);
}

static void show(const struct lb_shelved *one, const json_t *known,
		 struct lb_table *table, bool people)
{
	const json_t *from =
		one->is_own ? json_object_get(known, one->name) : NULL;
	lb_autofree char *where = lb_printf("%s/SKILL.md", one->folder);
	bool hidden = !one->skill.fit || one->is_shadowed;
	json_t *row;

	if (!all)
		warn(where, &one->skill);
	if (hidden && !all)
		return;
	row = skill_record(one, from);
	if (people)
		shorten(row);
	lb_table_row(table, row);
}

int list_verb(int argc, char **argv)
{
	struct lb_shelved_all found = {0};
	struct lb_error err;
	struct desk d;
	json_auto_t *known = NULL;
	struct lb_table *table;
	bool people = !json && isatty(STDOUT_FILENO);
	int r = desk_open(&d, config_file, &err);

	(void)argc;
	(void)argv;
	if (r == 0)
		r = lb_shelf_list(d.shelf, &found, &err);
	if (r == 0 && !(known = lb_change_known(d.shelf->store, &err)))
		r = -1;
	if (r == 0) {
		warn_of_paths(d.shelf);
		table = lb_table_open(columns, json);
		for (size_t i = 0; i < found.n; i++)
			show(&found.at[i], known, table, people);
		lb_table_close(table);
		if (found.unread > 0)
			lb_warn("%zu more skills are not listed: there may be "
				"%d",
				found.unread, LB_SHELF_SKILLS);
	}
	lb_shelved_release(&found);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}
