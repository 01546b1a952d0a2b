/* lb-skill preview */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "skill.h"
#include "skill/source.h"

static bool json;
static const char *config_file;

const struct lb_opt preview_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "json",
	 .help = "write records to a terminal too",
	 .flag = &json},
	{0},
};

static const char *const columns[] = {"name",  "folder",      "files",
				      "state", "description", NULL};

static size_t count_files(const struct lb_pack *p, const char *folder)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += lb_pack_is_below(p->files[i].path, folder);
	return n;
}

static void show(const struct lb_got *got, const struct lb_offer_one *one,
		 struct lb_table *table)
{
	const struct lb_skill *s = &one->skill;
	const struct lb_skill_finding *worst = lb_skill_worst(&s->found);
	json_t *row = lb_json_pack("{s:s}", "kind", "skill");
	lb_autofree char *where =
		lb_printf("%s%sSKILL.md", one->shown, *one->shown ? "/" : "");

	lb_json_set_str(row, "name", one->name, strlen(one->name));
	lb_json_set_str(row, "folder", one->shown, strlen(one->shown));
	lb_json_set_str(row, "description", s->description,
			strlen(s->description));
	json_object_set_new(row, "state",
			    json_string(s->fit ? "ok" : "invalid"));
	if (!s->fit && worst)
		lb_json_set_str(row, "reason", worst->text,
				strlen(worst->text));
	if (s->tools)
		json_object_set(row, "allowed_tools", s->tools);
	json_object_set_new(row, "files",
			    json_integer((json_int_t)count_files(&got->pack,
								 one->folder)));
	lb_json_set_str(row, "source", got->origin.source,
			strlen(got->origin.source));
	warn_of(where, s, s->fit ? LB_SKILL_OFF : LB_SKILL_UNFIT);
	lb_table_row(table, row);
}

int preview_verb(int argc, char **argv)
{
	struct lb_offers offers = {0};
	struct lb_got got = {0};
	struct lb_error err;
	struct desk d;
	int r = desk_open(&d, config_file, &err);

	(void)argc;
	if (r == 0)
		r = desk_get(&d, &got, argv[0], &err);
	if (r == 0)
		r = lb_offers_find(&offers, &got.pack, &got.from, &err);
	if (r == 0) {
		struct lb_table *table = lb_table_open(columns, json);

		for (size_t i = 0; i < offers.n; i++)
			show(&got, &offers.at[i], table);
		lb_table_close(table);
	}
	lb_offers_release(&offers);
	lb_got_release(&got);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}
