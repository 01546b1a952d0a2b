/* lb-mcp enable, disable and rm */
#include "base/log.h"
#include "mcp.h"
#include "mcp/log-file.h"
#include "mcp/shelf.h"
#include "mcp/status.h"

static const char *config_file;

const struct lb_opt change_options[] = {
	{'c', "config", "FILE", "the configuration that is changed",
	 .text = &config_file},
	{0},
};

const struct lb_opt rm_options[] = {
	{'c', "config", "FILE", "the configuration that it is taken out of",
	 .text = &config_file},
	{0},
};

static int enable(char **names, bool as)
{
	struct office o;
	struct lb_error err;
	int r = office_open(&o, config_file, NULL, &err), code = LB_OK;

	if (r < 0)
		code = lb_report(&err);
	for (; r == 0 && *names; names++)
		if (lb_mcp_shelf_enable(o.config, config_file, *names, as,
					&err) < 0)
			code = lb_report(&err);
	office_close(&o);
	return code;
}

int enable_verb(int argc, char **argv)
{
	(void)argc;
	return enable(argv, true);
}

int disable_verb(int argc, char **argv)
{
	(void)argc;
	return enable(argv, false);
}

int rm_verb(int argc, char **argv)
{
	struct office o;
	struct lb_error err;
	int r = office_open(&o, config_file, NULL, &err), code = LB_OK;

	(void)argc;
	if (r < 0)
		code = lb_report(&err);
	for (; r == 0 && *argv; argv++) {
		if (lb_mcp_shelf_remove(o.config, config_file, *argv, &err) <
		    0) {
			code = lb_report(&err);
			continue;
		}
		lb_log_file_remove(o.state, *argv);
		lb_mcp_status_remove(o.state, *argv);
	}
	office_close(&o);
	return code;
}
