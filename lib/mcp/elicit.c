/* elicit.c - the defaults of a form. */
#include "mcp/elicit.h"

#include <string.h>

#include "base/json.h"

enum { MAX_FIELDS = 256 };

static json_t *decline(void)
{
	return lb_json_pack("{s:s}", "action", "decline");
}

json_t *lb_mcp_elicit(const json_t *params, bool may)
{
	const char *mode = lb_json_str(params, "mode");
	const json_t *schema = json_object_get(params, "requestedSchema");
	const json_t *fields = json_object_get(schema, "properties");
	const json_t *required = json_object_get(schema, "required"), *name;
	json_auto_t *content = json_object();
	const char *key;
	json_t *field;
	size_t i;

	if (!may || (mode && strcmp(mode, "form") != 0) ||
	    !json_is_object(schema) || json_object_size(fields) > MAX_FIELDS)
		return decline();
	json_object_foreach((json_t *)(uintptr_t)fields, key, field)
	{
		json_t *value = json_object_get(field, "default");

		if (value)
			json_object_set(content, key, value);
	}
	json_array_foreach((json_t *)(uintptr_t)required, i, name)
	{
		if (!json_object_get(content, json_string_value(name)
						      ? json_string_value(name)
						      : ""))
			return decline();
	}
	return lb_json_pack("{s:s, s:O}", "action", "accept", "content",
			    content);
}
