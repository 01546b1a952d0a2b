#include "llm/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"

/* A schema may refer to itself twice: depth alone would not bound the work. */
enum { MAX_DEPTH = 64, MAX_STEPS = 200000, MAX_WHERE = 160 };

/* What is being checked, and where it stands. */
struct check {
	const json_t *root;
	char where[MAX_WHERE];
	int depth;
	long steps;
};

static int check(struct check *c, const json_t *schema, const json_t *value,
		 struct lb_error *err);

static const char *type_of(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "object";
	case JSON_ARRAY:
		return "array";
	case JSON_STRING:
		return "string";
	case JSON_INTEGER:
		return "integer";
	case JSON_REAL:
		return "number";
	case JSON_NULL:
		return "null";
	default:
		return "boolean";
	}
}

static bool has_type(const json_t *value, const char *type)
{
	double real = json_real_value(value);

	if (strcmp(type, "number") == 0)
		return json_is_number(value);
	if (strcmp(type, "integer") == 0 && json_is_real(value))
		return real == floor(real);
	return strcmp(type_of(value), type) == 0;
}

static int fail(const struct check *c, struct lb_error *err, const char *why,
		const char *what)
{
	return lb_fail(err, LB_DATA, "at '%s': %s%s",
		       *c->where ? c->where : ".", why, what);
}

static int check_type(const struct check *c, const json_t *type,
		      const json_t *value, struct lb_error *err)
{
	lb_autofree char *names = NULL;
	const json_t *one;
	size_t i;

	if (json_is_string(type) && has_type(value, json_string_value(type)))
		return 0;
	json_array_foreach(type, i,
			   one) if (json_is_string(one) &&
				    has_type(value,
					     json_string_value(one))) return 0;
	if (!type)
		return 0;
	names = json_dumps(type, JSON_COMPACT | JSON_ENCODE_ANY);
	return lb_fail(err, LB_DATA, "at '%s': expected %s, got %s",
		       *c->where ? c->where : ".", names ? names : "another",
		       type_of(value));
}

static int check_enum(struct check *c, const json_t *schema,
		      const json_t *value, struct lb_error *err)
{
	const json_t *all = json_object_get(schema, "enum"), *one;
	const json_t *only = json_object_get(schema, "const");
	lb_autofree char *names = NULL;
	size_t i;

	if (only && !json_equal(only, value))
		return fail(c, err, "not the value it must be", "");
	if (!json_is_array(all))
		return 0;
	json_array_foreach(all, i, one)
	{
		if (++c->steps > MAX_STEPS)
			break;
		if (json_equal(one, value))
			return 0;
	}
	/* the error's own length bounds it */
	names = json_dumps(all, JSON_COMPACT);
	return fail(c, err, "none of the values allowed: ", names ? names : "");
}

/* Is a number of the schema above (or below) n? */
static bool beyond(const json_t *schema, const char *key, double n, int sign)
{
	const json_t *limit = json_object_get(schema, key);

	return json_is_number(limit) &&
	       (n - json_number_value(limit)) * sign > 0;
}

static int check_range(const struct check *c, const json_t *schema,
		       const json_t *value, struct lb_error *err)
{
	double length = 0;

	if (json_is_number(value)) {
		if (beyond(schema, "minimum", json_number_value(value), -1))
			return fail(c, err, "below the minimum", "");
		if (beyond(schema, "maximum", json_number_value(value), 1))
			return fail(c, err, "above the maximum", "");
	} else if (json_is_string(value)) {
		length = (double)lb_utf8_count(json_string_value(value),
					       json_string_length(value));
		if (beyond(schema, "minLength", length, -1))
			return fail(c, err, "too short", "");
		if (beyond(schema, "maxLength", length, 1))
			return fail(c, err, "too long", "");
	} else if (json_is_array(value)) {
		length = (double)json_array_size(value);
		if (beyond(schema, "minItems", length, -1))
			return fail(c, err, "too few items", "");
		if (beyond(schema, "maxItems", length, 1))
			return fail(c, err, "too many items", "");
	}
	return 0;
}

/* Check what stands at a name or place below here. */
static int check_below(struct check *c, const char *name, const json_t *schema,
		       const json_t *value, struct lb_error *err)
{
	size_t was = strlen(c->where);
	int r;

	snprintf(c->where + was, sizeof(c->where) - was, "%s%s", was ? "." : "",
		 name);
	r = check(c, schema, value, err);
	c->where[was] = '\0';
	return r;
}

static int check_object(struct check *c, const json_t *schema,
			const json_t *value, struct lb_error *err)
{
	const json_t *known = json_object_get(schema, "properties");
	const json_t *more = json_object_get(schema, "additionalProperties");
	const json_t *name;
	const char *key;
	json_t *kid;
	size_t i;

	json_array_foreach(json_object_get(schema, "required"), i, name)
	{
		const char *one = json_string_value(name);

		if (++c->steps > MAX_STEPS)
			return fail(c, err, "the schema asks for too much", "");
		if (one && !json_object_get(value, one))
			return fail(c, err, "missing ", one);
	}
	json_object_foreach((json_t *)(uintptr_t)value, key, kid)
	{
		const json_t *sub = json_object_get(known, key);

		if (!sub && json_is_false(more))
			return fail(c, err, "not allowed: ", key);
		if (!sub && json_is_object(more))
			sub = more;
		if (sub && check_below(c, key, sub, kid, err) < 0)
			return -1;
	}
	return 0;
}

static int check_array(struct check *c, const json_t *schema,
		       const json_t *value, struct lb_error *err)
{
	const json_t *items = json_object_get(schema, "items"), *item;
	char name[24];
	size_t i;

	json_array_foreach(value, i, item)
	{
		snprintf(name, sizeof(name), "%zu", i);
		if (json_is_object(items) &&
		    check_below(c, name, items, item, err) < 0)
			return -1;
	}
	return 0;
}

/* How many of the schemas in a list does the value keep to? */
static size_t count_matches(struct check *c, const json_t *list,
			    const json_t *value)
{
	const json_t *one;
	struct lb_error err;
	size_t i, n = 0;

	json_array_foreach(list, i, one) n += check(c, one, value, &err) == 0;
	return n;
}

static int check_lists(struct check *c, const json_t *schema,
		       const json_t *value, struct lb_error *err)
{
	const json_t *any = json_object_get(schema, "anyOf");
	const json_t *one = json_object_get(schema, "oneOf"), *each;
	size_t i;

	if (json_is_array(any) && count_matches(c, any, value) == 0)
		return fail(c, err, "none of anyOf fits", "");
	if (json_is_array(one) && count_matches(c, one, value) != 1)
		return fail(c, err, "not exactly one of oneOf fits", "");
	json_array_foreach(json_object_get(schema, "allOf"), i,
			   each) if (check(c, each, value, err) < 0) return -1;
	return 0;
}

/* "#/$defs/x" within the document; NULL when there is nothing. */
static const json_t *resolve(const struct check *c, const char *ref)
{
	lb_autofree char *path = NULL;

	if (strncmp(ref, "#/", 2) != 0)
		return strcmp(ref, "#") == 0 ? c->root : NULL;
	path = lb_strdup(ref + 2);
	for (char *p = path; *p; p++)
		if (*p == '/')
			*p = '.';
	return lb_json_path(c->root, path);
}

static int check(struct check *c, const json_t *schema, const json_t *value,
		 struct lb_error *err)
{
	const char *ref = lb_json_str(schema, "$ref");
	int r;

	if (json_is_false(schema))
		return fail(c, err, "nothing is allowed here", "");
	if (!json_is_object(schema))
		return 0;
	if (c->depth == MAX_DEPTH || ++c->steps > MAX_STEPS)
		return fail(c, err, "the schema nests too deep", "");
	if (ref && !resolve(c, ref))
		return fail(c, err, "the schema has no ", ref);
	c->depth++;
	r = ref ? check(c, resolve(c, ref), value, err) : 0;
	if (r == 0)
		r = check_type(c, json_object_get(schema, "type"), value, err);
	if (r == 0)
		r = check_enum(c, schema, value, err);
	if (r == 0)
		r = check_range(c, schema, value, err);
	if (r == 0 && json_is_object(value))
		r = check_object(c, schema, value, err);
	if (r == 0 && json_is_array(value))
		r = check_array(c, schema, value, err);
	if (r == 0)
		r = check_lists(c, schema, value, err);
	c->depth--;
	return r;
}

int lb_schema_check(const json_t *schema, const json_t *value,
		    struct lb_error *err)
{
	struct check c = {.root = schema};

	return check(&c, schema, value, err);
}
