#include "skill/skill.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "skill/matter.h"
#include "skill/name.h"
#include "skill/rules.h"

/* A text without the blanks at its ends. */
static char *trimmed(const char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	return lb_strndup(text, len);
}

static size_t line_of(const struct lb_yaml *root, const char *key)
{
	const struct lb_yaml *node = lb_yaml_member(root, key, strlen(key));

	return node ? node->line : 1;
}

/* A member that is to be a text; NULL when it is not there or is none. */
static char *text_of(struct lb_skill *s, const struct lb_yaml *root,
		     const char *key, enum lb_skill_grade grade)
{
	const json_t *value = json_object_get(s->matter, key);

	if (value && !json_is_string(value) && !json_is_null(value))
		lb_skill_find(&s->found, grade, line_of(root, key), key,
			      "%s is no text", key);
	return json_is_string(value) ? trimmed(json_string_value(value)) : NULL;
}

/* The end of a word of allowed-tools: a blank or comma outside parentheses. */
static size_t word_at(const char *text)
{
	size_t n = 0;
	int depth = 0;

	for (; text[n]; n++) {
		depth += text[n] == '(';
		depth -= text[n] == ')' && depth > 0;
		if (depth == 0 && strchr(" ,\t\r\n", text[n]))
			break;
	}
	return n;
}

static bool add_tools(json_t *tools, const char *text)
{
	while (*(text += strspn(text, " ,\t\r\n"))) {
		size_t n = word_at(text);

		if (json_array_size(tools) == LB_SKILL_TOOLS)
			return false;
		json_array_append_new(tools, lb_json_text(text, n));
		text += n;
	}
	return true;
}

/* Rights that cannot be read are no rights: the skill is unfit then. */
static void read_tools(struct lb_skill *s, const struct lb_yaml *root)
{
	static const char key[] = "allowed-tools";
	const json_t *value = json_object_get(s->matter, key);
	bool good = true;
	json_t *one;
	size_t i;

	if (!value)
		return;
	s->tools = json_array();
	if (json_is_string(value))
		good = add_tools(s->tools, json_string_value(value));
	else if (json_is_array(value))
		json_array_foreach(value, i, one) good =
			good && json_is_string(one) &&
			add_tools(s->tools, json_string_value(one));
	else
		good = json_is_null(value);
	if (!good)
		lb_skill_find(&s->found, LB_SKILL_UNFIT, line_of(root, key),
			      "allowed-tools",
			      "allowed-tools is no list of at most %d names",
			      LB_SKILL_TOOLS);
}

static void read_fields(struct lb_skill *s, const struct lb_yaml *root,
			const char *folder)
{
	s->name = text_of(s, root, "name", LB_SKILL_OFF);
	free(s->description);
	s->description = text_of(s, root, "description", LB_SKILL_UNFIT);
	if (!s->description)
		s->description = lb_strdup("");
	s->license = text_of(s, root, "license", LB_SKILL_OFF);
	s->compatibility = text_of(s, root, "compatibility", LB_SKILL_OFF);
	read_tools(s, root);
	lb_skill_rules(s, root, folder);
}

/* Nothing that an unfit skill says is believed. */
static void clear(struct lb_skill *s)
{
	free(s->description);
	s->description = lb_strdup("");
	json_decref(s->tools);
	s->tools = json_array();
}

void lb_skill_read(struct lb_skill *s, const char *text, size_t len,
		   const char *folder)
{
	const struct lb_skill_finding *worst;
	struct lb_yaml *root = NULL;
	struct lb_matter m;

	*s = (struct lb_skill){.description = lb_strdup("")};
	if (len > LB_SKILL_MD_MAX)
		lb_skill_find(&s->found, LB_SKILL_UNFIT, 0, "size",
			      "is longer than 1 MiB");
	else if (lb_matter_split(text, len, &m, &s->found))
		root = lb_matter_read(text, &m, &s->found);
	if (root) {
		s->matter = lb_yaml_text(root);
		s->body = text + m.body;
		s->body_len = len - m.body;
		read_fields(s, root, folder);
		lb_skill_rules_body(s, m.body_line);
		lb_yaml_close(root);
	}
	worst = lb_skill_worst(&s->found);
	s->fit = !worst || worst->grade != LB_SKILL_UNFIT;
	if (!s->fit)
		clear(s);
}

void lb_skill_release(struct lb_skill *s)
{
	free(s->name);
	free(s->description);
	free(s->license);
	free(s->compatibility);
	json_decref(s->tools);
	json_decref(s->matter);
	lb_skill_findings_release(&s->found);
}
