/*
 * mcp/server.h - what is known of a server before it is reached: the entity of
 * the configuration, of an mcpServers file, or of a command line.
 *
 *     mode          "stdio", "remote" (streamable HTTP, else the old way),
 *                   "http" (the first alone) or "sse" (the other alone); absent:
 *                   stdio with a command, remote with a url. Files of others
 *                   say it in "type" or "transport", and "streamable-http"
 *     command args env          of stdio; command may hold blanks in files only
 *     url headers timeout       of the others; seconds
 *     tool_call_timeout_sec     0: for ever
 *     enable                    or "disabled": true
 *     box {network host_path host_path_mode env startup_timeout_sec
 *          install_timeout_sec cpus memory_mb pids_limit ...}
 */
#ifndef LB_MCP_SERVER_H
#define LB_MCP_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum {
	LB_MCP_NAME_MAX = 64,
	LB_MCP_MAX_ARGS = 256,
	LB_MCP_MAX_ENV = 128,
};

enum lb_mcp_mode { LB_MCP_STDIO, LB_MCP_REMOTE, LB_MCP_HTTP, LB_MCP_SSE };

struct lb_mcp_server {
	char *name;
	char *session; /* of its sandbox; NULL: one that is gone afterwards */
	enum lb_mcp_mode mode;
	bool enable;
	char *command, **args; /* NULL-ended */
	json_t *env;           /* {NAME: text}; references not looked up yet */
	char *url;
	json_t *headers;     /* the same */
	int64_t timeout_ms;  /* for a connection, and the handshake */
	int64_t sse_idle_ms; /* an event stream may be silent; 0: for ever */
	int64_t call_ms;     /* a call may take; INT64_MAX */
	int64_t startup_ms;  /* until it is ready */
	int64_t install_ms;  /* for what it needs */
	json_t *box;         /* an object; may be empty */
	json_t *roots;       /* URIs; or NULL */
	bool elicitation;    /* its questions get their defaults */
	bool on_host;        /* not in a sandbox */
	bool literal; /* env and headers are as they are: "env:X" is a text */
};

const char *lb_mcp_mode_name(enum lb_mcp_mode mode);

/*
 * An entity of the configuration: {mode, command, ...}. LB_CONFIG names the
 * member.
 */
int lb_mcp_server_read(struct lb_mcp_server *server, const char *name,
		       const json_t *entity, struct lb_error *err);
void lb_mcp_server_release(struct lb_mcp_server *server);

/* Where an entity's server is, by the names that there are for that: url,
 * serverUrl, httpUrl; borrowed, NULL if it is a program. */
const char *lb_mcp_entity_url(const json_t *entity);

/*
 * An entity of an mcpServers file, its ${NAME} and ${NAME:-TEXT} replaced by
 * `variable`(NAME); new. LB_CONFIG: one without a value is not set.
 */
json_t *lb_mcp_entity_expand(const json_t *entity,
			     const char *(*variable)(const char *name),
			     struct lb_error *err);

/*
 * What somebody else wrote does not say what is the operator's to say alone: to be
 * outside of a sandbox, to see a folder of this machine, to be told of others and
 * answered without being asked; nor, unless `network`, to reach others. It is taken
 * out, and what would have counted is named: "host, box.network".
 */
void lb_mcp_entity_tame(json_t *entity, bool network, struct lb_buf *named);

/* The servers of such a file: {"mcpServers":{...}}, {"servers":{...}} or
 * {"mcp":{"servers":{...}}}; borrowed. LB_DATA. */
const json_t *lb_mcp_file_servers(const json_t *file, struct lb_error *err);

#endif
