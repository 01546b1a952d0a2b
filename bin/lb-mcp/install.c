/* lb-mcp install */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "mcp.h"
#include "mcp/market.h"
#include "mcp/shelf.h"

static const char *config_file;
static bool replace;

const struct lb_opt install_options[] = {
	{'c', "config", "FILE", "the configuration that it is added to",
	 .text = &config_file},
	{0, "replace", NULL, "in place of one of that name", .flag = &replace},
	{0},
};

static int install(const char *name, struct lb_error *err)
{
	struct office o;
	json_auto_t *found = NULL, *entity = NULL;
	lb_autofree char *path = NULL;
	const char *as;
	int r = office_open(&o, config_file, NULL, err);

	if (r == 0)
		found = lb_mcp_market_get(o.config, name, err);
	as = lb_json_str(found, "name");
	if (found)
		entity = entity_cleaned(json_object_get(found, "entity"));
	r = entity ? lb_mcp_shelf_put(o.config, config_file, as, entity,
				      replace, &path, err)
		   : -1;
	if (r == 0)
		lb_tell(NULL, "'%s' is in '%s'; 'lb-mcp test %s' tries it", as,
			path, as);
	office_close(&o);
	return r;
}

int install_verb(int argc, char **argv)
{
	static const char prefix[] = "market:";
	struct lb_error err;

	(void)argc;
	if (strncmp(argv[0], prefix, strlen(prefix)) != 0)
		lb_usage("'%s' is no market:AUTHOR/NAME (for all else there is "
			 "'lb-mcp add')",
			 argv[0]);
	return install(argv[0] + strlen(prefix), &err) < 0 ? lb_report(&err)
							   : LB_OK;
}
