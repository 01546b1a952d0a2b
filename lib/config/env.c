/* env.c - keys of the configuration that the environment sets. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/load.h"

extern char **environ;

/* Variables cannot hold '-', and are written in capitals. */
static bool same_letter(char key, char env)
{
	return key == tolower((unsigned char)env) ||
	       tolower((unsigned char)key) == tolower((unsigned char)env) ||
	       (key == '-' && env == '_');
}

static bool same_word(const char *key, size_t n, const char *env, size_t len)
{
	if (n != len)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_letter(key[i], env[i]))
			return false;
	return true;
}

/* Bytes of the first part of "PART__REST". */
static size_t part(const char *name)
{
	const char *end = strstr(name, "__");

	return end ? (size_t)(end - name) : strlen(name);
}

/* Append the name in `section` that env means, or env in small letters. */
static void put_name(struct lb_buf *path, const json_t *section,
		     const char *env, size_t len)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)section, name, value)
	{
		if (same_word(name, strlen(name), env, len)) {
			lb_buf_puts(path, name);
			return;
		}
	}
	for (size_t i = 0; i < len; i++)
		lb_buf_putc(path, (char)tolower((unsigned char)env[i]));
}

/* The path that `name` spells for this pattern, or false. */
static bool spells(const struct lb_config *config, const char *pattern,
		   const char *name, struct lb_buf *path)
{
	lb_buf_reset(path);
	while (*pattern && *name) {
		size_t n = strcspn(pattern, "."), len = part(name);

		if (path->len > 0)
			lb_buf_putc(path, '.');
		if (n == 1 && *pattern == '*' && len > 0) {
			path->data[path->len - 1] = '\0'; /* the section */
			put_name(path, json_object_get(config->all, path->data),
				 name, len);
			path->data[strlen(path->data)] = '.';
		} else if (same_word(pattern, n, name, len)) {
			lb_buf_put(path, pattern, n);
		} else {
			return false;
		}
		pattern += n + (pattern[n] == '.');
		name += len + (name[len] ? 2 : 0);
	}
	return !*pattern && !*name;
}

/* "LB__LLM__MODEL" to "LLM__MODEL"; NULL when it is not for us. */
static const char *stem(const char *name)
{
	size_t first;

	if (strncmp(name, "LB__", 4) == 0)
		return name + 4;
	if (!strstr(name, "__"))
		return NULL;
	for (const char *p = name; *p; p++)
		if (!isupper((unsigned char)*p) &&
		    !isdigit((unsigned char)*p) && *p != '_')
			return NULL;
	first = part(name);
	for (const struct lb_key *k = lb_keys; k->path; k++)
		if (same_word(k->path, strcspn(k->path, "."), name, first))
			return name;
	return NULL;
}

char *lb_config_env_key(const struct lb_config *config, const char *name)
{
	const char *rest = stem(name);
	lb_autobuf struct lb_buf path = {0};

	for (const struct lb_key *k = lb_keys; rest && k->path; k++)
		if (spells(config, k->path, rest, &path))
			return lb_buf_take(&path);
	return NULL;
}

/* The variable that sets a path. */
static char *variable(const char *path)
{
	lb_autobuf struct lb_buf name = {0};

	lb_buf_puts(&name, "LB__");
	for (; *path; path++) {
		if (*path == '.')
			lb_buf_puts(&name, "__");
		else if (*path == '-')
			lb_buf_putc(&name, '_');
		else
			lb_buf_putc(&name, (char)toupper((unsigned char)*path));
	}
	return lb_buf_take(&name);
}

/* A name that sets no key: one of a later version, or a slip. */
static void stranger(struct lb_config *config, const char *name)
{
	const char *rest = stem(name);
	lb_autofree char *where = lb_printf("environment %s", name);
	lb_autofree char *near = NULL, *other = NULL;
	lb_autobuf struct lb_buf path = {0};

	for (size_t i = 0; rest[i]; i++) {
		if (rest[i] == '_' && rest[i + 1] == '_') {
			lb_buf_putc(&path, '.');
			i++;
		} else {
			lb_buf_putc(&path,
				    rest[i] == '_'
					    ? '-'
					    : (char)tolower(
						      (unsigned char)rest[i]));
		}
	}
	if (lb_key_absence(lb_buf_str(&path), NULL) != LB_KEY_UNKNOWN) {
		lb_config_problem(config, LB_PROBLEM, where, "%s",
				  lb_key_absence_why(lb_buf_str(&path)));
		return;
	}
	near = lb_key_near(lb_buf_str(&path));
	other = near ? variable(near) : NULL;
	lb_config_problem(config, LB_PROBLEM_WARNING, where,
			  other ? "sets no key (did you mean '%s'?)"
				: "sets no key%s",
			  other ? other : "");
}

static void take_variable(struct lb_config *config, const char *name,
			  const char *path, const char *text)
{
	const struct lb_key *key = lb_key_find(path);
	lb_autofree char *where = lb_printf("environment %s", name);
	json_auto_t *value = NULL;
	struct lb_error why;

	value = lb_coerce_text(key, text, &why);
	if (!value) {
		lb_config_problem(config, LB_PROBLEM, where, "%s", why.text);
		return;
	}
	lb_json_put(config->all, path, json_incref(value));
	json_object_set_new(config->origins, path, json_string(where));
}

/*
 * As a key in the environment is a provider, a token there is a bot, which
 * other variables may say more of.
 */
static void take_bot(struct lb_config *config)
{
	json_t *bots = json_object_get(config->all, "bots"), *bot;
	const char *name;

	if (!lb_config_env("TELEGRAM_BOT_TOKEN"))
		return;
	json_object_foreach(bots, name, bot)
	{
		if (strcmp(name, "-") != 0 &&
		    (strcmp(name, "telegram") != 0 ||
		     json_object_get(bot, "adapter") ||
		     json_object_get(bot, "token")))
			return;
	}
	lb_json_put(bots, "telegram.adapter", json_string("telegram"));
	lb_json_put(bots, "telegram.token",
		    json_string("env:TELEGRAM_BOT_TOKEN"));
	json_object_set_new(config->origins, "bots.telegram",
			    json_string("environment TELEGRAM_BOT_TOKEN"));
}

void lb_config_environment(struct lb_config *config)
{
	const char *model = lb_config_env("LB_MODEL");

	for (char **e = environ; e && *e; e++) {
		const char *equals = strchr(*e, '=');
		lb_autofree char *name = NULL, *path = NULL;

		if (!equals || !equals[1] || !strstr(*e, "__"))
			continue;
		name = lb_strndup(*e, (size_t)(equals - *e));
		if (!stem(name))
			continue;
		path = lb_config_env_key(config, name);
		if (path)
			take_variable(config, name, path, equals + 1);
		else
			stranger(config, name);
	}
	if (model)
		take_variable(config, "LB_MODEL", "llm.model", model);
	take_bot(config);
}

/* The first that spells it otherwise than we do; new, or NULL. */
static char *other_spelling(const char *path, const char *ours)
{
	for (char **e = environ; e && *e; e++) {
		size_t len = strcspn(*e, "=");
		lb_autofree char *name = lb_strndup(*e, len);
		lb_autobuf struct lb_buf spelt = {0};
		const char *rest = stem(name);

		if ((*e)[len] && rest && strcmp(name, ours) != 0 &&
		    spells(NULL, path, rest, &spelt))
			return lb_steal(&name);
	}
	return NULL;
}

int lb_config_workspace(const char *name, struct lb_error *err)
{
	static const char path[] = "box.workspace";
	lb_autofree char *ours = variable(path);
	char *other;

	if (!name)
		return 0;
	if (lb_config_workspace_check(name, err) < 0)
		return -1;
	if (!*name)
		return lb_fail(err, LB_USAGE, "a workspace has a name");
	while ((other = other_spelling(path, ours)) != NULL) {
		unsetenv(other);
		free(other);
	}
	return setenv(ours, name, 1) < 0
		       ? lb_fail_sys(err, LB_OS, "cannot set '%s'", ours)
		       : 0;
}

size_t lb_config_env_keys(const char **at, size_t max)
{
	size_t n = 0;

	for (char **e = environ; e && *e && n < max; e++)
		if (strncmp(*e, "LB__", 4) == 0 ||
		    strncmp(*e, "BOX__", 5) == 0 ||
		    strncmp(*e, "SYSTEM__", 8) == 0)
			at[n++] = *e;
	return n;
}
