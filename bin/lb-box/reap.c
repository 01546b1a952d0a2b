/* lb-box reap, lb-box gc */
#include <string.h>

#include "base/json.h"
#include "base/table.h"
#include "box.h"
#include "box/reap.h"

static const char *config_file;
static bool json;

const struct lb_opt reap_options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	BOX_WORKSPACE,
	{0},
};

static void tell(void *arg, const char *what, const char *name)
{
	json_t *row = lb_json_pack("{s:s}", "ended", what);

	json_object_set_new(row, "name", lb_json_text(name, strlen(name)));
	lb_table_row(arg, row);
}

static int run(int (*fn)(struct lb_config *, const char *, lb_box_reaped *,
			 void *, struct lb_error *))
{
	static const char *const columns[] = {"ended", "name", NULL};
	struct lb_error err;
	struct box_place p;
	struct lb_table *table;
	int r;

	if (box_place(&p, config_file, &err) < 0)
		return lb_report(&err);
	table = lb_table_open(columns, json);
	r = fn(p.config, p.state, tell, table, &err);
	lb_table_close(table);
	box_place_release(&p);
	return r < 0 ? lb_report(&err) : LB_OK;
}

int reap_verb(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return run(lb_box_reap);
}

int gc_verb(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return run(lb_box_gc);
}
