#include "llm/gemini-schema.h"

#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* References may be many times as large as what they are in. */
enum { MAX_DEPTH = 24, MAX_STEPS = 4000 };

struct work {
	const json_t *root;
	int depth, steps;
};

static json_t *convert(struct work *w, const json_t *schema);

/* Keywords that are the same there, and for which type; NULL: for any. */
static const struct {
	const char *name, *type;
} kept[] = {
	{"title", NULL},
	{"description", NULL},
	{"nullable", NULL},
	{"minItems", "array"},
	{"maxItems", "array"},
	{"minLength", "string"},
	{"maxLength", "string"},
	{"pattern", "string"},
	{"minimum", "number"},
	{"maximum", "number"},
	{"minProperties", "object"},
	{"maxProperties", "object"},
};

/* "#/$defs/x" within the document; NULL when there is nothing. */
static const json_t *resolve(const struct work *w, const char *ref)
{
	const json_t *at = w->root;
	lb_autofree char *path = lb_strdup(ref);
	char *save = NULL;

	if (ref[0] != '#')
		return NULL;
	for (char *name = strtok_r(path + 1, "/", &save); name && at;
	     name = strtok_r(NULL, "/", &save))
		at = json_object_get(at, name);
	return at;
}

/* The one type there is besides null; NULL when there are several. */
static const char *type_of(const json_t *schema, bool *nullable)
{
	const json_t *type = json_object_get(schema, "type"), *one;
	const char *found = json_string_value(type);
	size_t i;

	json_array_foreach(type, i, one)
	{
		const char *name = json_string_value(one);

		if (name && strcmp(name, "null") == 0)
			*nullable = true;
		else if (found)
			return NULL;
		else
			found = name;
	}
	if (found)
		return found;
	if (json_object_get(schema, "properties"))
		return "object";
	if (json_object_get(schema, "items"))
		return "array";
	return json_is_array(type) ? NULL : "string";
}

/* Only texts may be told one by one. */
static void add_enum(json_t *out, const json_t *schema)
{
	const json_t *all = json_object_get(schema, "enum"), *one;
	json_t *only = json_object_get(schema, "const");
	json_t *texts = json_array();
	size_t i;

	if (json_is_string(only))
		json_array_append(texts, only);
	json_array_foreach(all, i, one) if (json_string_length(one) > 0)
		json_array_append(texts, (json_t *)(uintptr_t)one);
	if (json_array_size(texts) > 0)
		json_object_set(out, "enum", texts);
	json_decref(texts);
}

static void add_object(struct work *w, json_t *out, const json_t *schema)
{
	json_t *properties = json_object(), *required = json_array(), *kid;
	const json_t *name;
	const char *key;
	size_t i;

	json_object_foreach(json_object_get(schema, "properties"), key, kid)
		json_object_set_new(properties, key, convert(w, kid));
	json_array_foreach(json_object_get(schema, "required"), i, name) if (
		json_object_get(properties, json_is_string(name)
						    ? json_string_value(name)
						    : ""))
		json_array_append(required, (json_t *)(uintptr_t)name);
	if (json_object_size(properties) > 0)
		json_object_set(out, "properties", properties);
	if (json_array_size(required) > 0)
		json_object_set(out, "required", required);
	json_decref(properties);
	json_decref(required);
}

/* One of several: null among them is `nullable`, one alone is itself. */
static json_t *convert_any(struct work *w, const json_t *list)
{
	json_t *any = json_array(), *out;
	const json_t *one;
	bool nullable = false;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *type = lb_json_str(one, "type");

		if (type && strcmp(type, "null") == 0)
			nullable = true;
		else
			json_array_append_new(any, convert(w, one));
	}
	if (json_array_size(any) == 1)
		out = json_incref(json_array_get(any, 0));
	else if (json_array_size(any) == 0)
		out = lb_json_pack("{s:s}", "type", "string");
	else
		out = lb_json_pack("{s:O}", "anyOf", any);
	if (nullable)
		json_object_set_new(out, "nullable", json_true());
	json_decref(any);
	return out;
}

/* The types of a list, each as a schema. */
static json_t *convert_types(struct work *w, const json_t *schema)
{
	json_auto_t *list = json_array();
	const json_t *type;
	size_t i;

	json_array_foreach(json_object_get(schema, "type"), i, type)
	{
		json_t *one = json_copy((json_t *)(uintptr_t)schema);

		json_object_set(one, "type", (json_t *)(uintptr_t)type);
		json_array_append_new(list, one);
	}
	return convert_any(w, list);
}

static void add_kept(json_t *out, const json_t *schema, const char *type)
{
	const char *format = lb_json_str(schema, "format");
	const char *kind = strcmp(type, "integer") == 0 ? "number" : type;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		json_t *value = json_object_get(schema, kept[i].name);

		if (value && (!kept[i].type || strcmp(kept[i].type, kind) == 0))
			json_object_set(out, kept[i].name, value);
	}
	if (format && strcmp(type, "string") == 0 &&
	    strcmp(format, "date-time") == 0)
		json_object_set(out, "format",
				json_object_get(schema, "format"));
}

/* One type, and what belongs to it. */
static json_t *convert_one(struct work *w, const json_t *schema,
			   const char *type, bool nullable)
{
	const json_t *items = json_object_get(schema, "items");
	json_t *out = lb_json_pack("{s:s}", "type", type);

	add_kept(out, schema, type);
	if (nullable)
		json_object_set_new(out, "nullable", json_true());
	if (strcmp(type, "string") == 0)
		add_enum(out, schema);
	else if (strcmp(type, "object") == 0)
		add_object(w, out, schema);
	else if (strcmp(type, "array") == 0)
		json_object_set_new(out, "items",
				    json_is_object(items)
					    ? convert(w, items)
					    : lb_json_pack("{s:s}", "type",
							   "string"));
	return out;
}

/* Join what another schema asks for; neither is changed below its top. */
static void join(json_t *out, const json_t *more)
{
	json_t *properties = json_object_get(more, "properties"), *value;
	json_t *required = json_object_get(more, "required");
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)more, key,
			    value) if (!json_object_get(out, key))
		json_object_set(out, key, value);
	if (json_is_object(properties)) {
		json_t *all = json_copy(properties);

		json_object_update(all, json_object_get(out, "properties"));
		json_object_set_new(out, "properties", all);
	}
	if (json_is_array(required)) {
		json_t *all = json_copy(required), *had;

		had = json_object_get(out, "required");
		if (had != required)
			json_array_extend(all, had);
		json_object_set_new(out, "required", all);
	}
}

static json_t *convert_all(struct work *w, const json_t *schema,
			   const json_t *all)
{
	json_auto_t *joined = json_copy((json_t *)(uintptr_t)schema);
	const json_t *one;
	size_t i;

	json_object_del(joined, "allOf");
	json_array_foreach(all, i, one)
	{
		const char *ref = lb_json_str(one, "$ref");

		if (++w->steps <= MAX_STEPS)
			join(joined, ref ? resolve(w, ref) : one);
	}
	return convert(w, joined);
}

static json_t *convert_known(struct work *w, const json_t *schema)
{
	const json_t *any = json_object_get(schema, "anyOf");
	const json_t *all = json_object_get(schema, "allOf");
	bool nullable = false;
	const char *type;
	json_t *out;

	if (!json_is_array(any))
		any = json_object_get(schema, "oneOf");
	if (json_array_size(all) > 0)
		return convert_all(w, schema, all);
	if (json_array_size(any) > 0) {
		out = convert_any(w, any);
		if (lb_json_str(schema, "description"))
			json_object_set(out, "description",
					json_object_get(schema, "description"));
		return out;
	}
	type = type_of(schema, &nullable);
	return type ? convert_one(w, schema, type, nullable)
		    : convert_types(w, schema);
}

static json_t *convert(struct work *w, const json_t *schema)
{
	const char *ref = lb_json_str(schema, "$ref");
	json_t *out;

	/* Too deep, or `true`: anything, of which a text is the nearest. */
	if (w->depth == MAX_DEPTH || ++w->steps > MAX_STEPS ||
	    !json_is_object(schema))
		return lb_json_pack("{s:s}", "type", "string");
	w->depth++;
	out = ref ? convert(w, resolve(w, ref)) : convert_known(w, schema);
	w->depth--;
	return out;
}

json_t *lb_gemini_schema(const json_t *schema)
{
	struct work w = {.root = schema};
	json_t *out = json_is_object(schema) ? convert(&w, schema) : NULL;

	if (out && !json_object_get(out, "properties")) {
		json_decref(out);
		return NULL;
	}
	return out;
}
