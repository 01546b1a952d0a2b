/* The value of a key that says what of the network may be reached. */
#include <string.h>

#include "base/host.h"
#include "base/json.h"
#include "config/coerce.h"

enum { MOST_HOSTS = 100 };

/* A line of hosts, with commas or blanks between them. */
static json_t *split(const char *text)
{
	json_t *list = json_array();

	for (text += strspn(text, ", \t"); *text;
	     text += strspn(text, ", \t")) {
		size_t n = strcspn(text, ", \t");

		json_array_append_new(list, lb_json_text(text, n));
		text += n;
	}
	return list;
}

static json_t *only(json_t *take, struct lb_error *err)
{
	json_auto_t *list = take;
	json_t *one;
	size_t i;

	if (!json_is_array(list))
		return NULL;
	if (json_array_size(list) > MOST_HOSTS) {
		lb_fail(err, LB_CONFIG, "has more than %d hosts", MOST_HOSTS);
		return NULL;
	}
	json_array_foreach(list, i, one)
	{
		if (!json_is_string(one))
			return NULL;
		if (lb_host_rule_check(json_string_value(one), err) < 0) {
			err->code = LB_CONFIG;
			return NULL;
		}
	}
	return lb_json_pack("{s:O}", "allow", list);
}

json_t *lb_coerce_network(const json_t *value, struct lb_error *err)
{
	const char *text = json_string_value(value);
	json_t *list = json_object_get(value, "allow");

	if (text && (strcmp(text, "off") == 0 || strcmp(text, "on") == 0))
		return json_string(text);
	if (text && strpbrk(text, ".:"))
		return only(split(text), err);
	if (json_is_array(value))
		list = (json_t *)(uintptr_t)value;
	else if (json_object_size(value) != 1)
		return NULL;
	return list ? only(json_incref(list), err) : NULL;
}
