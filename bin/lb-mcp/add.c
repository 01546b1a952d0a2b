/* lb-mcp add */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "mcp.h"
#include "mcp/shelf.h"
#include "mcp/stranger.h"

static const char *config_file, *from, *url, *network, *folder, *mode;
static struct lb_list env, headers;
static bool replace, host, disabled;

const struct lb_opt add_options[] = {
	{'c', "config", "FILE", "the configuration that it is added to",
	 .text = &config_file},
	{0, "disabled", NULL, "it may not be used yet", .flag = &disabled},
	{0, "env", "NAME=TEXT",
	 "a variable that it gets; TEXT may be env:NAME or file:PATH",
	 .list = &env},
	{'f', "from", "FILE", "take it from an mcpServers file", .text = &from},
	{0, "header", "NAME:TEXT",
	 "a header of each request; TEXT may be env:NAME or file:PATH",
	 .list = &headers},
	{0, "host", NULL, "run it on this machine, in no sandbox",
	 .flag = &host},
	{0, "mode", "MODE", "stdio, remote, http or sse", .text = &mode},
	{0, "network", "on|off|HOST,...", "may it reach others (default: off)",
	 .text = &network},
	{0, "project", "DIR[:rw]", "a folder that it sees as /mnt/project",
	 .text = &folder},
	{0, "replace", NULL, "in place of one of that name", .flag = &replace},
	{0, "url", "URL", "it is there, and no command", .text = &url},
	{0},
};

/* NAME=TEXT or NAME: TEXT */
static json_t *pairs(const struct lb_list *list, char between)
{
	json_t *all = json_object();

	for (size_t i = 0; i < list->n; i++) {
		const char *word = list->at[i], *at = strchr(word, between);
		lb_autofree char *name = NULL;

		if (!at || at == word)
			lb_usage("'%s' is no NAME%cTEXT", word, between);
		name = lb_strndup(word, (size_t)(at - word));
		at += 1 + (between == ':' ? strspn(at + 1, " ") : 0);
		lb_json_set_str(all, name, at, strlen(at));
	}
	return all;
}

static void add_box(json_t *entity)
{
	json_t *box = json_object_get(entity, "box");
	const char *rw = folder ? strrchr(folder, ':') : NULL;
	bool writes = rw && strcmp(rw, ":rw") == 0;

	if (!network && !folder)
		return;
	if (!json_is_object(box)) {
		box = json_object();
		json_object_set_new(entity, "box", box);
	}
	if (network)
		json_object_set_new(box, "network", network_of(network));
	if (folder) {
		lb_json_set_str(box, "host_path", folder,
				writes ? (size_t)(rw - folder)
				       : strlen(folder));
		json_object_set_new(box, "host_path_mode",
				    json_string(writes ? "rw" : "ro"));
	}
}

/* Of what the command line says. */
static json_t *make_entity(int argc, char **argv)
{
	json_t *entity = json_object(), *args = json_array();

	if (mode)
		lb_json_set_str(entity, "mode", mode, strlen(mode));
	if (url)
		lb_json_set_str(entity, "url", url, strlen(url));
	else
		lb_json_set_str(entity, "command", argv[0], strlen(argv[0]));
	for (int i = 1; i < argc; i++)
		json_array_append_new(args,
				      lb_json_text(argv[i], strlen(argv[i])));
	if (!url)
		json_object_set(entity, "args", args);
	json_decref(args);
	if (env.n > 0)
		json_object_set_new(entity, "env", pairs(&env, '='));
	if (headers.n > 0)
		json_object_set_new(entity, "headers", pairs(&headers, ':'));
	if (host)
		json_object_set_new(entity, "host", json_true());
	add_box(entity);
	return entity;
}

/* What is of no meaning to us is not taken over. */
static json_t *cleaned(const json_t *entity)
{
	static const char *const keys[] = {
		"mode",    "command",     "args",
		"env",     "box",         "url",
		"headers", "timeout",     "ssereadtimeout",
		"host",    "roots",       "tool_call_timeout_sec",
		"enable",  "elicitation", "readme",
		"uuid",    "era",         NULL,
	};
	json_t *clean = json_object();
	const char *type = lb_json_str(entity, "type");

	for (size_t i = 0; keys[i]; i++) {
		json_t *value = json_object_get(entity, keys[i]);

		if (value && !json_is_null(value))
			json_object_set(clean, keys[i], value);
	}
	if (type && !json_object_get(clean, "mode"))
		json_object_set_new(clean, "mode",
				    json_string(strstr(type, "http") ? "http"
								     : type));
	if (lb_json_bool(entity, "disabled", false))
		json_object_set_new(clean, "enable", json_false());
	return clean;
}

json_t *entity_cleaned(const json_t *entity)
{
	return cleaned(entity);
}

static json_t *find_entity(struct office *o, const char *name,
			   struct lb_error *err)
{
	json_auto_t *found = NULL;

	if (!json_object_get(o->servers, name)) {
		lb_fail(err, LB_NOINPUT, "'%s' has no server '%s'", from, name);
		return NULL;
	}
	found = office_stranger(o, name, err);
	if (!found || lb_mcp_stranger_check(found, "of the file", err) < 0)
		return NULL;
	if (host)
		json_object_set_new(found, "host", json_true());
	add_box(found);
	return cleaned(found);
}

static int add(const char *name, int argc, char **argv, struct lb_error *err)
{
	struct office o;
	json_auto_t *entity = NULL;
	lb_autofree char *path = NULL;
	int r = office_open(&o, config_file, from, err);

	if (r == 0)
		entity = from ? find_entity(&o, name, err)
			      : make_entity(argc, argv);
	if (entity && disabled)
		json_object_set_new(entity, "enable", json_false());
	r = entity ? lb_mcp_shelf_put(o.config, config_file, name, entity,
				      replace, &path, err)
		   : -1;
	if (r == 0)
		lb_tell(NULL, "'%s' is in '%s'; 'lb-mcp test %s' tries it",
			name, path, name);
	office_close(&o);
	return r;
}

int add_verb(int argc, char **argv)
{
	struct lb_error err;

	if ((argc > 1) + (url != NULL) + (from != NULL) != 1)
		lb_usage("say what it is: a command (behind --), --url or "
			 "--from");
	return add(argv[0], argc - 1, argv + 1, &err) < 0 ? lb_report(&err)
							  : LB_OK;
}
