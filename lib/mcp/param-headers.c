#include "mcp/param-headers.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"

enum { MAX_DEPTH = 16, MAX_HEADERS = 64, MAX_NAME = 100 };

static const char key[] = "x-mcp-header";

static bool is_token(const char *name)
{
	size_t n = strspn(name, "!#$%&'*+-.^_`|~0123456789"
				"abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return n > 0 && n <= MAX_NAME && name[n] == '\0';
}

static char *text_of(const json_t *value)
{
	if (json_is_string(value))
		return lb_strdup(json_string_value(value));
	if (json_is_boolean(value))
		return lb_strdup(json_is_true(value) ? "true" : "false");
	return json_is_integer(value)
		       ? lb_printf("%lld", (long long)json_integer_value(value))
		       : NULL;
}

static void gather(json_t *to, const json_t *schema, const json_t *arguments,
		   int depth)
{
	const json_t *fields = json_object_get(schema, "properties");
	const char *name;
	json_t *field;

	if (depth > MAX_DEPTH)
		return;
	json_object_foreach((json_t *)(uintptr_t)fields, name, field)
	{
		const json_t *value = json_object_get(arguments, name);
		const char *header = lb_json_str(field, key);
		lb_autofree char *text = header ? text_of(value) : NULL;

		if (text && is_token(header)) {
			lb_autofree char *full =
				lb_printf("Mcp-Param-%s", header);

			lb_json_set_str(to, full, text, strlen(text));
		}
		if (json_is_object(value))
			gather(to, field, value, depth + 1);
	}
}

json_t *lb_mcp_param_headers(const json_t *schema, const json_t *arguments)
{
	json_t *all = json_object();

	gather(all, schema, arguments, 0);
	if (json_object_size(all) > 0)
		return all;
	json_decref(all);
	return NULL;
}

static int check(const json_t *schema, json_t *seen, int depth,
		 struct lb_error *err)
{
	const json_t *fields = json_object_get(schema, "properties");
	const char *name, *other;
	json_t *field, *one;

	json_object_foreach((json_t *)(uintptr_t)fields, name, field)
	{
		const json_t *said = json_object_get(field, key);
		const char *header = json_string_value(said);
		const char *type = lb_json_str(field, "type");

		if (said && (!header || !is_token(header)))
			return lb_fail(err, LB_PROTOCOL,
				       "%s of '%.60s' is no name of a header",
				       key, name);
		if (header && (!type || !(strcmp(type, "string") == 0 ||
					  strcmp(type, "integer") == 0 ||
					  strcmp(type, "boolean") == 0)))
			return lb_fail(err, LB_PROTOCOL,
				       "%s of '%.60s', whose type does not go "
				       "into a header",
				       key, name);
		json_object_foreach(seen, other, one)
		{
			if (header && strcasecmp(other, header) == 0)
				return lb_fail(err, LB_PROTOCOL,
					       "%s '%.60s' is there twice", key,
					       header);
		}
		if (header)
			json_object_set_new(seen, header, json_true());
		if (depth < MAX_DEPTH && check(field, seen, depth + 1, err) < 0)
			return -1;
	}
	return 0;
}

int lb_mcp_param_headers_check(const json_t *schema, struct lb_error *err)
{
	json_auto_t *seen = json_object();

	return check(schema, seen, 0, err);
}
