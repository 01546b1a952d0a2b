/* lb-mcp prompts and prompt */
#include <string.h>

#include "base/json.h"
#include "mcp.h"
#include "mcp/content.h"

const struct lb_opt prompts_options[] = {REACH_OPTIONS, {0}};
const struct lb_opt prompt_options[] = {REACH_OPTIONS, {0}};

int prompts_verb(int argc, char **argv)
{
	static const char *const columns[] = {"name", "description", NULL};

	return list_of(argc, argv, "prompts", columns);
}

/* All of a prompt's arguments are texts. */
static int read_words(int argc, char **argv, json_t *to)
{
	for (int i = 0; i < argc; i++) {
		const char *equals = strchr(argv[i], '=');

		if (!equals || equals == argv[i])
			lb_usage("'%s' is no NAME=TEXT", argv[i]);
		json_object_setn_new(to, argv[i], (size_t)(equals - argv[i]),
				     lb_json_text(equals + 1,
						  strlen(equals + 1)));
	}
	return 0;
}

static void show(const json_t *result)
{
	const json_t *messages = json_object_get(result, "messages"), *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)messages, i, one)
	{
		lb_autobuf struct lb_buf text = {0}, all = {0};
		const char *role = lb_json_str(one, "role");

		lb_mcp_content_text(&text, one, SIZE_MAX);
		lb_buf_printf(&all, "%s: %s", role ? role : "?",
			      lb_buf_str(&text));
		put_text(all.data, all.len);
	}
}

int prompt_verb(int argc, char **argv)
{
	int at = reach_is_nameless() ? 0 : 1, code;
	json_t *words = json_object();
	struct line line;

	if (argc <= at)
		lb_usage("which prompt? ('lb-mcp prompts' lists them)");
	read_words(argc - at - 1, argv + at + 1, words);
	code = line_open(&line, at ? argv[0] : NULL);
	if (code == LB_OK) {
		autoreply struct reply reply = {.result = NULL};

		if (line_ask(&line,
			     &(struct lb_mcp_ask){
				     .method = "prompts/get",
				     .take_params =
					     lb_json_pack("{s:s, s:O}", "name",
							  argv[at], "arguments",
							  words),
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
	json_decref(words);
	line_close(&line);
	return code;
}
