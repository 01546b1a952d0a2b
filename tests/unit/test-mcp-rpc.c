/* test-mcp-rpc.c - JSON-RPC messages, and what MCP says of revisions. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "mcp/jsonrpc.h"
#include "mcp/protocol.h"
#include "tap.h"

/* What a text is taken for: "KIND id method", or why it is no message. */
static const struct {
	const char *text, *is;
} texts[] = {
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
	 "request 1 ping"},
	{"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"x\",\"params\":{}}",
	 "request \"a\" x"},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":null}",
	 "notification - n"},
	{"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":[]}", "result 7"},
	{"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{},\"error\":null}",
	 "result 7"},
	{" {\"jsonrpc\":\"2.0\",\"id\":7.0,\"error\":{\"code\":-1,"
	 "\"message\":\"m\"}}",
	 "failure 7.0 -1 m"},
	{"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":5}}",
	 "failure - 5 "},
	{"{\"jsonrpc\":\"2.0\",\"error\":{\"message\":\"\xff\"}}",
	 "failure - -32603 \xef\xbf\xbd"},
	{"{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"method\":\"x\"}",
	 "it is no JSON-RPC message: 'id' is neither a text nor a whole "
	 "number"},
	{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}",
	 "it is no JSON-RPC message: 'id' is neither a text nor a whole "
	 "number"},
	{"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"x\"}",
	 "it is no JSON-RPC message: 'id' is neither a text nor a whole "
	 "number"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}",
	 "it is no JSON-RPC message: an answer without an id"},
	{"{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
	 "it is no JSON-RPC message: 'jsonrpc' is not \"2.0\""},
	{"{\"id\":1,\"result\":{}}",
	 "it is no JSON-RPC message: 'jsonrpc' is not \"2.0\""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1}",
	 "it is no JSON-RPC message: it has no method, result or error"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":4}",
	 "it is no JSON-RPC message: 'method' is no text"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":\"y\"}",
	 "it is no JSON-RPC message: 'params' is no object"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"x\"}",
	 "it is no JSON-RPC message: 'error' is no object"},
	{"42", "it is JSON, but no object"},
	{"\"x\"", "it is JSON, but no object"},
	{"", "it is no JSON"},
	{"Starting server v1", "it is no JSON"},
	{"[]", "it is no JSON-RPC message: it is no object"},
};

static void describe(const struct lb_rpc_message *m, struct lb_buf *out)
{
	static const char *const kinds[] = {"request", "notification", "result",
					    "failure"};

	lb_buf_printf(out, "%s ", kinds[m->kind]);
	if (m->id)
		lb_buf_json(out, m->id);
	else
		lb_buf_putc(out, '-');
	if (m->method)
		lb_buf_printf(out, " %s", m->method);
	if (m->kind == LB_RPC_FAILURE)
		lb_buf_printf(out, " %lld %s", (long long)m->code, m->message);
}

static void test_texts(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		lb_autobuf struct lb_buf is = {0};
		struct lb_rpc_message m = {.whole = NULL};
		struct lb_error err = {0};
		json_t *value = lb_rpc_parse(texts[i].text,
					     strlen(texts[i].text), &err);

		if (value && lb_rpc_read(&m, value, &err) == 0)
			describe(&m, &is);
		else
			lb_buf_puts(&is, err.text);
		tap_same(texts[i].is, lb_buf_str(&is), texts[i].text);
		lb_rpc_release(&m);
	}
}

static void test_written(void)
{
	lb_autobuf struct lb_buf b = {0};
	json_auto_t *id = json_integer(3),
		    *params = lb_json_pack("{s:s}", "a", "b\n");

	lb_rpc_put_request(&b, id, "m\"", params);
	tap_same("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"m\\\"\","
		 "\"params\":{\"a\":\"b\\n\"}}",
		 b.data, "a request is one line");
	lb_buf_reset(&b);
	lb_rpc_put_notification(&b, "n", NULL);
	tap_same("{\"jsonrpc\":\"2.0\",\"method\":\"n\"}", b.data,
		 "a notification has no id");
	lb_buf_reset(&b);
	lb_rpc_put_result(&b, id, params);
	tap_same("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"a\":\"b\\n\"}}",
		 b.data, "a result");
	lb_buf_reset(&b);
	lb_rpc_put_result_text(&b, id, "{\"x\":.5}", 8);
	tap_same("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"x\":.5}}", b.data,
		 "a result keeps its bytes");
	lb_buf_reset(&b);
	lb_rpc_put_failure(&b, NULL, LB_RPC_PARSE, "a\xff", params);
	tap_same("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
		 "\"message\":\"a\xef\xbf\xbd\",\"data\":{\"a\":\"b\\n\"}}}",
		 b.data, "a failure of nothing, its text mended");
}

static void test_ids(void)
{
	json_auto_t *text = json_string("1"), *number = json_integer(1),
		    *real = json_real(1.0);
	lb_autofree char *a = lb_rpc_id_key(text), *b = lb_rpc_id_key(number),
			 *c = lb_rpc_id_key(real);

	tap_ok(strcmp(a, b) != 0, "a text is another id than the number");
	tap_same(b, c, "1 and 1.0 are one id");
}

static void test_revisions(void)
{
	json_auto_t *list = json_loads("[\"1999-01-01\",3,\"2024-11-05\","
				       "\"2025-06-18\",\"2026-07-28\"]",
				       0, NULL),
		    *data = lb_json_pack("{s:O}", "supported", list),
		    *asked = lb_json_pack("{s:s}", "protocolVersion",
					  "2025-03-26"),
		    *odd = lb_json_pack("{s:s}", "protocolVersion", "3000"),
		    *later = lb_json_pack("{s:s}", "protocolVersion",
					  "2026-07-28"),
		    *all = lb_mcp_revisions();
	const json_t *versions;

	tap_ok(json_array_size(all) == 5, "five revisions");
	for (size_t i = 0; i < json_array_size(all); i++) {
		const char *name = json_string_value(json_array_get(all, i));

		tap_same(name, lb_mcp_revision_name(lb_mcp_revision(name)),
			 "a revision by its name");
	}
	tap_ok(lb_mcp_revision("1999-01-01") == LB_MCP_UNKNOWN, "none");
	tap_ok(lb_mcp_newest(list, false) == LB_MCP_2025_06_18,
	       "the newest of the older era");
	tap_ok(lb_mcp_newest(list, true) == LB_MCP_2026_07_28, "and the newer");
	tap_ok(lb_mcp_named("Bad Request: supported: 2025-03-26, 2025-06-18") ==
		       LB_MCP_2025_06_18,
	       "named in a text");
	tap_ok(lb_mcp_named("no idea") == LB_MCP_UNKNOWN, "named nowhere");
	tap_ok(lb_mcp_settle(asked) == LB_MCP_2025_03_26, "as asked for");
	tap_ok(lb_mcp_settle(odd) == LB_MCP_2025_11_25, "else the newest");
	tap_ok(lb_mcp_settle(later) == LB_MCP_2025_11_25,
	       "initialize is of the older era");
	tap_ok(lb_mcp_is_modern_failure(-32022, NULL, &versions) && !versions,
	       "an error of the newer era");
	tap_ok(lb_mcp_is_modern_failure(-32004, data, &versions) &&
		       versions == json_object_get(data, "supported"),
	       "a draft's, by its list");
	tap_ok(!lb_mcp_is_modern_failure(-32601, NULL, &versions) &&
		       !lb_mcp_is_modern_failure(-32001, NULL, &versions),
	       "errors of the older era");
}

static void test_params(void)
{
	json_auto_t *none = json_object();
	json_auto_t *params = lb_mcp_params(LB_MCP_LATEST, NULL, none);
	struct lb_mcp_request_meta meta;

	tap_ok(lb_mcp_params(LB_MCP_2025_11_25, NULL, none) == NULL,
	       "the older era adds nothing");
	lb_mcp_read_meta(&meta, params);
	tap_same("2026-07-28", meta.version ? meta.version : "",
		 "the newer says its revision");
	tap_ok(json_is_object(meta.capabilities) &&
		       json_object_get(meta.client, "version") != NULL,
	       "what it can do, and who it is");
	lb_mcp_read_meta(&meta, NULL);
	tap_ok(!meta.version && !meta.client, "no parameters say nothing");
}

int main(void)
{
	test_texts();
	test_written();
	test_ids();
	test_revisions();
	test_params();
	tap_ok(lb_mcp_log_level("debug") == 0 &&
		       lb_mcp_log_level("emergency") == 7 &&
		       lb_mcp_log_level("loud") == -1,
	       "levels of a log");
	return tap_end();
}
