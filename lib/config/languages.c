/* languages.c - are there texts in the language that is asked for? */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
#include "config/load.h"
#include "config/notice.h"
#include "config/yaml.h"

enum { MAX_FILE = 256 * 1024, MAX_NAMES = 1000 };

/* The languages of a folder of texts, into an object of their names. */
static void list(json_t *names, const char *folder)
{
	DIR *all = opendir(folder);
	const struct dirent *one;

	while (all && json_object_size(names) < MAX_NAMES &&
	       (one = readdir(all))) {
		size_t len = strlen(one->d_name);

		if (len > 5 && strcmp(one->d_name + len - 5, ".yaml") == 0) {
			lb_autofree char *name =
				lb_strndup(one->d_name, len - 5);

			json_object_set_new(names, name, json_true());
		}
	}
	if (all)
		closedir(all);
}

static void add_keys(json_t *names, const json_t *of)
{
	const char *name;
	const json_t *any;

	json_object_foreach((json_t *)(uintptr_t)of, name, any)
	{
		json_object_set_new(names, name, json_true());
	}
}

/* The name that one which is not there may be a slip for, or NULL. */
static const char *near(const json_t *names, const char *typed)
{
	struct lb_slip slip = {.typed = typed};
	const char *name;
	const json_t *any;

	json_object_foreach((json_t *)(uintptr_t)names, name, any)
	{
		lb_slip_try(&slip, name);
	}
	return slip.meant;
}

static void tell(struct lb_config *config, const char *path, const char *what,
		 const char *name, const char *meant)
{
	const char *where = lb_config_origin(config, path);

	if (meant)
		lb_config_problem(config, LB_PROBLEM_ADVICE, where ? where : "",
				  "%s: there %s '%s' (did you mean '%s'?)",
				  path, what, name, meant);
	else
		lb_config_problem(config, LB_PROBLEM_ADVICE, where ? where : "",
				  "%s: there %s '%s'", path, what, name);
}

/* Texts that no program ever says, in notices.LANGUAGE.KEY. */
static void check_texts(struct lb_config *config, const char *language,
			const json_t *own, const json_t *known)
{
	const char *key;
	const json_t *any;

	json_object_foreach((json_t *)(uintptr_t)own, key, any)
	{
		lb_autofree char *path =
			lb_printf("notices.%s.%s", language, key);

		if (!json_object_get(known, key))
			tell(config, path, "is no text", key, near(known, key));
	}
}

void lb_config_check_languages(struct lb_config *config)
{
	const json_t *notices = json_object_get(config->all, "notices");
	const char *wanted = lb_config_str(config, "system.language");
	lb_autofree char *ours = lb_config_share("lang");
	lb_autofree char *beside = lb_config_beside(config, "lang");
	lb_autofree char *english = lb_config_share("lang/en_US.yaml");
	json_auto_t *names = json_object(), *known = NULL;
	const char *language;
	const json_t *own;
	struct lb_error err;

	list(names, ours);
	if (config->file)
		list(names, beside);
	add_keys(names, notices);
	if (wanted && !json_object_get(names, wanted))
		tell(config, "system.language", "are no texts in", wanted,
		     near(names, wanted));
	known = lb_yaml_load(english, MAX_FILE, &err);
	if (!known)
		return; /* not installed: programs say so */
	json_object_foreach((json_t *)(uintptr_t)notices, language, own)
	{
		check_texts(config, language, own, known);
	}
}
