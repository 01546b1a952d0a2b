/* lb-mcp enable, disable and rm */
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "box/key.h"
#include "box/place.h"
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

/* What it wrote may be all that somebody has of it: that is theirs to remove. */
static void tell_files(const struct office *o, const char *name)
{
	lb_autofree char *session = lb_printf("mcp/%s", name);
	lb_autofree char *folder = lb_box_folder(session), *path = NULL;
	struct lb_box_places places;
	struct lb_error err;

	if (lb_box_places_find(&places, o->config, o->state, &err) > 0) {
		path = lb_printf("%s/%s", places.sessions, folder);
		if (access(path, F_OK) == 0)
			lb_tell(NULL,
				"the sandbox of '%s' stays, with what it wrote "
				"there; 'lb-box delete %s' removes it",
				name, session);
	}
	lb_box_places_release(&places);
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
		tell_files(&o, *argv);
	}
	office_close(&o);
	return code;
}
