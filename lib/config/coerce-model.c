/* The value of a key that says which model: the name of one, or more of it. */
#include <string.h>

#include "base/json.h"
#include "config/coerce.h"

static bool are_texts(const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		if (!json_is_string(one))
			return false;
	}
	return json_is_array(list);
}

static bool is_level(const json_t *value)
{
	static const char *const levels[] =
		{"provider_default", "disabled", "enabled", "minimal", "low",
		 "medium",           "high",     "xhigh",   "max",     NULL};
	const char *text = json_string_value(value);

	for (const char *const *l = levels; text && *l; l++)
		if (strcmp(*l, text) == 0)
			return true;
	return false;
}

/* How much which model thinks: {"openai/o3":"low"}. */
static bool is_reasoning(const json_t *value)
{
	const char *name;
	json_t *level;

	json_object_foreach((json_t *)(uintptr_t)value, name, level)
	{
		if (!is_level(level))
			return false;
	}
	return json_is_object(value);
}

static bool fits(const char *name, const json_t *value)
{
	if (strcmp(name, "primary") == 0)
		return json_is_string(value);
	if (strcmp(name, "fallbacks") == 0)
		return are_texts(value);
	return strcmp(name, "reasoning") == 0 && is_reasoning(value);
}

json_t *lb_coerce_model(const json_t *value)
{
	const char *name;
	json_t *any;

	if (json_is_string(value))
		return lb_json_pack("{s:s}", "primary",
				    json_string_value(value));
	json_object_foreach((json_t *)(uintptr_t)value, name, any)
	{
		if (!fits(name, any))
			return NULL;
	}
	return json_is_object(value) ? json_deep_copy(value) : NULL;
}
