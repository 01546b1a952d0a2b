/* layer.c - one file's values, checked against the table of keys. */
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "config/coerce.h"
#include "config/keys.h"
#include "config/load.h"

struct layer {
	struct lb_config *config;
	const char *file;
	bool exposed;
};

static void take_node(struct layer *l, const struct lb_yaml *node,
		      const char *path);

static void complain(struct layer *l, const struct lb_yaml *node,
		     enum lb_problem_level level, const char *path,
		     const char *why)
{
	lb_autofree char *where = lb_printf("%s:%zu", l->file, node->line);

	lb_config_problem(l->config, level, where, "%s%s%s", path,
			  *path ? ": " : "", why);
}

/* "key:" with nothing, and what YAML calls null, is a key not set. */
static bool is_unset(const struct lb_key *key, const struct lb_yaml *node)
{
	json_auto_t *value = NULL;

	if (node->kind != LB_YAML_SCALAR || !node->plain)
		return false;
	if (key && key->type == LB_KEY_ENUM) /* "null" may be a word here */
		return !*node->text || strcmp(node->text, "~") == 0;
	value = lb_yaml_value(node);
	return json_is_null(value);
}

static bool wants_text(enum lb_key_type type)
{
	return type == LB_KEY_STRING || type == LB_KEY_ENUM ||
	       type == LB_KEY_LIST || type == LB_KEY_TABLE ||
	       type == LB_KEY_SECRET || type == LB_KEY_SECRETS ||
	       type == LB_KEY_MODEL || type == LB_KEY_MESSAGES ||
	       type == LB_KEY_NETWORK;
}

/* A secret written out where others can read it. */
static void advise(struct layer *l, const struct lb_yaml *node,
		   const char *path, const json_t *value)
{
	size_t i;
	json_t *one;
	bool literal = json_is_string(value) &&
		       lb_secret_is_literal(json_string_value(value));

	json_array_foreach((json_t *)(uintptr_t)value, i, one)
	{
		literal |= lb_secret_is_literal(json_string_value(one));
	}
	if (literal)
		complain(l, node, LB_PROBLEM_ADVICE, path,
			 "a secret in a file that others can read: "
			 "chmod 600, or write env:NAME or file:PATH");
}

static void take_value(struct layer *l, const struct lb_key *key,
		       const struct lb_yaml *node, const char *path)
{
	json_auto_t *raw = NULL, *value = NULL;
	struct lb_error why;

	if (is_unset(key, node))
		return;
	raw = wants_text(key->type) ? lb_yaml_text(node) : lb_yaml_value(node);
	value = lb_coerce(key, raw, &why);
	if (!value) {
		complain(l, node, LB_PROBLEM, path, why.text);
		return;
	}
	if (l->exposed &&
	    (key->type == LB_KEY_SECRET || key->type == LB_KEY_SECRETS))
		advise(l, node, path, value);
	lb_json_put(l->config->all, path, json_incref(value));
	json_object_set_new(l->config->origins, path,
			    json_sprintf("%s:%zu", l->file, node->line));
}

static void unknown(struct layer *l, const struct lb_yaml *node,
		    const char *path)
{
	lb_autofree char *near = lb_key_near(path), *why = NULL;

	why = near ? lb_printf("unknown key (did you mean '%s'?)", near)
		   : lb_strdup("unknown key");
	complain(l, node, LB_PROBLEM, path, why);
}

/* A key that is none of ours: perhaps one we know but have not. */
static void take_foreign(struct layer *l, const struct lb_yaml *node,
			 const char *path)
{
	json_auto_t *value = lb_yaml_value(node);
	enum lb_key_absence absence = lb_key_absence(path, value);

	if (absence == LB_KEY_UNKNOWN) {
		unknown(l, node, path);
		return;
	}
	if (absence == LB_KEY_OFF || is_unset(NULL, node))
		return;
	if (node->kind != LB_YAML_MAP ||
	    (strncmp(path, "pipelines.", 10) != 0 &&
	     strncmp(path, "box.", 4) != 0)) {
		complain(l, node, LB_PROBLEM, path, lb_key_absence_why(path));
		return;
	}
	for (size_t i = 0; i < node->n; i++) {
		lb_autofree char *sub =
			lb_printf("%s.%s", path, node->items[i]->key);

		take_foreign(l, node->items[i], sub);
	}
}

static void take_branch(struct layer *l, const struct lb_yaml *node,
			const char *path)
{
	bool empty = is_unset(NULL, node);

	if (node->kind != LB_YAML_MAP && !empty) {
		complain(l, node, LB_PROBLEM, path, "is not a mapping");
		return;
	}
	if (*path && !lb_json_path(l->config->all, path))
		lb_json_put(l->config->all, path, json_object());
	if (strchr(path, '.') == strrchr(path, '.') && strchr(path, '.'))
		json_object_set_new(l->config->places, path,
				    json_sprintf("%s:%zu", l->file,
						 node->line));
	for (size_t i = 0; !empty && i < node->n; i++) {
		const struct lb_yaml *item = node->items[i];
		lb_autofree char *sub =
			lb_printf("%s%s%s", path, *path ? "." : "", item->key);

		take_node(l, item, sub);
	}
}

/* Is this the name of a bot, pipeline or provider, and a bad one? */
static bool bad_name(struct layer *l, const struct lb_yaml *node,
		     const char *path)
{
	struct lb_error why;
	const char *dot = strchr(path, '.');
	lb_autofree char *section = NULL;

	if (!dot)
		return false;
	section = lb_strndup(path, (size_t)(dot - path));
	if (strcmp(section, "bots") != 0 && strcmp(section, "pipelines") != 0 &&
	    strcmp(section, "providers") != 0 &&
	    strcmp(section, "webhooks") != 0)
		return false;
	/* deeper down the key is no name, and a dot in it is an unknown key */
	if (strlen(dot + 1) != strlen(node->key) ||
	    lb_key_name_check(node->key, &why) == 0)
		return false;
	complain(l, node, LB_PROBLEM, section, why.text);
	return true;
}

static void take_node(struct layer *l, const struct lb_yaml *node,
		      const char *path)
{
	const struct lb_key *key;

	if (bad_name(l, node, path))
		return;
	key = strchr(node->key, '.') ? NULL : lb_key_find(path);
	if (key)
		take_value(l, key, node, path);
	else if (!strchr(node->key, '.') && *node->key &&
		 lb_key_is_branch(path))
		take_branch(l, node, path);
	else
		take_foreign(l, node, path);
}

void lb_config_layer(struct lb_config *config, const struct lb_yaml *root,
		     const char *file, bool exposed)
{
	struct layer l = {config, file, exposed};

	take_branch(&l, root, "");
}
