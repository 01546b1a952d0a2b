/* parameters.c - what is said in a schema so that model APIs take it. */
#include "provider/parameters.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"

/* Where a schema has schemas in it: one, a list, or an object of them. */
static const struct {
	const char *key;
	enum { ONE, LIST, EACH } holds;
} keywords[] = {
	{"properties", EACH},
	{"items", ONE},
	{"additionalProperties", ONE},
	{"$defs", EACH},
	{"definitions", EACH},
	{"anyOf", LIST},
	{"oneOf", LIST},
	{"allOf", LIST},
	{"prefixItems", LIST},
	{"patternProperties", EACH},
	{"dependentSchemas", EACH},
	{"contains", ONE},
	{"not", ONE},
	{"if", ONE},
	{"then", ONE},
	{"else", ONE},
};

static bool is_of(const json_t *type, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)type, i, one)
	{
		if (is_of(one, name))
			return true;
	}
	return json_is_string(type) &&
	       strcmp(json_string_value(type), name) == 0;
}

/* The schema that nothing fits. */
static json_t *nothing(void)
{
	return lb_json_pack("{s:{}}", "not");
}

static void mend(json_t *schema);

/* What stands for a schema in a list or an object; new, or borrowed as it is. */
static json_t *mended(json_t *one)
{
	if (json_is_true(one))
		return json_object();
	if (json_is_false(one))
		return nothing();
	mend(one);
	return json_incref(one);
}

static void mend_list(json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		json_array_set_new(list, i, mended(json_array_get(list, i)));
}

static void mend_each(json_t *all)
{
	const char *key;
	json_t *one;
	void *next;

	json_object_foreach_safe(all, next, key, one)
	{
		json_object_set_new(all, key, mended(one));
	}
}

static void mend(json_t *schema)
{
	const json_t *type = json_object_get(schema, "type"), *items;

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		json_t *in = json_object_get(schema, keywords[i].key);

		if (json_is_array(in)) /* also `items`, as it once was */
			mend_list(in);
		else if (keywords[i].holds == EACH)
			mend_each(in);
		else if (json_is_object(in))
			mend(in);
	}
	items = json_object_get(schema, "items");
	if (is_of(type, "array") && !json_is_object(items) &&
	    !json_is_array(items))
		json_object_set_new(schema, "items",
				    json_is_false(items) ? nothing()
							 : json_object());
	if (is_of(type, "object") && !json_object_get(schema, "properties"))
		json_object_set_new(schema, "properties", json_object());
}

json_t *lb_tool_parameters(const json_t *parameters)
{
	json_t *out = json_is_object(parameters) ? json_deep_copy(parameters)
						 : json_object();

	if (!json_object_get(out, "type"))
		json_object_set_new(out, "type", json_string("object"));
	mend(out);
	return out;
}
