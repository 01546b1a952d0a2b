/* lb-mcp call */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/near.h"
#include "mcp.h"
#include "mcp/content.h"
#include "mcp/param-headers.h"

const struct lb_opt call_options[] = {REACH_OPTIONS, {0}};

static const json_t *find(const json_t *tools, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)tools, i, one)
	{
		const char *is = lb_json_str(one, "name");

		if (is && strcmp(is, name) == 0)
			return one;
	}
	return NULL;
}

/* What the server says of the tool, where somebody needs it. 0, or -1: told. */
static int look_up(struct line *line, const char *name, struct reply *tools,
		   const json_t **tool, int *code)
{
	struct lb_slip slip = {.typed = name};
	const json_t *list, *one;
	size_t i;

	if (line_list(line, "tools", tools) < 0) {
		*code = line_refused(line, tools);
		return -1;
	}
	list = json_object_get(tools->result, "tools");
	*tool = find(list, name);
	if (*tool)
		return 0;
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		if (lb_json_str(one, "name"))
			lb_slip_try(&slip, lb_json_str(one, "name"));
	}
	if (slip.meant)
		lb_warn("%s: there is no tool '%s'; did you mean '%s'?",
			line->name, name, slip.meant);
	return 0; /* the server may have it all the same */
}

static int show(const struct reply *reply)
{
	lb_autobuf struct lb_buf text = {0};

	if (reach.json) {
		put_reply(reply);
	} else {
		lb_mcp_content_text(&text, reply->result, SIZE_MAX);
		put_text(lb_buf_str(&text), text.len);
	}
	return lb_mcp_is_error(reply->result) ? LB_NO : LB_OK;
}

static int call(struct line *line, int argc, char **argv)
{
	autoreply struct reply tools = {.result = NULL},
			       reply = {.result = NULL};
	json_auto_t *headers = NULL;
	bool http = strcmp(lb_mcp_client_transport(line->client), "http") == 0;
	const json_t *tool = NULL, *schema;
	json_t *arguments;
	struct lb_error err;
	int code = LB_OK;

	if ((words_are_typed(argc - 1, argv + 1) ||
	     (http &&
	      lb_mcp_is_modern(lb_mcp_client_revision(line->client)))) &&
	    look_up(line, argv[0], &tools, &tool, &code) < 0)
		return code;
	schema = json_object_get(tool, "inputSchema");
	arguments = words_read(argc - 1, argv + 1, schema, &err);
	if (!arguments)
		return lb_report(&err);
	headers = http ? lb_mcp_param_headers(schema, arguments) : NULL;
	if (line_ask(line,
		     &(struct lb_mcp_ask){
			     .method = "tools/call",
			     .take_params =
				     lb_json_pack("{s:s, s:o}", "name", argv[0],
						  "arguments", arguments),
			     .timeout_ms = line_ms(line, line->server.call_ms),
			     .progress = true,
			     .headers = headers,
		     },
		     &reply) < 0)
		return line_refused(line, &reply);
	return show(&reply);
}

int call_verb(int argc, char **argv)
{
	int at = reach_is_nameless() ? 0 : 1, code;
	struct line line;

	if (argc <= at)
		lb_usage("which tool? ('lb-mcp tools' lists them)");
	code = line_open(&line, at ? argv[0] : NULL);
	if (code == LB_OK)
		code = call(&line, argc - at, argv + at);
	line_close(&line);
	return code;
}
