#include "skill/rules.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "skill/name.h"

static const char *const known[] = {"name",     "description",
				    "license",  "compatibility",
				    "metadata", "allowed-tools",
				    NULL};

static size_t line_of(const struct lb_yaml *root, const char *key)
{
	const struct lb_yaml *node = lb_yaml_member(root, key, strlen(key));

	return node ? node->line : 1;
}

static void check_name(struct lb_skill *s, const struct lb_yaml *root,
		       const char *folder)
{
	const json_t *value = json_object_get(s->matter, "name");
	size_t line = line_of(root, "name");
	const char *why;
	lb_autofree char *better = NULL;

	if (!s->name || !*s->name) {
		if (!value || json_is_null(value) || s->name)
			lb_skill_find(&s->found, LB_SKILL_OFF, line, "name",
				      "has no name; add 'name: %.64s'",
				      folder ? folder : "...");
		return;
	}
	why = lb_skill_name_why(s->name, strlen(s->name));
	better = lb_skill_name_of(s->name);
	if (why)
		lb_skill_find(&s->found, LB_SKILL_OFF, line, "name",
			      "name '%.80s' %s; call it '%s'", s->name, why,
			      better);
	else if (folder && strcmp(s->name, folder) != 0)
		lb_skill_find(&s->found, LB_SKILL_OFF, line, "folder",
			      "name '%s' is not that of its folder, '%.80s'",
			      s->name, folder);
}

static void check_length(struct lb_skill *s, const char *key, const char *text,
			 size_t most, size_t line)
{
	if (text && lb_utf8_count(text, strlen(text)) > most)
		lb_skill_find(&s->found, LB_SKILL_OFF, line, key,
			      "%s is longer than %zu characters", key, most);
}

static void check_description(struct lb_skill *s, const struct lb_yaml *root)
{
	size_t line = line_of(root, "description");
	const json_t *value = json_object_get(s->matter, "description");

	if (!*s->description &&
	    (!value || json_is_null(value) || json_is_string(value)))
		lb_skill_find(&s->found, LB_SKILL_UNFIT, line, "description",
			      "has no description; say in one what it does and "
			      "when to use it");
	check_length(s, "description", s->description, LB_SKILL_DESCRIPTION,
		     line);
	if (strpbrk(s->description, "<>"))
		lb_skill_find(&s->found, LB_SKILL_ADVICE, line, "markup",
			      "description has '<' or '>'; some agents refuse "
			      "markup in it");
}

static void check_metadata(struct lb_skill *s, const struct lb_yaml *root)
{
	json_t *all = json_object_get(s->matter, "metadata");
	const char *key;
	json_t *value;

	if (!all || json_is_null(all))
		return;
	if (!json_is_object(all)) {
		lb_skill_find(&s->found, LB_SKILL_OFF,
			      line_of(root, "metadata"), "metadata",
			      "metadata is no list of 'key: text'");
		return;
	}
	json_object_foreach(all, key, value) if (!json_is_string(value) &&
						 !json_is_null(value))
		lb_skill_find(&s->found, LB_SKILL_OFF,
			      line_of(root, "metadata"), "metadata",
			      "metadata '%.80s' is no text", key);
}

/* Members of others than the open specification. */
static void check_others(struct lb_skill *s, const struct lb_yaml *root)
{
	for (size_t i = 0; i < root->n; i++) {
		const char *const *k = known;

		while (*k && strcmp(*k, root->items[i]->key) != 0)
			k++;
		if (!*k)
			lb_skill_find(&s->found, LB_SKILL_OFF,
				      root->items[i]->line, "field",
				      "'%.80s' is no field of the "
				      "specification; put it under metadata",
				      root->items[i]->key);
	}
}

void lb_skill_rules(struct lb_skill *s, const struct lb_yaml *root,
		    const char *folder)
{
	check_name(s, root, folder);
	check_description(s, root);
	check_length(s, "compatibility", s->compatibility,
		     LB_SKILL_COMPATIBILITY, line_of(root, "compatibility"));
	if (s->compatibility && !*s->compatibility)
		lb_skill_find(&s->found, LB_SKILL_OFF,
			      line_of(root, "compatibility"), "compatibility",
			      "compatibility is empty; leave it out");
	check_metadata(s, root);
	check_others(s, root);
}

void lb_skill_rules_body(struct lb_skill *s, size_t line)
{
	size_t lines = 0;

	for (size_t i = 0; i < s->body_len; i++)
		lines += s->body[i] == '\n';
	if (lines > LB_SKILL_BODY_LINES)
		lb_skill_find(&s->found, LB_SKILL_ADVICE, line, "body",
			      "has %zu lines of instructions; more than %d are "
			      "better kept in files beside it",
			      lines, LB_SKILL_BODY_LINES);
	if (!lb_utf8_valid(s->body, s->body_len))
		lb_skill_find(&s->found, LB_SKILL_OFF, line, "utf-8",
			      "the instructions are not all UTF-8; what is not "
			      "is shown as U+FFFD");
}
