/* schema-text.c - a schema from what a person writes. */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "llm/schema.h"

enum { MAX_DEPTH = 64, MAX_FILE = 1 << 20 };

/* "name type: description" as a property. */
static int add_field(json_t *schema, char *field, struct lb_error *err)
{
	static const struct {
		const char *name, *type;
	} types[] = {
		{"str", "string"},    {"string", "string"},
		{"int", "integer"},   {"integer", "integer"},
		{"float", "number"},  {"number", "number"},
		{"bool", "boolean"},  {"boolean", "boolean"},
		{"list", "array"},    {"array", "array"},
		{"object", "object"},
	};
	char *about = strchr(field, ':'), *save = NULL;
	const char *name, *type, *json_type = NULL;
	json_t *property = json_object();

	if (about)
		*about++ = '\0';
	name = strtok_r(field, " \t\n", &save);
	type = strtok_r(NULL, " \t\n", &save);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type ? type : "str", types[i].name) == 0)
			json_type = types[i].type;
	if (!name || !json_type) {
		json_decref(property);
		return lb_fail(err, LB_USAGE, "'%s' is not a type of a schema",
			       type ? type : field);
	}
	json_object_set_new(property, "type", json_string(json_type));
	if (about)
		lb_json_set_str(property, "description",
				about + strspn(about, " "),
				strlen(about + strspn(about, " ")));
	json_object_set_new(json_object_get(schema, "properties"), name,
			    property);
	json_array_append_new(json_object_get(schema, "required"),
			      json_string(name));
	return 0;
}

static json_t *short_form(const char *text, struct lb_error *err)
{
	json_t *schema = lb_json_pack("{s:s, s:{}, s:[]}", "type", "object",
				      "properties", "required");
	lb_autofree char *copy = lb_strdup(text);
	char *save = NULL;
	const char *sep = strchr(text, '\n') ? "\n" : ",";

	for (char *f = strtok_r(copy, sep, &save); f;
	     f = strtok_r(NULL, sep, &save))
		if (add_field(schema, f, err) < 0) {
			json_decref(schema);
			return NULL;
		}
	return schema;
}

/* A file that is there, or that a name like this must mean. */
static bool is_path(const char *text)
{
	size_t len = strlen(text);

	return access(text, F_OK) == 0 ||
	       (strchr(text, '/') && !strpbrk(text, " ,:")) ||
	       (len > 5 && strcmp(text + len - 5, ".json") == 0);
}

/* Types that there are not would only show when the answer is here. */
static int check_types(const json_t *schema, int depth, struct lb_error *err)
{
	static const char all[] =
		" object array string integer number boolean null ";
	const char *type = lb_json_str(schema, "type"), *key;
	lb_autofree char *word = lb_printf(" %s ", type ? type : "null");
	json_t *kid;
	size_t i;

	if (depth > MAX_DEPTH)
		return lb_fail(err, LB_DATA, "the schema nests too deep");
	if (!strstr(all, word))
		return lb_fail(err, LB_DATA,
			       "the schema has a type '%s': it is none", type);
	json_object_foreach(json_object_get(schema, "properties"), key,
			    kid) if (check_types(kid, depth + 1, err) <
				     0) return -1;
	json_array_foreach(json_object_get(schema, "anyOf"), i,
			   kid) if (check_types(kid, depth + 1, err) <
				    0) return -1;
	kid = json_object_get(schema, "items");
	return kid ? check_types(kid, depth + 1, err) : 0;
}

json_t *lb_schema_open(const char *text, struct lb_error *err)
{
	lb_autofree char *file = NULL;
	json_error_t why;
	json_t *schema;
	size_t len;

	if (*text != '{' && is_path(text)) {
		if (lb_path_read(text, MAX_FILE, &file, &len, err) < 0)
			return NULL;
		text = file;
	} else if (*text != '{') {
		return short_form(text, err);
	}
	schema = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	if (!json_is_object(schema)) {
		lb_fail(err, LB_DATA, "the schema is not a JSON object: %s",
			schema ? "another value" : why.text);
		json_decref(schema);
		return NULL;
	}
	if (check_types(schema, 0, err) < 0) {
		json_decref(schema);
		return NULL;
	}
	return schema;
}
