/* shelf.c - servers put into the configuration, and taken out of it. */
#include "mcp/shelf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "config/edit.h"
#include "config/load.h"
#include "config/yaml.h"
#include "fs/atomic.h"
#include "mcp/server.h"

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

int lb_mcp_name_check(const char *name, struct lb_error *err)
{
	size_t n = 0;

	while (is_name_char(name[n]))
		n++;
	if (n == 0 || n > LB_MCP_NAME_MAX || name[n] || *name == '-')
		return lb_fail(err, LB_USAGE,
			       "'%.80s' is no name of a server: 1 to %d of "
			       "A-Z, a-z, 0-9, _ and -",
			       name, LB_MCP_NAME_MAX);
	return 0;
}

char *lb_mcp_name_clean(const char *name)
{
	char *clean = lb_strndup(name, strnlen(name, LB_MCP_NAME_MAX));

	for (char *c = clean; *c; c++)
		if (!is_name_char(*c) || (c == clean && *c == '-'))
			*c = '_';
	return clean;
}

/* The main file: the one found, or where one would be. */
static char *main_file(const char *given, struct lb_error *err)
{
	char *found, *fresh = NULL;

	if (given)
		return lb_strdup(given);
	found = lb_config_find(&fresh);
	if (found) {
		free(fresh);
		return found;
	}
	if (!fresh)
		lb_fail(err, LB_CONFIG,
			"none of LB_CONFIG, XDG_CONFIG_HOME and HOME is set");
	return fresh;
}

char *lb_mcp_shelf_file(const char *config_file, const char *name,
			struct lb_error *err)
{
	lb_autofree char *file = main_file(config_file, err);
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (!file)
		return NULL;
	return lb_printf("%.*sconf.d/mcp-%s.yaml",
			 slash ? (int)(slash + 1 - file) : 0, file, name);
}

/* What stands beside a main file is read where there is one. */
static int make_main(const char *config_file, struct lb_error *err)
{
	static const char text[] = "# see lb-config(5)\n";
	lb_autofree char *file = main_file(config_file, err);

	if (!file)
		return -1;
	if (access(file, F_OK) == 0)
		return 0;
	return lb_atomic_create(file, text, sizeof(text) - 1, err);
}

static const json_t *entity_of(const struct lb_config *config, const char *name)
{
	return json_object_get(lb_config_get(config, "mcp.servers"), name);
}

/* "file:line" of the server's first key; NULL if there is none. */
static const char *origin_of(const struct lb_config *config, const char *name)
{
	lb_autofree char *path = lb_printf("mcp.servers.%s", name);
	const char *key;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)entity_of(config, name), key,
			    one)
	{
		lb_autofree char *full = lb_printf("%s.%s", path, key);
		const char *origin = lb_config_origin(config, full);

		if (origin && strcmp(origin, "default") != 0)
			return origin;
	}
	return lb_config_origin(config, path);
}

/* YAML that holds it: each member is a line, as JSON. */
static void put_yaml(struct lb_buf *out, const char *name, const json_t *entity)
{
	const char *key;
	json_t *value;

	lb_buf_printf(out, "mcp:\n  servers:\n    %s:\n", name);
	json_object_foreach((json_t *)(uintptr_t)entity, key, value)
	{
		lb_buf_printf(out, "      %s: ", key);
		lb_buf_json(out, value);
		lb_buf_putc(out, '\n');
	}
}

/* Would the configuration take it? */
static int check(const char *name, const struct lb_buf *text,
		 struct lb_error *err)
{
	struct lb_config *config = lb_config_gather(&(struct lb_sources){
		.file = "/dev/null",
		.text = text->data,
		.len = text->len,
		.no_environment = true,
	});
	int bad = lb_config_verdict(config, err);

	lb_config_close(config);
	return bad < 0 ? lb_error_wrap(err, "server '%s' is not written", name)
		       : 0;
}

static int may_write(struct lb_config *config, const char *name,
		     const char *path, bool replace, struct lb_error *err)
{
	const char *origin = origin_of(config, name);
	bool own = access(path, F_OK) == 0;

	if (!entity_of(config, name) && !own)
		return 0;
	if (!own)
		return lb_fail(err, LB_DENIED,
			       "there is a server '%s' already, in %s", name,
			       origin ? origin : "the configuration");
	if (!replace)
		return lb_fail(err, LB_DENIED,
			       "there is a server '%s' already (--replace)",
			       name);
	return 0;
}

int lb_mcp_shelf_put(struct lb_config *config, const char *config_file,
		     const char *name, const json_t *entity, bool replace,
		     char **path, struct lb_error *err)
{
	lb_autofree char *file = lb_mcp_shelf_file(config_file, name, err);
	lb_autobuf struct lb_buf text = {0};
	lb_autofree char *folder = NULL;
	struct lb_mcp_server server;

	if (!file || lb_mcp_name_check(name, err) < 0 ||
	    lb_mcp_server_read(&server, name, entity, err) < 0)
		return -1;
	lb_mcp_server_release(&server);
	put_yaml(&text, name, entity);
	if (may_write(config, name, file, replace, err) < 0 ||
	    check(name, &text, err) < 0)
		return -1;
	folder = lb_strndup(file, (size_t)(strrchr(file, '/') - file));
	if (lb_path_make(folder, err) < 0 || make_main(config_file, err) < 0 ||
	    (replace ? lb_atomic_replace : lb_atomic_create)(file, text.data,
							     text.len, err) < 0)
		return -1;
	if (path)
		*path = lb_steal(&file);
	return 0;
}

/* A file of its own is not the only place a server can be in. */
static int find_file(struct lb_config *config, const char *config_file,
		     const char *name, char **file, bool *own,
		     struct lb_error *err)
{
	const char *origin = origin_of(config, name);
	const char *colon = origin ? strrchr(origin, ':') : NULL;

	*file = lb_mcp_shelf_file(config_file, name, err);
	if (!*file)
		return -1;
	*own = access(*file, F_OK) == 0;
	if (*own)
		return 0;
	if (!entity_of(config, name) || !colon)
		return lb_fail(err, LB_NOINPUT,
			       "there is no server '%s' in the configuration",
			       name);
	free(*file);
	*file = lb_strndup(origin, (size_t)(colon - origin));
	return 0;
}

int lb_mcp_shelf_remove(struct lb_config *config, const char *config_file,
			const char *name, struct lb_error *err)
{
	lb_autofree char *file = NULL;
	bool own;

	if (find_file(config, config_file, name, &file, &own, err) < 0)
		return -1;
	if (!own)
		return lb_fail(err, LB_DENIED,
			       "server '%s' is in '%s', which is a person's: "
			       "remove it there",
			       name, file);
	if (unlink(file) < 0)
		return lb_fail_sys(err, LB_IO, "cannot remove '%s'", file);
	return 0;
}

int lb_mcp_shelf_enable(struct lb_config *config, const char *config_file,
			const char *name, bool enable, struct lb_error *err)
{
	lb_autofree char *file = NULL, *text = NULL;
	lb_autofree char *path = lb_printf("mcp.servers.%s.enable", name);
	lb_autobuf struct lb_buf out = {0};
	json_auto_t *value = json_boolean(enable);
	size_t len;
	bool own;

	if (find_file(config, config_file, name, &file, &own, err) < 0)
		return -1;
	if (lb_json_bool(entity_of(config, name), "enable", true) == enable)
		return 0;
	if (lb_path_read(file, LB_YAML_MAX, &text, &len, err) < 0 ||
	    lb_edit_set(text, len, path, value, &out, err) < 0 ||
	    lb_atomic_write(file, out.data, out.len, err) < 0)
		return -1;
	return 1;
}
