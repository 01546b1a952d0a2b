/* mcp.c - MCP servers, and which of them a pipeline has. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/keys.h"
#include "langbot/items.h"

#define SERVERS "mcp.servers"

enum { MAX_NAME = 48, MAX_VARIABLES = 128 };

/* What of extra_args has a place here; the rest is no server's. */
static const struct field {
	const char *name;
	enum { PLAIN, TEXTS, SECRETS } kind;
	enum { OF_STDIO = 1, OF_HTTP = 2 } of;
} fields[] = {
	{"command", PLAIN, OF_STDIO},
	{"args", TEXTS, OF_STDIO},
	{"env", SECRETS, OF_STDIO},
	{"url", PLAIN, OF_HTTP},
	{"headers", SECRETS, OF_HTTP},
	{"timeout", PLAIN, OF_HTTP},
	{"ssereadtimeout", PLAIN, OF_HTTP},
	{"tool_call_timeout_sec", PLAIN, OF_STDIO | OF_HTTP},
	{NULL, PLAIN, OF_STDIO},
};

/* The same of box. */
static const char *const box_fields[] = {
	"network", "host_path", "host_path_mode", "startup_timeout_sec",
	"cpus",    "memory_mb", "pids_limit",     NULL,
};

struct making {
	struct lb_item_report *item;
	const json_t *from; /* extra_args */
	json_t *out;
};

/* {NAME: secret}; those that would be read otherwise here are left out. */
static json_t *secrets(const struct making *m, const char *what,
		       const json_t *from)
{
	json_t *out, *one;
	const char *name;

	if (!json_is_object(from))
		return NULL;
	out = json_object();
	json_object_foreach((json_t *)(uintptr_t)from, name, one)
	{
		json_t *text = lb_langbot_secret(one);

		if (text && json_object_size(out) < MAX_VARIABLES)
			json_object_set(out, name, text);
		else
			lb_item_note(m->item,
				     "%s.%.60s would not be read as it is here",
				     what, name);
		json_decref(text);
	}
	return out;
}

static json_t *read_field(struct making *m, const struct field *f,
			  const json_t *value)
{
	size_t lost = 0;
	json_t *out;

	if (f->kind == SECRETS)
		return secrets(m, f->name, value);
	if (f->kind == PLAIN)
		return json_is_string(value)
			       ? lb_langbot_text(value)
			       : json_incref((json_t *)(uintptr_t)value);
	if (!json_is_array(value))
		return NULL;
	out = lb_langbot_texts(value, &lost);
	if (lost > 0)
		lb_item_refuse(m->item, "some of its %s are no texts", f->name);
	return out;
}

static void take_field(struct making *m, const struct field *f)
{
	const json_t *value = json_object_get(m->from, f->name);
	lb_autofree char *path = lb_printf(SERVERS ".x.%s", f->name);
	json_auto_t *read = NULL, *fits = NULL;
	struct lb_error why;

	if (!value || json_is_null(value))
		return;
	read = read_field(m, f, value);
	fits = read ? lb_coerce(lb_key_find(path), read, &why) : NULL;
	if (fits)
		json_object_set(m->out, f->name, fits);
	else
		lb_item_note(m->item, "%s: %s", f->name,
			     read ? why.text : "is of the wrong kind");
}

static void take_box(struct making *m)
{
	const json_t *from = json_object_get(m->from, "box");
	json_auto_t *box = json_object();
	json_t *env = secrets(m, "box.env", json_object_get(from, "env"));

	for (size_t i = 0; box_fields[i]; i++) {
		json_t *value = json_object_get(from, box_fields[i]);

		if (json_is_string(value))
			json_object_set_new(box, box_fields[i],
					    lb_langbot_text(value));
		else if (json_is_number(value))
			json_object_set(box, box_fields[i], value);
	}
	if (env)
		json_object_set_new(box, "env", env);
	if (!json_object_get(box, "network"))
		lb_item_note(m->item, "it has a network there: here it has "
				      "none until box.network says so");
	if (json_object_get(from, "image"))
		lb_item_note(m->item, "box.image is not taken: its sandbox is "
				      "that of box.backend");
	if (json_object_size(box) > 0)
		json_object_set(m->out, "box", box);
}

/* What servers may be called here. */
static char *name_of(const struct lb_langbot *in, const char *wanted)
{
	lb_autobuf struct lb_buf clean = {0};

	for (const char *p = wanted; *p && clean.len < MAX_NAME; p++)
		lb_buf_putc(&clean, isalnum((unsigned char)*p) || *p == '_' ||
						    (*p == '-' && clean.len > 0)
					    ? *p
					    : '_');
	return lb_langbot_name(in, SERVERS,
			       clean.len > 0 ? clean.data : "server");
}

static void take_mode(struct making *m, const json_t *row)
{
	lb_autofree char *mode = lb_row_text(row, "mode");
	const struct lb_key *key = lb_key_find(SERVERS ".x.mode");
	int of;

	if (!mode || !lb_key_has_word(key->values, mode)) {
		lb_item_refuse(m->item, "its mode '%.60s' is not known",
			       mode ? mode : "");
		return;
	}
	lb_json_set_str(m->out, "mode", mode, strlen(mode));
	of = strcmp(mode, "stdio") == 0 ? OF_STDIO : OF_HTTP;
	for (const struct field *f = fields; f->name; f++)
		if (f->of & of)
			take_field(m, f);
	if (of == OF_STDIO)
		take_box(m);
	if (of == OF_STDIO && !lb_json_str(m->out, "command"))
		lb_item_refuse(m->item, "it has no command");
	if (of == OF_HTTP && (!lb_json_str(m->out, "url") ||
			      !lb_config_is_url(lb_json_str(m->out, "url"))))
		lb_item_refuse(m->item, "its url is none that can be asked");
}

static void take_server(struct lb_langbot *in, const json_t *row)
{
	struct lb_item_report item;
	bool broken = false;
	json_auto_t *extra = lb_row_json(row, "extra_args", &broken);
	json_auto_t *out = json_object();
	struct making m = {&item, extra, out};
	lb_autofree char *name = NULL, *readme = lb_row_text(row, "readme"),
			 *uuid = lb_row_text(row, "uuid");

	lb_item_begin(&item, "MCP server", row);
	if (broken)
		lb_item_refuse(&item, "its extra_args are not JSON");
	else
		take_mode(&m, row);
	if (!lb_row_bool(row, "enable", false))
		json_object_set_new(out, "enable", json_false());
	if (readme && *readme && strlen(readme) < 4000)
		lb_json_set_str(out, "readme", readme, strlen(readme));
	if (uuid)
		lb_json_set_str(out, "uuid", uuid, strlen(uuid));
	if (!item.refused) {
		name = name_of(in, item.name);
		item.as = lb_printf(SERVERS ".%s", name);
		lb_langbot_is_ours(in, SERVERS, row, name);
		lb_json_put(in->out, item.as, json_incref(out));
	}
	lb_item_end(in, &item, item.refused ? row : NULL);
}

void lb_langbot_mcp(struct lb_langbot *in)
{
	const json_t *row;
	size_t i;

	json_array_foreach(lb_langbot_table(in, "mcp_servers"), i, row)
	{
		take_server(in, row);
	}
}

/* ---- of a pipeline ---- */

static void take_names(const struct lb_langbot *in, struct lb_item_report *item,
		       const json_t *list, json_t *out)
{
	json_auto_t *names = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *ours = lb_langbot_ours(in, SERVERS, one);

		if (ours)
			json_array_append_new(names, json_string(ours));
		else
			lb_item_note(item, "its MCP server %zu is not taken",
				     i + 1);
	}
	json_object_set(out, "mcp_servers", names);
}

/* One that is read for each query, with our name of its server. */
static json_t *resource(const struct lb_langbot *in, const json_t *said)
{
	static const char *const kept[] = {"enabled", "mode", "max_tokens",
					   "max_bytes", NULL};
	json_t *uri = lb_langbot_text(json_object_get(said, "uri")), *out;
	json_t *id = json_object_get(said, "server_uuid");
	const char *ours;

	if (!id)
		id = json_object_get(said, "server_id");
	ours = lb_langbot_ours(in, SERVERS, id);
	if (!ours) /* by its name, where that is the same here */
		ours = lb_json_str(said, "server_name");
	if (!ours || !uri ||
	    !json_object_get(lb_json_path(in->out, SERVERS), ours)) {
		json_decref(uri);
		return NULL;
	}
	out = lb_json_pack("{s:s, s:o}", "server_name", ours, "uri", uri);
	for (size_t i = 0; kept[i]; i++) {
		json_t *value = json_object_get(said, kept[i]);

		if (json_is_boolean(value) || json_is_integer(value))
			json_object_set(out, kept[i], value);
		else if (json_is_string(value))
			json_object_set_new(out, kept[i],
					    lb_langbot_text(value));
	}
	return out;
}

static void take_resources(const struct lb_langbot *in,
			   struct lb_item_report *item, const json_t *list,
			   json_t *out)
{
	json_auto_t *ours = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		json_t *taken = resource(in, one);

		if (taken)
			json_array_append_new(ours, taken);
		else
			lb_item_note(item, "its MCP resource %zu is not taken",
				     i + 1);
	}
	if (json_array_size(ours) > 0)
		json_object_set(out, "mcp_resources", ours);
}

void lb_langbot_mcp_of(const struct lb_langbot *in, struct lb_item_report *item,
		       const json_t *config, const json_t *said, json_t *out)
{
	static const char read[] = "mcp_resource_agent_read_enabled";
	const json_t *agent = lb_json_path(config, "ai.local-agent");
	const json_t *list = json_object_get(agent, "mcp-resources");
	json_t *may = json_object_get(agent, "mcp-resource-agent-read-enabled");
	json_t *every = json_object_get(said, "enable_all_mcp_servers");
	const json_t *names = json_object_get(said, "mcp_servers");

	if (json_is_boolean(every))
		json_object_set(out, "enable_all_mcp_servers", every);
	else if (json_array_size(names) > 0)
		lb_item_note(item, "it has all MCP servers there, and those of "
				   "its list here (mcp_servers)");
	/* which they are matters where it is not all of them */
	if (json_array_size(names) > 0 || (names && json_is_false(every)))
		take_names(in, item, names, out);
	if (!json_is_array(list))
		list = json_object_get(said, "mcp_resources");
	take_resources(in, item, list, out);
	if (!json_is_boolean(may))
		may = json_object_get(said, read);
	if (json_is_boolean(may))
		json_object_set(out, read, may);
}
