/* lb-mcp add */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "mcp.h"
#include "mcp/shelf.h"

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

/* DIR[:rw]; it is written down as what it is from anywhere. */
static int add_folder(json_t *box, struct lb_error *err)
{
	const char *rw = strrchr(folder, ':');
	bool writes = rw && strcmp(rw, ":rw") == 0;
	lb_autofree char *dir =
		lb_strndup(folder,
			   writes ? (size_t)(rw - folder) : strlen(folder));
	lb_autofree char *real = realpath(dir, NULL);
	struct stat st;

	if (!real)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'", dir);
	if (stat(real, &st) < 0 || !S_ISDIR(st.st_mode))
		return lb_fail(err, LB_USAGE, "--project: '%s' is no folder",
			       dir);
	lb_json_set_str(box, "host_path", real, strlen(real));
	json_object_set_new(box, "host_path_mode",
			    json_string(writes ? "rw" : "ro"));
	return 0;
}

static int add_box(json_t *entity, struct lb_error *err)
{
	json_t *had = json_object_get(entity, "box");
	json_auto_t *box =
		json_is_object(had) ? json_incref(had) : json_object();

	if (network)
		json_object_set_new(box, "network", network_of(network));
	if (folder && add_folder(box, err) < 0)
		return -1;
	if (json_object_size(box) > 0)
		json_object_set(entity, "box", box);
	return 0;
}

/* What the options say of a server, wherever the rest is from. */
static int add_options_to(json_t *entity, struct lb_error *err)
{
	const struct {
		const char *key;
		const struct lb_list *list;
		char between;
	} texts[] = {{"env", &env, '='}, {"headers", &headers, ':'}};

	for (size_t i = 0; i < 2; i++) {
		json_auto_t *more = pairs(texts[i].list, texts[i].between);
		json_t *had = json_object_get(entity, texts[i].key);

		if (json_is_object(had))
			json_object_update(had, more);
		else if (json_object_size(more) > 0)
			json_object_set(entity, texts[i].key, more);
	}
	if (host)
		json_object_set_new(entity, "host", json_true());
	return add_box(entity, err);
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
	return entity;
}

static json_t *find_entity(struct office *o, const char *name,
			   struct lb_error *err)
{
	json_auto_t *found = NULL;

	if (!json_object_get(o->servers, name)) {
		lb_fail(err, LB_NOINPUT, "'%s' has no server '%s'", from, name);
		return NULL;
	}
	found = office_foreign(o, name, err);
	if (!found || foreign_check(found, &env, &headers, err) < 0)
		return NULL;
	return entity_cleaned(found);
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
	r = entity && add_options_to(entity, err) == 0
		    ? lb_mcp_shelf_put(o.config, config_file, name, entity,
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
