/* protocol.c - revisions, and what is said of them. */
#include "mcp/protocol.h"

#include <string.h>

#include "base/json.h"

#ifndef LB_VERSION
#define LB_VERSION "0.0"
#endif

static const char *const names[] = {
	[LB_MCP_2024_11_05] = "2024-11-05", [LB_MCP_2025_03_26] = "2025-03-26",
	[LB_MCP_2025_06_18] = "2025-06-18", [LB_MCP_2025_11_25] = "2025-11-25",
	[LB_MCP_2026_07_28] = "2026-07-28",
};

enum lb_mcp_revision lb_mcp_revision(const char *text)
{
	for (int i = LB_MCP_LATEST; text && i > LB_MCP_UNKNOWN; i--)
		if (strcmp(names[i], text) == 0)
			return (enum lb_mcp_revision)i;
	return LB_MCP_UNKNOWN;
}

const char *lb_mcp_revision_name(enum lb_mcp_revision revision)
{
	return names[revision];
}

enum lb_mcp_revision lb_mcp_newest(const json_t *list, bool modern)
{
	enum lb_mcp_revision best = LB_MCP_UNKNOWN, one;

	for (size_t i = 0; i < json_array_size(list); i++) {
		one = lb_mcp_revision(
			json_string_value(json_array_get(list, i)));
		if (one > best && lb_mcp_is_modern(one) == modern)
			best = one;
	}
	return best;
}

json_t *lb_mcp_revisions(void)
{
	json_t *list = json_array();

	for (int i = LB_MCP_LATEST; i > LB_MCP_UNKNOWN; i--)
		json_array_append_new(list, json_string(names[i]));
	return list;
}

json_t *lb_mcp_implementation(void)
{
	return lb_json_pack("{s:s, s:s}", "name", "lb-mcp", "version",
			    LB_VERSION);
}

json_t *lb_mcp_initialize_params(enum lb_mcp_revision revision,
				 json_t *take_capabilities)
{
	return lb_json_pack("{s:s, s:o, s:o}", "protocolVersion",
			    names[revision], "capabilities", take_capabilities,
			    "clientInfo", lb_mcp_implementation());
}

json_t *lb_mcp_params(enum lb_mcp_revision revision, json_t *take_params,
		      const json_t *capabilities)
{
	json_t *params = take_params, *meta;

	if (!lb_mcp_is_modern(revision))
		return params;
	if (!params)
		params = json_object();
	meta = json_object_get(params, "_meta");
	if (!json_is_object(meta)) {
		meta = json_object();
		json_object_set_new(params, "_meta", meta);
	}
	json_object_set_new(meta, LB_MCP_META_VERSION,
			    json_string(names[revision]));
	json_object_set_new(meta, LB_MCP_META_CLIENT, lb_mcp_implementation());
	json_object_set_new(meta, LB_MCP_META_CAPABILITIES,
			    json_deep_copy(capabilities));
	return params;
}

bool lb_mcp_is_modern_failure(int64_t code, const json_t *data,
			      const json_t **versions)
{
	const json_t *list = json_object_get(data, "supported");

	*versions = json_is_array(list) ? list : NULL;
	return (code <= LB_MCP_HEADER_MISMATCH && code >= -32099) ||
	       (*versions && lb_mcp_newest(list, true) != LB_MCP_UNKNOWN);
}

enum lb_mcp_revision lb_mcp_named(const char *text)
{
	for (int i = LB_MCP_LATEST_LEGACY; i > LB_MCP_UNKNOWN; i--)
		if (strstr(text, names[i]))
			return (enum lb_mcp_revision)i;
	return LB_MCP_UNKNOWN;
}

void lb_mcp_read_meta(struct lb_mcp_request_meta *meta, const json_t *params)
{
	const json_t *m = json_object_get(params, "_meta");

	*meta = (struct lb_mcp_request_meta){
		.version = lb_json_str(m, LB_MCP_META_VERSION),
		.client = json_object_get(m, LB_MCP_META_CLIENT),
		.capabilities = json_object_get(m, LB_MCP_META_CAPABILITIES),
		.log_level = lb_json_str(m, LB_MCP_META_LOG_LEVEL),
		.progress_token = json_object_get(m, "progressToken"),
	};
}

enum lb_mcp_revision lb_mcp_settle(const json_t *initialize_params)
{
	enum lb_mcp_revision asked = lb_mcp_revision(
		lb_json_str(initialize_params, "protocolVersion"));

	return asked == LB_MCP_UNKNOWN || lb_mcp_is_modern(asked)
		       ? LB_MCP_LATEST_LEGACY
		       : asked;
}

json_t *lb_mcp_unsupported(const char *requested)
{
	return lb_json_pack("{s:o, s:o}", "supported", lb_mcp_revisions(),
			    "requested",
			    lb_json_text(requested, strlen(requested)));
}

int lb_mcp_log_level(const char *name)
{
	static const char *const levels[] = {
		"debug", "info",     "notice", "warning",
		"error", "critical", "alert",  "emergency",
	};

	for (int i = 0; name && i < 8; i++)
		if (strcmp(levels[i], name) == 0)
			return i;
	return -1;
}
