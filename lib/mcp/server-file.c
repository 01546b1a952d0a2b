/* server-file.c - mcpServers files of other programs. */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/server.h"

enum { MAX_DEPTH = 8, MAX_TEXT = 64 << 10 };

typedef const char *variable_fn(const char *name);

static int put_variable(struct lb_buf *out, const char *text, size_t len,
			variable_fn *variable, struct lb_error *err)
{
	const char *dash = memmem(text, len, ":-", 2);
	lb_autofree char *name =
		lb_strndup(text, dash ? (size_t)(dash - text) : len);
	const char *value;

	/* ${env:NAME} is how others write it. */
	if (strncmp(name, "env:", 4) == 0)
		memmove(name, name + 4, strlen(name) - 3);
	value = variable(name);
	if (value)
		lb_buf_puts(out, value);
	else if (dash)
		lb_buf_put(out, dash + 2, len - (size_t)(dash + 2 - text));
	else
		return lb_fail(err, LB_CONFIG, "the variable %s is not set",
			       name);
	return 0;
}

static json_t *expand_text(const char *text, variable_fn *variable,
			   struct lb_error *err)
{
	lb_autobuf struct lb_buf out = {0};
	const char *from, *end;

	while ((from = strstr(text, "${")) && (end = strchr(from, '}'))) {
		lb_buf_put(&out, text, (size_t)(from - text));
		if (put_variable(&out, from + 2, (size_t)(end - from - 2),
				 variable, err) < 0)
			return NULL;
		text = end + 1;
		if (out.len > MAX_TEXT) {
			lb_fail(err, LB_CONFIG, "a text is too long");
			return NULL;
		}
	}
	lb_buf_puts(&out, text);
	return lb_json_text(out.data, out.len);
}

static json_t *expand(const json_t *value, variable_fn *variable, int depth,
		      struct lb_error *err)
{
	json_t *all = NULL, *one;
	const char *key;
	size_t i;

	if (depth > MAX_DEPTH) {
		lb_fail(err, LB_CONFIG, "it is nested too deeply");
		return NULL;
	}
	if (json_is_string(value))
		return expand_text(json_string_value(value), variable, err);
	if (!json_is_object(value) && !json_is_array(value))
		return json_incref((json_t *)(uintptr_t)value);
	all = json_is_object(value) ? json_object() : json_array();
	json_array_foreach((json_t *)(uintptr_t)value, i, one)
	{
		one = expand(one, variable, depth + 1, err);
		if (!one || json_array_append_new(all, one) < 0) {
			json_decref(all);
			return NULL;
		}
	}
	json_object_foreach((json_t *)(uintptr_t)value, key, one)
	{
		one = expand(one, variable, depth + 1, err);
		if (!one || json_object_set_new(all, key, one) < 0) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

json_t *lb_mcp_entity_expand(const json_t *entity, variable_fn *variable,
			     struct lb_error *err)
{
	return expand(entity, variable, 0, err);
}

/* Take it out, and name it if it meant something. */
static void take_out(json_t *from, const char *prefix, const char *key,
		     struct lb_buf *named)
{
	const json_t *value = json_object_get(from, key);
	const char *text = json_string_value(value);

	if (value && !json_is_null(value) && !json_is_false(value) &&
	    !(text && strcmp(text, "off") == 0))
		lb_buf_printf(named, "%s%s%s", named->len ? ", " : "", prefix,
			      key);
	json_object_del(from, key);
}

void lb_mcp_entity_tame(json_t *entity, bool network, struct lb_buf *named)
{
	static const char *const top[] = {"host", "elicitation", "roots", NULL};
	json_t *box = json_object_get(entity, "box");

	for (size_t i = 0; top[i]; i++)
		take_out(entity, "", top[i], named);
	take_out(box, "box.", "host_path", named);
	json_object_del(box, "host_path_mode");
	if (!network)
		take_out(box, "box.", "network", named);
}

const json_t *lb_mcp_file_servers(const json_t *file, struct lb_error *err)
{
	static const char *const places[] = {"mcpServers", "servers",
					     "mcp.servers", "mcp_servers"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const json_t *servers = lb_json_path(file, places[i]);

		if (json_is_object(servers))
			return servers;
	}
	lb_fail(err, LB_DATA, "it has no object 'mcpServers'");
	return NULL;
}
