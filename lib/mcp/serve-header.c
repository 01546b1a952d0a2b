/* serve-header.c - what the newer era has twice, in headers too, so that what
 * stands between can read it. */
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "mcp/serve-http-in.h"

/* Texts that no header can have are "=?base64?...?=". */
static bool says(const char *header, const char *text)
{
	static const char before[] = "=?base64?", after[] = "?=";
	const size_t b = sizeof(before) - 1, a = sizeof(after) - 1;
	size_t len = strlen(header);
	lb_autobuf struct lb_buf plain = {0};

	if (len < a + b || strncmp(header, before, b) != 0 ||
	    strcmp(header + len - a, after) != 0)
		return strcmp(header, text) == 0;
	return lb_base64_decode(&plain, header + b, len - a - b) &&
	       plain.len == strlen(text) &&
	       memcmp(lb_buf_str(&plain), text, plain.len) == 0;
}

static const char *name_of(const char *method, const json_t *params)
{
	if (strcmp(method, "tools/call") == 0 ||
	    strcmp(method, "prompts/get") == 0)
		return lb_json_str(params, "name");
	return strcmp(method, "resources/read") == 0
		       ? lb_json_str(params, "uri")
		       : NULL;
}

const char *lb_serve_headers(const struct lb_httpd_request *r,
			     const json_t *message)
{
	const json_t *params = json_object_get(message, "params");
	const char *version = lb_httpd_header(r, "mcp-protocol-version");
	const char *method = lb_httpd_header(r, "mcp-method");
	const char *name = lb_httpd_header(r, "mcp-name");
	const char *said = lb_json_str(message, "method");
	const char *named = said ? name_of(said, params) : NULL;
	struct lb_mcp_request_meta meta;

	/* What is no request, others refuse. */
	if (!said || !json_object_get(message, "id"))
		return NULL;
	lb_mcp_read_meta(&meta, params);
	if (!version)
		return "MCP-Protocol-Version is missing";
	if (meta.version && strcmp(meta.version, version) != 0)
		return "MCP-Protocol-Version is not what the message says";
	if (!method)
		return "Mcp-Method is missing";
	if (strcmp(method, said) != 0)
		return "Mcp-Method is not what the message says";
	if (named && !name)
		return "Mcp-Name is missing";
	if (named && !says(name, named))
		return "Mcp-Name is not what the message says";
	return NULL;
}
