#include "config/load.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/keys.h"

enum { MAX_PARTS = 256 }; /* files in conf.d */

void lb_config_problem(struct lb_config *config, enum lb_problem_level level,
		       const char *where, const char *fmt, ...)
{
	struct lb_finding *p;
	char text[LB_ERROR_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	config->problems =
		lb_grow(config->problems,
			(config->n_problems + 1) * sizeof(*config->problems));
	p = &config->problems[config->n_problems++];
	p->level = level;
	p->where = lb_strdup(where);
	p->text = lb_strdup(text);
}

/* An error that begins "path:line: " has its place in that. */
static void problem_of(struct lb_config *config, const char *path,
		       const struct lb_error *why)
{
	size_t len = strlen(path), digits;
	lb_autofree char *where = NULL;

	if (strncmp(why->text, path, len) == 0 && why->text[len] == ':') {
		digits = strspn(why->text + len + 1, "0123456789");
		if (digits > 0 &&
		    strncmp(why->text + len + 1 + digits, ": ", 2) == 0)
			where = lb_strndup(why->text, len + 1 + digits);
	}
	lb_config_problem(config, LB_PROBLEM, where ? where : "", "%s",
			  why->text + (where ? strlen(where) + 2 : 0));
}

/* Others may read it: literal secrets in it deserve a word. */
static bool is_exposed(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & 044) != 0;
}

static void take_text(struct lb_config *config, const char *path,
		      const char *text, size_t len)
{
	struct lb_error why;
	struct lb_yaml *root = lb_yaml_open(text, len, path, &why);

	if (root)
		lb_config_layer(config, root, path, is_exposed(path));
	else
		problem_of(config, path, &why);
	lb_yaml_close(root);
}

static void take_file(struct lb_config *config, const char *path)
{
	lb_autofree char *text = NULL;
	struct lb_error why;
	size_t len;

	if (lb_path_read(path, LB_YAML_MAX, &text, &len, &why) < 0)
		problem_of(config, path, &why);
	else
		take_text(config, path, text, len);
}

static int is_part(const struct dirent *entry)
{
	const char *name = entry->d_name, *end = strrchr(name, '.');

	return *name != '.' && end && strcmp(end, ".yaml") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* conf.d/NAME.yaml beside the main file. */
static void take_parts(struct lb_config *config, const char *file)
{
	const char *slash = strrchr(file, '/');
	lb_autofree char *folder =
		lb_printf("%.*sconf.d", slash ? (int)(slash + 1 - file) : 0,
			  file);
	struct dirent **names = NULL;
	int n = scandir(folder, &names, is_part, by_name);

	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		lb_config_problem(config, LB_PROBLEM, "",
				  "cannot read folder '%s': %s", folder,
				  strerror(errno));
	if (n > MAX_PARTS)
		lb_config_problem(config, LB_PROBLEM, "",
				  "more than %d files in '%s'", MAX_PARTS,
				  folder);
	for (int i = 0; i < n; i++) {
		lb_autofree char *path =
			lb_printf("%s/%s", folder, names[i]->d_name);

		if (n <= MAX_PARTS)
			take_file(config, path);
		free(names[i]);
	}
	free(names);
}

/* Every program has them all before it does anything: what most of them are
 * needs no parser. */
static json_t *initial(const struct lb_key *key)
{
	if (strcmp(key->initial, "true") == 0)
		return json_true();
	if (strcmp(key->initial, "false") == 0)
		return json_false();
	if (strcmp(key->initial, "[]") == 0)
		return json_array();
	if (strcmp(key->initial, "{}") == 0)
		return json_object();
	if (strcmp(key->initial, "\"\"") == 0)
		return json_string("");
	return json_loads(key->initial, JSON_DECODE_ANY, NULL);
}

/* Below `all`, the defaults of the sections that have no names. */
static json_t *defaults(void)
{
	json_t *all = lb_json_pack("{s:{}, s:{}, s:{}}", "bots", "pipelines",
				   "providers");

	for (const struct lb_key *k = lb_keys; k->path; k++)
		if (k->initial && !strchr(k->path, '*'))
			lb_json_put(all, k->path, initial(k));
	return all;
}

/* A bot whose pipeline is none. */
static void check_pipeline(struct lb_config *config, const char *name,
			   const json_t *bot)
{
	const json_t *pipelines = json_object_get(config->all, "pipelines");
	const char *to = lb_json_str(bot, "pipeline");
	lb_autofree char *path = lb_printf("bots.%s.pipeline", name);

	if (to && strcmp(to, "default") != 0 && !json_object_get(pipelines, to))
		lb_config_problem(config, LB_PROBLEM,
				  lb_config_origin(config, path),
				  "%s: there is no pipeline '%s'", path, to);
}

/* A bot of a platform that has to be told who it is. */
static void check_platform(struct lb_config *config, const char *name,
			   const json_t *bot)
{
	const char *adapter = lb_json_str(bot, "adapter");
	const char *url = lb_json_str(bot, "base-url");
	lb_autofree char *path = lb_printf("bots.%s.base-url", name);
	lb_autofree char *kind = lb_printf("bots.%s.adapter", name);

	if (url && !lb_config_is_url(url))
		lb_config_problem(config, LB_PROBLEM,
				  lb_config_origin(config, path),
				  "%s: does not begin with http:// or https:// "
				  "and a host",
				  path);
	if (adapter && strcmp(adapter, "telegram") == 0 &&
	    !lb_json_str(bot, "token"))
		lb_config_problem(config, LB_PROBLEM_ADVICE,
				  lb_config_origin(config, kind),
				  "bots.%s.token: is not set, so the bot "
				  "cannot "
				  "start",
				  name);
}

static void check_bots(struct lb_config *config)
{
	const char *name;
	json_t *bot;

	json_object_foreach(json_object_get(config->all, "bots"), name, bot)
	{
		check_pipeline(config, name, bot);
		check_platform(config, name, bot);
	}
}

/* A pipeline that names a provider of tools that is none. */
static void check_names(struct lb_config *config, const char *pipeline,
			const json_t *names)
{
	const json_t *all = lb_json_path(config->all, "tools.providers"), *one;
	lb_autofree char *path =
		lb_printf("pipelines.%s.tools.providers", pipeline);
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)names, i, one)
	{
		const char *name = json_string_value(one);

		/* `native` need not be configured. */
		if (!json_object_get(all, name) && strcmp(name, "native") != 0)
			lb_config_problem(config, LB_PROBLEM,
					  lb_config_origin(config, path),
					  "%s: there is no provider '%s'", path,
					  name);
	}
}

static void check_tools(struct lb_config *config)
{
	const char *name;
	json_t *of;

	json_object_foreach(json_object_get(config->all, "pipelines"), name, of)
		check_names(config, name, lb_json_path(of, "tools.providers"));
}

struct lb_config *lb_config_gather(const struct lb_sources *from)
{
	struct lb_config *config = lb_alloc(sizeof(*config));
	lb_autofree char *file = from->file ? lb_strdup(from->file) : NULL;
	lb_autofree char *fresh = NULL;

	config->all = defaults();
	config->origins = json_object();
	config->places = json_object();
	config->full = json_object();
	config->texts = json_object();
	if (!file)
		file = lb_config_find(&fresh);
	if (file && from->text)
		take_text(config, file, from->text, from->len);
	else if (file)
		take_file(config, file);
	if (file)
		take_parts(config, file);
	if (!from->no_environment)
		lb_config_environment(config);
	check_bots(config);
	check_tools(config);
	lb_config_check_webhooks(config);
	lb_config_check_people(config);
	lb_config_check_box(config);
	config->file = file ? lb_steal(&file) : lb_steal(&fresh);
	return config;
}

int lb_config_verdict(const struct lb_config *config, struct lb_error *err)
{
	for (size_t i = 0; i < config->n_problems; i++) {
		const struct lb_finding *p = &config->problems[i];

		if (p->level == LB_PROBLEM)
			return lb_fail(err, LB_CONFIG, "%s%s%s", p->where,
				       *p->where ? ": " : "", p->text);
	}
	return 0;
}

struct lb_config *lb_config_load(const char *file, struct lb_error *err)
{
	struct lb_config *config =
		lb_config_gather(&(struct lb_sources){.file = file});

	if (lb_config_verdict(config, err) < 0) {
		lb_config_close(config);
		return NULL;
	}
	for (size_t i = 0; i < config->n_problems; i++)
		if (config->problems[i].level == LB_PROBLEM_WARNING)
			lb_warn("%s %s", config->problems[i].where,
				config->problems[i].text);
	return config;
}

void lb_config_close(struct lb_config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < config->n_problems; i++) {
		free(config->problems[i].where);
		free(config->problems[i].text);
	}
	free(config->problems);
	json_decref(config->all);
	json_decref(config->origins);
	json_decref(config->places);
	json_decref(config->full);
	json_decref(config->texts);
	free(config->file);
	free(config->user);
	free(config);
}
