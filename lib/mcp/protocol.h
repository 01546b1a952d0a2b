/*
 * mcp/protocol.h - the revisions of MCP, and how two sides find one.
 *
 * There are two eras. In the older one a connection begins with `initialize`,
 * which settles the revision and what each side can do; in the newer one
 * (2026-07-28) every request says in its `_meta` what it is made by, a server
 * tells what it is when asked by `server/discover`, and what a server wants of
 * a client it asks for in its result.
 */
#ifndef LB_MCP_PROTOCOL_H
#define LB_MCP_PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* In their order, so that they can be compared. */
enum lb_mcp_revision {
	LB_MCP_UNKNOWN,
	LB_MCP_2024_11_05,
	LB_MCP_2025_03_26, /* streamable HTTP, batches */
	LB_MCP_2025_06_18, /* no batches; MCP-Protocol-Version; elicitation */
	LB_MCP_2025_11_25,
	LB_MCP_2026_07_28, /* no initialize */
};

#define LB_MCP_LATEST LB_MCP_2026_07_28
#define LB_MCP_LATEST_LEGACY LB_MCP_2025_11_25

/* Of the specification, -32020 to -32099. */
enum {
	LB_MCP_HEADER_MISMATCH = -32020,
	LB_MCP_NEEDS_CAPABILITY = -32021,
	LB_MCP_UNSUPPORTED_VERSION = -32022,
	LB_MCP_NOT_FOUND = -32002, /* a resource, until 2025-11-25 */
};

#define LB_MCP_META "io.modelcontextprotocol/"
#define LB_MCP_META_VERSION LB_MCP_META "protocolVersion"
#define LB_MCP_META_CLIENT LB_MCP_META "clientInfo"
#define LB_MCP_META_CAPABILITIES LB_MCP_META "clientCapabilities"
#define LB_MCP_META_LOG_LEVEL LB_MCP_META "logLevel"
#define LB_MCP_META_SERVER LB_MCP_META "serverInfo"
#define LB_MCP_META_SUBSCRIPTION LB_MCP_META "subscriptionId"

/* LB_MCP_UNKNOWN for NULL and for any other text. */
enum lb_mcp_revision lb_mcp_revision(const char *text);
/* "2025-11-25"; NULL for LB_MCP_UNKNOWN. */
const char *lb_mcp_revision_name(enum lb_mcp_revision revision);

static inline bool lb_mcp_is_modern(enum lb_mcp_revision revision)
{
	return revision >= LB_MCP_2026_07_28;
}

/* The newest of a list of texts that we have; `modern`: only of the newer era,
 * else only of the older. LB_MCP_UNKNOWN: none. */
enum lb_mcp_revision lb_mcp_newest(const json_t *list, bool modern);

/* All that we have, the newest first, as texts; new. */
json_t *lb_mcp_revisions(void);

/* {"name":"lb-mcp","version":...}; new. */
json_t *lb_mcp_implementation(void);

/* ---- for a client ---- */

/* What `initialize` says; takes the capabilities. New. */
json_t *lb_mcp_initialize_params(enum lb_mcp_revision revision,
				 json_t *take_capabilities);

/*
 * The parameters of a request with what its revision wants to have in _meta:
 * nothing in the older era. `params` may be NULL; so may the result.
 */
json_t *lb_mcp_params(enum lb_mcp_revision revision, json_t *take_params,
		      const json_t *capabilities);

/*
 * Does an error say that who sent it is of the newer era? With the versions
 * that it names, if it does: an array, borrowed, or NULL. Drafts of 2026-07-28
 * had other numbers, and are known by that list.
 */
bool lb_mcp_is_modern_failure(int64_t code, const json_t *data,
			      const json_t **versions);

/* The first revision of the older era named in a text, such as the message of
 * an error; the newest of them. LB_MCP_UNKNOWN: none. */
enum lb_mcp_revision lb_mcp_named(const char *text);

/* ---- for a server ---- */

/* What a request of the newer era says of itself; borrowed, NULL if absent. */
struct lb_mcp_request_meta {
	const char *version; /* NULL: the request is of the older era */
	const json_t *client, *capabilities;
	const char *log_level;
	const json_t *progress_token; /* of either era */
};

void lb_mcp_read_meta(struct lb_mcp_request_meta *meta, const json_t *params);

/*
 * The revision that `initialize` is answered with: the one asked for, if it is
 * of the older era and known, else the newest of that era.
 */
enum lb_mcp_revision lb_mcp_settle(const json_t *initialize_params);

/* {"supported":[...],"requested":...}: data of LB_MCP_UNSUPPORTED_VERSION;
 * new. */
json_t *lb_mcp_unsupported(const char *requested);

/* ---- for both ---- */

/* The levels of a log, in their order: debug 0 ... emergency 7; -1: none. */
int lb_mcp_log_level(const char *name);

#endif
