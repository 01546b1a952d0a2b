/* place.c - where things are: what the environment says of files. */
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/load.h"

#ifndef LB_SYSCONFDIR
#define LB_SYSCONFDIR "/usr/local/etc"
#endif

enum { DEFAULT_LINE = 16 << 20, MAX_LINE = 1 << 30 };

const char *lb_config_env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

char *lb_config_login(void)
{
	const char *name = lb_config_env("USER");
	const struct passwd *pw = NULL;

	if (!name || !lb_utf8_valid(name, strlen(name))) {
		pw = getpwuid(getuid());
		name = pw ? pw->pw_name : "user";
	}
	return lb_strdup(name);
}

char *lb_config_share(const char *name)
{
	return lb_path_share(lb_config_env("LB_SHARE"), name);
}

int64_t lb_config_max_line(void)
{
	const char *text = lb_config_env("LB_MAX_LINE");
	struct lb_error err;
	int64_t max;

	if (!text)
		return DEFAULT_LINE;
	if (lb_size_parse(text, &max, &err) == 0 && max > 0 && max <= MAX_LINE)
		return max;
	lb_warn("LB_MAX_LINE: '%s' is not a size from 1 to 1G; it is left out",
		text);
	return DEFAULT_LINE;
}

/* $XDG_xxx, when absolute, else $HOME and `rest`, then "/lb". */
static char *xdg(const char *name, const char *rest)
{
	const char *base = lb_config_env(name), *home = lb_config_env("HOME");

	if (base && *base == '/')
		return lb_printf("%s/lb", base);
	/* No home is made: /nonexistent is somebody's word for none. */
	if (!home || *home != '/' || access(home, F_OK) < 0)
		return NULL;
	return lb_printf("%s/%s/lb", home, rest);
}

char *lb_config_state(struct lb_error *err)
{
	const char *own = lb_config_env("LB_STATE");
	char *path =
		own ? lb_strdup(own) : xdg("XDG_STATE_HOME", ".local/state");

	if (!path)
		lb_fail(err, LB_CONFIG,
			"none of LB_STATE, XDG_STATE_HOME and HOME names a "
			"place for the state");
	return path;
}

char *lb_config_find(char **fresh)
{
	const char *own = lb_config_env("LB_CONFIG");
	lb_autofree char *folder = NULL, *path = NULL;

	if (own && fresh)
		*fresh = lb_strdup(own);
	if (own)
		return lb_strdup(own);
	folder = xdg("XDG_CONFIG_HOME", ".config");
	if (folder) {
		path = lb_printf("%s/config.yaml", folder);
		if (fresh)
			*fresh = lb_strdup(path);
		if (access(path, F_OK) == 0)
			return lb_steal(&path);
	} else if (fresh) {
		*fresh = NULL;
	}
	if (access(LB_SYSCONFDIR "/lb/config.yaml", F_OK) == 0)
		return lb_strdup(LB_SYSCONFDIR "/lb/config.yaml");
	return NULL;
}
