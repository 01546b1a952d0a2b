/* lb-mcp resources and read */
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/json.h"
#include "mcp.h"
#include "mcp/content.h"

static bool templates;

const struct lb_opt resources_options[] = {
	REACH_OPTIONS,
	{.name = "templates",
	 .help = "the patterns of such that are made when they are asked for",
	 .flag = &templates},
	{0},
};
const struct lb_opt read_options[] = {REACH_OPTIONS, {0}};

int resources_verb(int argc, char **argv)
{
	static const char *const columns[] = {"uri", "name", "mimeType",
					      "description", NULL};
	static const char *const patterns[] = {"uriTemplate", "name",
					       "mimeType", "description", NULL};

	return list_of(argc, argv,
		       templates ? "resourceTemplates" : "resources",
		       templates ? patterns : columns);
}

/* One that is bytes goes out as such, where nobody reads it. */
static bool put_blob(const json_t *result)
{
	const json_t *contents = json_object_get(result, "contents");
	const char *blob = lb_json_str(json_array_get(contents, 0), "blob");
	lb_autobuf struct lb_buf bytes = {0};

	if (json_array_size(contents) != 1 || !blob || isatty(STDOUT_FILENO) ||
	    !lb_base64_decode(&bytes, blob, strlen(blob)))
		return false;
	put_bytes(bytes.data, bytes.len);
	return true;
}

static void show(const json_t *result)
{
	lb_autobuf struct lb_buf text = {0};

	if (put_blob(result))
		return;
	lb_mcp_content_text(&text, result, SIZE_MAX);
	put_text(lb_buf_str(&text), text.len);
}

int read_verb(int argc, char **argv)
{
	int at = reach_is_nameless() ? 0 : 1, code;
	struct line line;

	if (argc != at + 1)
		lb_usage(at ? "name a server and a URI" : "name one URI");
	code = line_open(&line, at ? argv[0] : NULL);
	if (code == LB_OK) {
		autoreply struct reply reply = {.result = NULL};

		if (line_ask(&line,
			     &(struct lb_mcp_ask){
				     .method = "resources/read",
				     .take_params = lb_json_pack("{s:s}", "uri",
								 argv[at]),
				     .timeout_ms = line_ms(&line,
							   line.server.call_ms),
			     },
			     &reply) < 0)
			code = line_refused(&line, &reply);
		else if (reach.json)
			put_reply(&reply);
		else
			show(reply.result);
	}
	line_close(&line);
	return code;
}
