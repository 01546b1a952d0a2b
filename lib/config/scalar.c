/* scalar.c - what a YAML node is as a JSON value. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/yaml.h"

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return true;
	return false;
}

/* [-+]? digits, 0o17 or 0x1f: returns the base, 0 for none of them. */
static int whole_base(const char *text)
{
	static const char digits[] = "0123456789";

	if (strncmp(text, "0o", 2) == 0)
		return text[2] && !text[2 + strspn(text + 2, "01234567")] ? 8
									  : 0;
	if (strncmp(text, "0x", 2) == 0)
		return text[2] && !text[2 + strspn(text + 2,
						   "0123456789abcdefABCDEF")]
			       ? 16
			       : 0;
	text += *text == '-' || *text == '+';
	return *text && !text[strspn(text, digits)] ? 10 : 0;
}

/* [-+]? ( . digits | digits ( . digits? )? ) ( [eE] [-+]? digits )? */
static bool is_number(const char *text)
{
	static const char digits[] = "0123456789";
	size_t before, after = 0;

	text += *text == '-' || *text == '+';
	before = strspn(text, digits);
	text += before;
	if (*text == '.') {
		after = strspn(text + 1, digits);
		text += 1 + after;
	}
	if (before + after == 0)
		return false;
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		if (!*text)
			return false;
		text += strspn(text, digits);
	}
	return *text == '\0';
}

static json_t *number(const char *text, int base)
{
	if (base) {
		long long v;

		errno = 0;
		v = strtoll(base == 10 ? text : text + 2, NULL, base);
		return errno ? NULL : json_integer(v);
	}
	return isfinite(strtod(text, NULL)) ? json_real(strtod(text, NULL))
					    : NULL;
}

json_t *lb_yaml_plain(const char *text)
{
	static const char *const nulls[] = {"",     "~",    "null",
					    "Null", "NULL", NULL};
	static const char *const yes[] = {"true", "True", "TRUE", NULL};
	static const char *const no[] = {"false", "False", "FALSE", NULL};
	static const char *const odd[] = {".inf",  ".Inf",  ".INF",  "+.inf",
					  "+.Inf", "+.INF", "-.inf", "-.Inf",
					  "-.INF", ".nan",  ".NaN",  ".NAN",
					  NULL};
	int base;

	if (is_one_of(text, nulls))
		return json_null();
	if (is_one_of(text, yes))
		return json_true();
	if (is_one_of(text, no))
		return json_false();
	if (is_one_of(text, odd))
		return NULL;
	base = whole_base(text);
	if (base || is_number(text))
		return number(text, base);
	return json_string(text);
}

static json_t *collect(const struct lb_yaml *node,
		       json_t *(*one)(const struct lb_yaml *))
{
	json_t *all = node->kind == LB_YAML_MAP ? json_object() : json_array();

	for (size_t i = 0; i < node->n; i++) {
		json_t *value = one(node->items[i]);
		int bad =
			node->kind == LB_YAML_MAP
				? json_object_set_new(all, node->items[i]->key,
						      value)
				: json_array_append_new(all, value);

		if (bad) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

json_t *lb_yaml_value(const struct lb_yaml *node)
{
	if (node->kind != LB_YAML_SCALAR)
		return collect(node, lb_yaml_value);
	return node->plain ? lb_yaml_plain(node->text)
			   : json_string(node->text);
}

json_t *lb_yaml_text(const struct lb_yaml *node)
{
	if (node->kind != LB_YAML_SCALAR)
		return collect(node, lb_yaml_text);
	if (node->plain && !*node->text)
		return json_null();
	return json_string(node->text);
}
