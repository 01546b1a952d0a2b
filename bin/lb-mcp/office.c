/* office.c - the servers there are, and the one that is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/path.h"
#include "fs/digest.h"
#include "mcp.h"

enum { MAX_FILE = 4 << 20 };

struct reach reach;

bool reach_is_nameless(void)
{
	return reach.stdio || reach.url;
}

static int read_file(struct office *o, const char *from, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	json_error_t why;
	size_t len;

	if (lb_path_read(strcmp(from, "-") == 0 ? "/dev/stdin" : from, MAX_FILE,
			 &text, &len, err) < 0)
		return -1;
	o->file = json_loadb(text, len, 0, &why);
	if (!o->file)
		return lb_fail(err, LB_DATA, "'%s' line %d: %s", from, why.line,
			       why.text);
	o->servers = lb_mcp_file_servers(o->file, err);
	return o->servers ? 0 : lb_error_wrap(err, "'%s'", from);
}

int office_open(struct office *o, const char *config, const char *from,
		struct lb_error *err)
{
	*o = (struct office){.config = lb_config_load(config, err)};
	o->state = o->config ? lb_config_state(err) : NULL;
	if (!o->state)
		return -1;
	o->servers = lb_config_get(o->config, "mcp.servers");
	return from ? read_file(o, from, err) : 0;
}

void office_close(struct office *o)
{
	json_decref(o->file);
	free(o->state);
	lb_config_close(o->config);
}

/* NAME=TEXT, or NAME of ours. */
static int add_variable(json_t *env, const char *word, struct lb_error *err)
{
	const char *equals = strchr(word, '=');
	lb_autofree char *name =
		lb_strndup(word,
			   equals ? (size_t)(equals - word) : strlen(word));
	const char *value = equals ? equals + 1 : lb_config_env(name);

	if (!value)
		return lb_fail(err, LB_USAGE, "--env: '%s' is not set", name);
	lb_json_set_str(env, name, value, strlen(value));
	return 0;
}

json_t *network_of(const char *text)
{
	json_t *hosts;
	size_t n;

	if (strcmp(text, "on") == 0 || strcmp(text, "off") == 0)
		return json_string(text);
	hosts = json_array();
	for (; *text; text += n + (text[n] == ',')) {
		n = strcspn(text, ",");
		json_array_append_new(hosts, lb_json_text(text, n));
	}
	return lb_json_pack("{s:o}", "allow", hosts);
}

/* --stdio. What it says is for sh, as in a shell's line. */
static json_t *of_command(struct lb_error *err)
{
	json_auto_t *env = json_object();
	json_t *entity;

	for (size_t i = 0; i < reach.env.n; i++)
		if (add_variable(env, reach.env.at[i], err) < 0)
			return NULL;
	entity = lb_json_pack("{s:s, s:[s, s], s:O, s:{}}", "command", "sh",
			      "args", "-c", reach.stdio, "env", env, "box");
	if (reach.network)
		json_object_set_new(json_object_get(entity, "box"), "network",
				    network_of(reach.network));
	return entity;
}

/* --url */
static json_t *of_url(struct lb_error *err)
{
	json_auto_t *headers = json_object();

	for (size_t i = 0; i < reach.headers.n; i++) {
		const char *word = reach.headers.at[i];
		const char *colon = strchr(word, ':');
		lb_autofree char *name = NULL;

		if (!colon || colon == word) {
			lb_fail(err, LB_USAGE,
				"--header: '%s' is no NAME: TEXT", word);
			return NULL;
		}
		name = lb_strndup(word, (size_t)(colon - word));
		colon += 1 + strspn(colon + 1, " ");
		lb_json_set_str(headers, name, colon, strlen(colon));
	}
	return lb_json_pack("{s:s, s:O}", "url", reach.url, "headers", headers);
}

static int unknown(const struct office *o, const char *name,
		   struct lb_error *err)
{
	struct lb_slip slip = {.typed = name};
	const char *key;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)o->servers, key, one)
	{
		lb_slip_try(&slip, key);
	}
	if (slip.meant)
		return lb_fail(err, LB_UNAVAILABLE,
			       "there is no server '%.60s'; did you mean '%s'?",
			       name, slip.meant);
	if (json_object_size(o->servers) == 0)
		return lb_fail(err, LB_UNAVAILABLE,
			       "there is no server '%.60s'; there is none at "
			       "all ('lb-mcp add' makes one)",
			       name);
	return lb_fail(err, LB_UNAVAILABLE,
		       "there is no server '%.60s'; 'lb-mcp list' names them",
		       name);
}

/* --network goes for it, too. */
static json_t *of_file(const struct office *o, const char *name,
		       struct lb_error *err)
{
	json_t *entity = office_foreign(o, name, err), *box;

	if (!entity || !reach.network)
		return entity;
	box = json_object_get(entity, "box");
	if (!json_is_object(box)) {
		box = json_object();
		json_object_set_new(entity, "box", box);
	}
	json_object_set_new(box, "network", network_of(reach.network));
	return entity;
}

static json_t *entity_of(struct office *o, const char *name,
			 struct lb_error *err)
{
	json_t *entity;

	if (!name)
		return reach.stdio ? of_command(err) : of_url(err);
	entity = json_object_get(o->servers, name);
	if (!entity) {
		unknown(o, name, err);
		return NULL;
	}
	return o->file ? of_file(o, name, err) : json_incref(entity);
}

/* One of a file has a sandbox that stays, as each file, name and command has. */
static char *session_of(const char *file, const struct lb_mcp_server *server)
{
	lb_autofree char *real = realpath(file, NULL);
	unsigned char sum[LB_DIGEST_SIZE];
	char key[65];
	const struct lb_piece pieces[] = {
		{key, sizeof(key)},
		{server->name, strlen(server->name) + 1},
		{real ? real : file, strlen(real ? real : file)},
	};

	lb_mcp_launch_key(server, key);
	lb_digest(pieces, 3, sum);
	for (size_t i = 0; i < 8; i++)
		snprintf(key + 2 * i, 3, "%02x", sum[i]);
	return lb_printf("mcp-file/%s", key);
}

int office_server(struct office *o, const char *name,
		  struct lb_mcp_server *server, struct lb_error *err)
{
	json_auto_t *entity = entity_of(o, name, err);

	if (!entity ||
	    lb_mcp_server_read(server, name ? name : "-", entity, err) < 0)
		return -1;
	if (!name || o->file) {
		free(server->session);
		server->session = name ? session_of(reach.from, server) : NULL;
	}
	server->literal = o->file != NULL || (!name && reach.stdio);
	server->on_host = server->on_host || reach.host;
	server->elicitation = server->elicitation || reach.elicit;
	if (server->mode == LB_MCP_STDIO &&
	    !json_is_true(lb_config_get(o->config, "mcp.stdio.enabled")))
		return lb_fail(err, LB_DENIED,
			       "MCP servers that are programs are switched off "
			       "(mcp.stdio.enabled)");
	return 0;
}
