/* launch.c - from a server's entity to a transport. */
#include "mcp/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "fs/digest.h"
#include "mcp/boxed.h"
#include "mcp/words.h"

extern char **environ;

const char *lb_mcp_phase_name(enum lb_mcp_phase phase)
{
	static const char *const names[] = {
		[LB_MCP_NO_PHASE] = NULL,
		[LB_MCP_BOX_UNAVAILABLE] = "box_unavailable",
		[LB_MCP_SESSION_CREATE] = "session_create",
		[LB_MCP_DEP_INSTALL] = "dep_install",
		[LB_MCP_PROCESS_START] = "process_start",
		[LB_MCP_RELAY_CONNECT] = "relay_connect",
		[LB_MCP_INIT] = "mcp_init",
		[LB_MCP_RUNTIME] = "runtime",
		[LB_MCP_TOOL_CALL] = "tool_call",
	};

	return names[phase];
}

void lb_mcp_launch_key(const struct lb_mcp_server *server, char key[65])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum[LB_DIGEST_SIZE];
	lb_autobuf struct lb_buf text = {0};

	lb_buf_printf(&text, "%s%c", lb_mcp_mode_name(server->mode), 0);
	if (server->url)
		lb_buf_puts(&text, server->url);
	if (server->command)
		lb_buf_puts(&text, server->command);
	for (char **a = server->args; a && *a; a++) {
		lb_buf_putc(&text, '\0');
		lb_buf_puts(&text, *a);
	}
	lb_digest(&(struct lb_piece){text.data, text.len}, 1, sum);
	for (size_t i = 0; i < sizeof(sum); i++) {
		key[2 * i] = digits[sum[i] >> 4];
		key[2 * i + 1] = digits[sum[i] & 15];
	}
	key[64] = '\0';
}

char *lb_mcp_secret(const struct lb_mcp_server *server, const char *text,
		    struct lb_error *err)
{
	if (!server->literal)
		return lb_config_secret(text, err);
	/* A key of a file of others is one all the same. */
	return lb_strdup(text);
}

/* On this machine: what is usual of our environment, and what it is given. */
static struct lb_mcp_transport *on_host(
	const struct lb_mcp_launch *l, struct lb_loop *loop,
	const struct lb_mcp_transport_events *events, void *arg,
	struct lb_error *err)
{
	static const char *const usual[] = {
		"PATH",  "HOME",     "USER",           "LOGNAME",
		"SHELL", "LANG",     "LC_ALL",         "LC_CTYPE",
		"TZ",    "TMPDIR",   "XDG_DATA_HOME",  "XDG_CONFIG_HOME",
		"TERM",  "NO_COLOR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
		NULL,
	};
	lb_autowords struct lb_words argv = {.n = 0}, env = {.n = 0};
	const struct lb_mcp_server *s = l->server;
	const char *key, *value;
	json_t *text;

	lb_words_add(&argv, lb_strdup(s->command));
	for (char **a = s->args; a && *a; a++)
		lb_words_add(&argv, lb_strdup(*a));
	for (size_t i = 0; usual[i]; i++) {
		value = lb_config_env(usual[i]);
		if (value && !json_object_get(s->env, usual[i]))
			lb_words_add(&env, lb_printf("%s=%s", usual[i], value));
	}
	json_object_foreach(s->env, key, text)
	{
		lb_autofree char *secret =
			lb_mcp_secret(s, json_string_value(text), err);

		if (!secret)
			return NULL;
		lb_words_add(&env, lb_printf("%s=%s", key, secret));
	}
	return lb_mcp_stdio_open(loop,
				 &(struct lb_mcp_program){
					 .argv = lb_words_list(&argv),
					 .env = lb_words_list(&env),
					 .guard = l->guard,
					 .max_line = l->max_line,
				 },
				 events, arg);
}

static int add_headers(struct lb_words *w, const struct lb_mcp_server *s,
		       struct lb_error *err)
{
	const char *key;
	json_t *text;

	json_object_foreach(s->headers, key, text)
	{
		lb_autofree char *secret =
			lb_mcp_secret(s, json_string_value(text), err);

		if (!secret)
			return lb_error_wrap(err, "header '%s'", key);
		lb_words_add(w, lb_printf("%s: %s", key, secret));
	}
	return 0;
}

struct lb_mcp_transport *lb_mcp_launch(
	const struct lb_mcp_launch *l, struct lb_loop *loop, bool old_way,
	const struct lb_mcp_transport_events *events, void *arg,
	struct lb_error *err)
{
	lb_autowords struct lb_words headers = {.n = 0};
	const struct lb_mcp_server *s = l->server;
	struct lb_mcp_remote remote = {
		.http = l->http,
		.url = s->url,
		.connect_ms = s->timeout_ms,
		.idle_ms = s->sse_idle_ms,
		.max_line = l->max_line,
		.listen = l->listen,
	};

	if (s->mode == LB_MCP_STDIO)
		return s->on_host
			       ? on_host(l, loop, events, arg, err)
			       : lb_mcp_boxed_open(l, loop, events, arg, err);
	if (add_headers(&headers, s, err) < 0)
		return NULL;
	remote.headers = (const char *const *)lb_words_list(&headers);
	return (old_way ? lb_mcp_sse_open : lb_mcp_http_open)(loop, &remote,
							      events, arg);
}
