/* foreign.c - servers that a file of another program has. */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "config/coerce.h"
#include "mcp.h"

json_t *office_foreign(const struct office *o, const char *name,
		       struct lb_error *err)
{
	lb_autobuf struct lb_buf named = {0};
	json_t *entity = lb_mcp_entity_expand(json_object_get(o->servers, name),
					      lb_config_env, err);

	if (!entity)
		return NULL;
	lb_mcp_entity_tame(entity, false, &named);
	if (named.len > 0)
		lb_warn("%s: what the file says of %s does not count: that is "
			"yours to say (--host, --network; 'lb-mcp add' has "
			"--project)",
			name, named.data);
	return entity;
}

/* What is of no meaning to us is not taken over. */
json_t *entity_cleaned(const json_t *entity)
{
	static const char *const keys[] = {
		"mode",    "command",     "args",
		"env",     "box",         "url",
		"headers", "timeout",     "ssereadtimeout",
		"host",    "roots",       "tool_call_timeout_sec",
		"enable",  "elicitation", "readme",
		"uuid",    "era",         NULL,
	};
	json_t *clean = json_object();
	const char *type = lb_json_str(entity, "type");
	const char *url = lb_mcp_entity_url(entity);

	for (size_t i = 0; keys[i]; i++) {
		json_t *value = json_object_get(entity, keys[i]);

		if (value && !json_is_null(value))
			json_object_set(clean, keys[i], value);
	}
	if (url)
		lb_json_set_str(clean, "url", url, strlen(url));
	if (type && !json_object_get(clean, "mode"))
		json_object_set_new(clean, "mode",
				    json_string(strstr(type, "http") ? "http"
								     : type));
	if (lb_json_bool(entity, "disabled", false))
		json_object_set_new(clean, "enable", json_false());
	return clean;
}

/* In a file of others "env:X" and "cmd:X" are texts; in the configuration they
 * would be looked up and run. */
static int check_literal(const json_t *texts, const char *what,
			 const struct lb_list *said, struct lb_error *err)
{
	const char *key;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)texts, key, one)
	{
		const char *text = json_string_value(one);
		bool is_said = false;

		for (size_t i = 0; said && i < said->n; i++)
			is_said =
				is_said ||
				(strncmp(said->at[i], key, strlen(key)) == 0 &&
				 strchr("=:", said->at[i][strlen(key)]));
		if (text && *text && !is_said && !lb_secret_is_literal(text))
			return lb_fail(err, LB_DENIED,
				       "%s.%.60s of the file would be looked "
				       "up on this machine: give it one of "
				       "your own (--env, --header)",
				       what, key);
	}
	return 0;
}

int foreign_check(const json_t *entity, const struct lb_list *env,
		  const struct lb_list *headers, struct lb_error *err)
{
	return check_literal(json_object_get(entity, "env"), "env", env, err) <
				       0 ||
			       check_literal(json_object_get(entity, "headers"),
					     "headers", headers, err) < 0 ||
			       check_literal(lb_json_path(entity, "box.env"),
					     "box.env", NULL, err) < 0
		       ? -1
		       : 0;
}
