/* lb-mcp test */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "mcp.h"
#include "mcp/status.h"

const struct lb_opt test_options[] = {REACH_OPTIONS, {0}};

/* How many there are of something, and -1 if it cannot say. */
static void count(struct line *line, const char *what, const char *key,
		  json_t *status)
{
	autoreply struct reply reply = {.result = NULL};

	if (line_list(line, what, &reply) == 0)
		json_object_set_new(status, key,
				    json_integer((json_int_t)json_array_size(
					    json_object_get(reply.result,
							    what))));
}

static json_t *connected(struct line *line, struct reply *tools)
{
	json_t *status;

	if (line_list(line, "tools", tools) < 0)
		return lb_mcp_status_error(line->gone ? line->phase
						      : LB_MCP_RUNTIME,
					   &tools->error, 0);
	status = lb_mcp_status_connected(line->client,
					 json_object_get(tools->result,
							 "tools"));
	count(line, "resources", "resource_count", status);
	count(line, "resourceTemplates", "resource_template_count", status);
	count(line, "prompts", "prompt_count", status);
	return status;
}

static void put_count(const json_t *status, const char *key, const char *what)
{
	int64_t n;

	if (lb_json_int(status, key, &n) && n > 0)
		printf(", %lld %s", (long long)n, what);
}

static void tell(const char *name, const json_t *status)
{
	const json_t *info = json_object_get(status, "server_info");
	const char *message = lb_json_str(status, "error_message");
	lb_autobuf struct lb_buf text = {0};
	int64_t n = 0;

	if (message) {
		lb_buf_printf(&text, "%s: %s (%s)", name, message,
			      lb_json_str(status, "error_phase"));
		put_text(text.data, text.len);
		return;
	}
	lb_json_int(status, "tool_count", &n);
	lb_buf_printf(&text, "%s: connected", name);
	if (lb_json_str(info, "name"))
		lb_buf_printf(&text, " to %.100s", lb_json_str(info, "name"));
	lb_buf_printf(&text, ", %s by %s; %lld tools",
		      lb_json_str(status, "protocol"),
		      lb_json_str(status, "transport"), (long long)n);
	fputs(text.data, stdout);
	put_count(status, "resource_count", "resources");
	put_count(status, "prompt_count", "prompts");
	putchar('\n');
}

int test_verb(int argc, char **argv)
{
	autoreply struct reply tools = {.result = NULL};
	json_auto_t *status = NULL;
	struct line line;
	bool good = false;

	if ((argc == 0) != reach_is_nameless())
		lb_usage(argc ? "a server is named twice"
			      : "which server? name one, or --stdio or --url");
	if (line_try(&line, argc ? argv[0] : NULL) < 0 && !line.client) {
		int code = line_tell(&line); /* nothing was tried */

		line_close(&line);
		return code;
	}
	status = line.ready ? connected(&line, &tools)
			    : lb_mcp_status_error(line.phase, &line.why, 0);
	good = !lb_json_str(status, "error_message");
	if (reach.json)
		put_json(status);
	else
		tell(line.name, status);
	if (!line.ready)
		line_hint(&line);
	if (!line.nameless)
		lb_mcp_status_keep(line.office.state, argv[0],
				   json_incref(status));
	line_close(&line);
	return good ? LB_OK : LB_NO;
}
