/* people.c - those whom keys name as BOT:person_ID. */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/load.h"

bool lb_config_has_bot(const struct lb_config *config, const char *name)
{
	const json_t *bots = json_object_get(config->all, "bots");

	if (strcmp(name, "-") == 0 || json_object_get(bots, name))
		return true;
	/* the one that a token in the environment makes, when it is there */
	return json_object_size(bots) == 0 && strcmp(name, "telegram") == 0;
}

static void check_one(struct lb_config *config, const char *path,
		      const char *person)
{
	const char *where = lb_config_origin(config, path);
	const char *id = strstr(person, ":person_");
	lb_autofree char *bot = NULL;

	if (!id || id == person || !id[strlen(":person_")]) {
		lb_config_problem(config, LB_PROBLEM, where,
				  "%s: '%s' is not BOT:person_ID", path,
				  person);
		return;
	}
	bot = lb_strndup(person, (size_t)(id - person));
	if (!lb_config_has_bot(config, bot))
		lb_config_problem(config, LB_PROBLEM_ADVICE, where,
				  "%s: '%s': there is no bot '%s'", path,
				  person, bot);
}

static void check_list(struct lb_config *config, const char *path,
		       const json_t *people)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)people, i, one)
	{
		check_one(config, path, json_string_value(one));
	}
}

void lb_config_check_people(struct lb_config *config)
{
	json_t *commands = lb_json_path(config->all, "command.privilege");
	const char *name;
	const json_t *people;

	check_list(config, "admins", json_object_get(config->all, "admins"));
	json_object_foreach(commands, name, people)
	{
		lb_autofree char *path =
			lb_printf("command.privilege.%s", name);

		check_list(config, path, people);
	}
}
