/* server.c - the entity of a server, read. */
#include "mcp/server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"

/* Seconds, unless they are said. */
enum {
	TIMEOUT = 10,
	SSE_IDLE = 300,
	CALL = 300,
	STARTUP = 300,
	INSTALL = 120,
	MAX_SECONDS = 7 * 24 * 3600,
};

static const char *const modes[] = {"stdio", "remote", "http", "sse"};

const char *lb_mcp_mode_name(enum lb_mcp_mode mode)
{
	return modes[mode];
}

static const char *either(const json_t *o, const char *a, const char *b)
{
	const char *text = lb_json_str(o, a);

	return text ? text : lb_json_str(o, b);
}

const char *lb_mcp_entity_url(const json_t *entity)
{
	const char *url = either(entity, "url", "serverUrl");

	return url ? url : lb_json_str(entity, "httpUrl");
}

static int read_mode(struct lb_mcp_server *s, const json_t *o,
		     struct lb_error *err)
{
	const char *mode = lb_json_str(o, "mode");

	if (!mode || !*mode)
		mode = either(o, "type", "transport");
	if (!mode || !*mode)
		mode = s->url ? "remote" : "stdio";
	if (strcmp(mode, "streamable-http") == 0 ||
	    strcmp(mode, "streamable_http") == 0 ||
	    strcmp(mode, "streamableHttp") == 0)
		mode = "http";
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(mode, modes[i]) == 0) {
			s->mode = (enum lb_mcp_mode)i;
			return 0;
		}
	return lb_fail(err, LB_CONFIG,
		       "mode '%.40s' is none of stdio, remote, http and sse",
		       mode);
}

static int read_args(struct lb_mcp_server *s, const json_t *args,
		     struct lb_error *err)
{
	size_t n = json_array_size(args);

	if (args && !json_is_array(args) && !json_is_null(args))
		return lb_fail(err, LB_CONFIG, "args is no list");
	if (n > LB_MCP_MAX_ARGS)
		return lb_fail(err, LB_CONFIG, "args has more than %d entries",
			       LB_MCP_MAX_ARGS);
	s->args = lb_alloc((n + 1) * sizeof(*s->args));
	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_array_get(args, i);

		if (json_is_string(one))
			s->args[i] = lb_strdup(json_string_value(one));
		else if (json_is_integer(one))
			s->args[i] =
				lb_printf("%lld",
					  (long long)json_integer_value(one));
		else
			return lb_fail(err, LB_CONFIG, "args[%zu] is no text",
				       i);
	}
	return 0;
}

/* {NAME: text}; numbers and booleans become texts. */
static int read_texts(json_t **take, const json_t *o, const char *key,
		      struct lb_error *err)
{
	const json_t *texts = json_object_get(o, key);
	const char *name;
	json_t *one;

	*take = json_object();
	if (!texts || json_is_null(texts))
		return 0;
	if (!json_is_object(texts))
		return lb_fail(err, LB_CONFIG, "%s is no object", key);
	if (json_object_size(texts) > LB_MCP_MAX_ENV)
		return lb_fail(err, LB_CONFIG, "%s has more than %d entries",
			       key, LB_MCP_MAX_ENV);
	json_object_foreach((json_t *)(uintptr_t)texts, name, one)
	{
		lb_autofree char *text = NULL;

		if (!json_is_string(one) &&
		    (json_is_object(one) || json_is_array(one) ||
		     json_is_null(one)))
			return lb_fail(err, LB_CONFIG, "%s.%s is no text", key,
				       name);
		if (!*name || strpbrk(name, "=\r\n: "))
			return lb_fail(err, LB_CONFIG, "%s: '%.60s' is no name",
				       key, name);
		if (!json_is_string(one))
			text = json_dumps(one, JSON_ENCODE_ANY);
		json_object_set_new(*take, name,
				    text ? json_string(text)
					 : json_incref(one));
	}
	return 0;
}

/* Seconds; what is none (a boolean, NaN, less than nothing) counts as absent. */
static int64_t read_ms(const json_t *o, const char *key, int64_t otherwise)
{
	const json_t *value = json_object_get(o, key);
	double s = json_number_value(value);

	if (!value || json_is_null(value))
		return otherwise * 1000;
	if (!json_is_number(value) || !isfinite(s) || s < 0) {
		lb_warn("%s is no number of seconds; it is %lld", key,
			(long long)otherwise);
		return otherwise * 1000;
	}
	return s > MAX_SECONDS ? (int64_t)MAX_SECONDS * 1000
			       : (int64_t)(s * 1000);
}

static void read_times(struct lb_mcp_server *s, const json_t *o)
{
	s->timeout_ms = read_ms(o, "timeout", TIMEOUT);
	if (s->timeout_ms == 0)
		s->timeout_ms = TIMEOUT * 1000;
	s->sse_idle_ms = read_ms(o, "ssereadtimeout", SSE_IDLE);
	s->call_ms = read_ms(o, "tool_call_timeout_sec", CALL);
	if (s->call_ms == 0)
		s->call_ms = INT64_MAX;
	s->startup_ms =
		s->mode == LB_MCP_STDIO
			? read_ms(s->box, "startup_timeout_sec", STARTUP)
			: s->timeout_ms * 3;
	if (s->startup_ms == 0)
		s->startup_ms = STARTUP * 1000;
	s->install_ms = read_ms(s->box, "install_timeout_sec", INSTALL);
	if (s->install_ms == 0)
		s->install_ms = INSTALL * 1000;
}

static int read_target(struct lb_mcp_server *s, const json_t *o,
		       struct lb_error *err)
{
	const char *command = lb_json_str(o, "command");
	const char *url = lb_mcp_entity_url(o);

	s->url = url ? lb_strdup(url) : NULL;
	if (read_mode(s, o, err) < 0)
		return -1;
	if (s->mode == LB_MCP_STDIO) {
		if (!command || !*command)
			return lb_fail(err, LB_CONFIG,
				       "it has neither a command nor a url");
		s->command = lb_strdup(command);
		return read_args(s, json_object_get(o, "args"), err);
	}
	if (!url || !lb_config_is_url(url))
		return lb_fail(err, LB_CONFIG,
			       "url '%.100s' is none (http://... or "
			       "https://...)",
			       url ? url : "");
	return 0;
}

static int read_all(struct lb_mcp_server *s, const json_t *o,
		    struct lb_error *err)
{
	const json_t *box = json_object_get(o, "box"),
		     *roots = json_object_get(o, "roots");

	if (box && !json_is_null(box) && !json_is_object(box))
		return lb_fail(err, LB_CONFIG, "box is no object");
	s->box = json_is_object(box) ? json_deep_copy(box) : json_object();
	if (read_target(s, o, err) < 0 ||
	    read_texts(&s->env, o, "env", err) < 0 ||
	    read_texts(&s->headers, o, "headers", err) < 0)
		return -1;
	if (json_array_size(roots) > 0)
		s->roots = json_deep_copy(roots);
	s->enable = lb_json_bool(o, "enable", true) &&
		    !lb_json_bool(o, "disabled", false);
	s->elicitation = lb_json_bool(o, "elicitation", false);
	s->on_host = lb_json_bool(o, "host", false);
	read_times(s, o);
	return 0;
}

int lb_mcp_server_read(struct lb_mcp_server *server, const char *name,
		       const json_t *entity, struct lb_error *err)
{
	*server = (struct lb_mcp_server){
		.name = lb_strdup(name),
		.session = lb_printf("mcp/%s", name),
	};
	if (!json_is_object(entity))
		lb_fail(err, LB_CONFIG, "it is no object");
	else if (read_all(server, entity, err) == 0)
		return 0;
	lb_mcp_server_release(server);
	return lb_error_wrap(err, "server '%s'", name);
}

void lb_mcp_server_release(struct lb_mcp_server *s)
{
	free(s->name);
	free(s->session);
	free(s->command);
	for (char **a = s->args; a && *a; a++)
		free(*a);
	free(s->args);
	json_decref(s->env);
	free(s->url);
	json_decref(s->headers);
	json_decref(s->box);
	json_decref(s->roots);
	*s = (struct lb_mcp_server){.name = NULL};
}
