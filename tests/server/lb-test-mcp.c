/*
 * lb-test-mcp - an MCP server with what the official conformance suite asks a
 * server for, on the side of the protocol that lb-mcp serve has (mcp/serve.h).
 * It prints its URL and serves until it is killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/prog.h"
#include "mcp/jsonrpc.h"
#include "mcp/serve-http.h"
#include "net/listen.h"

#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define IMAGE                                                                  \
	"{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\",\"mimeType\":\"image/"  \
	"png\"}"
#define RESOURCE(uri)                                                          \
	"{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri                  \
	"\",\"mimeType\":\"text/plain\",\"text\":\"It is embedded.\"}}"
#define CONTENT(c) "{\"content\":[" c "],\"isError\":false}"
#define SAYS(c) "{\"messages\":[{\"role\":\"user\",\"content\":" c "}]}"

static const struct row {
	enum lb_serve_want want;
	const char *name;
	const char *result;         /* JSON */
	enum lb_serve_want changes; /* and this list is another one then */
} rows[] = {
	{LB_SERVE_CALL, "test_simple_text", CONTENT(TEXT("Just a text."))},
	{LB_SERVE_CALL, "test_image_content", CONTENT(IMAGE)},
	{LB_SERVE_CALL, "test_audio_content",
	 CONTENT("{\"type\":\"audio\",\"data\":\"UklGRg==\",\"mimeType\":"
		 "\"audio/wav\"}")},
	{LB_SERVE_CALL, "test_embedded_resource",
	 CONTENT(RESOURCE("test://e"))},
	{LB_SERVE_CALL, "test_multiple_content_types",
	 CONTENT(TEXT("Several:") "," IMAGE "," RESOURCE("test://m"))},
	{LB_SERVE_CALL, "test_error_handling",
	 "{\"content\":[" TEXT("It fails.") "],\"isError\":true}"},
	{LB_SERVE_CALL, "test_logging_tool", CONTENT(TEXT("Not a word."))},
	{LB_SERVE_CALL, "test_trigger_tool_change", CONTENT(TEXT("Changed.")),
	 LB_SERVE_TOOLS},
	{LB_SERVE_CALL, "test_trigger_prompt_change", CONTENT(TEXT("Changed.")),
	 LB_SERVE_PROMPTS},
	{LB_SERVE_READ, "test://static-text",
	 "{\"contents\":[{\"uri\":\"test://static-text\",\"mimeType\":"
	 "\"text/plain\",\"text\":\"A text.\"}]}"},
	{LB_SERVE_READ, "test://static-binary",
	 "{\"contents\":[{\"uri\":\"test://static-binary\",\"mimeType\":"
	 "\"image/png\",\"blob\":\"iVBORw0KGgo=\"}]}"},
	{LB_SERVE_READ, "test://template/123/data",
	 "{\"contents\":[{\"uri\":\"test://template/123/data\",\"mimeType\":"
	 "\"application/json\",\"text\":\"{\\\"id\\\":\\\"123\\\"}\"}]}"},
	{LB_SERVE_PROMPT, "test_simple_prompt", SAYS(TEXT("Just a prompt."))},
	{LB_SERVE_PROMPT, "test_prompt_with_embedded_resource",
	 SAYS(RESOURCE("test://example-resource"))},
	{LB_SERVE_PROMPT, "test_prompt_with_image", SAYS(IMAGE)},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static struct lb_loop *loop;

static json_t *list(enum lb_serve_want of, const char *key)
{
	json_t *all = json_array();

	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].want == of && of == LB_SERVE_READ)
			json_array_append_new(all,
					      lb_json_pack("{s:s, s:s}", "uri",
							   rows[i].name, "name",
							   rows[i].name));
		else if (rows[i].want == of)
			json_array_append_new(
				all,
				lb_json_pack("{s:s, s:s, s:{s:s}}", "name",
					     rows[i].name, "description", "d",
					     "inputSchema", "type", "object"));
	return lb_json_pack("{s:o}", key, all);
}

static void with_arguments(struct lb_serve_ask *ask)
{
	const char *one = lb_json_str(ask->arguments, "arg1");
	const char *two = lb_json_str(ask->arguments, "arg2");
	lb_autofree char *text =
		lb_printf("%s %s", one ? one : "", two ? two : "");

	lb_serve_done(ask, lb_json_pack("{s:[{s:s, s:{s:s, s:s}}]}", "messages",
					"role", "user", "content", "type",
					"text", "text", text));
}

/* It takes so long that progress is told of. */
enum { LONG_MS = 3300 };

static void on_long(void *arg)
{
	lb_serve_done(arg, json_loads(CONTENT(TEXT("It took long.")), 0, NULL));
}

static void take_long(struct lb_serve_ask *ask)
{
	struct lb_timer *timer = lb_alloc(sizeof(*timer)); /* for good */

	lb_timer_set(loop, timer, lb_clock_mono() + LONG_MS, on_long, ask);
}

static void answer(struct lb_serve *serve, struct lb_serve_ask *ask)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].want != ask->want ||
		    strcmp(rows[i].name, ask->name) != 0)
			continue;
		lb_serve_done(ask, json_loads(rows[i].result, 0, NULL));
		if (strstr(rows[i].name, "_trigger_"))
			lb_serve_changed(serve, rows[i].changes);
		return;
	}
	if (ask->want == LB_SERVE_PROMPT &&
	    strcmp(ask->name, "test_prompt_with_arguments") == 0)
		with_arguments(ask);
	else if (ask->want == LB_SERVE_CALL &&
		 strcmp(ask->name, "test_tool_with_progress") == 0)
		take_long(ask);
	else
		lb_serve_fail(ask,
			      ask->want == LB_SERVE_READ ? LB_MCP_NOT_FOUND
							 : LB_RPC_PARAMS,
			      "there is none");
}

static void on_ask(void *arg, struct lb_serve_ask *ask)
{
	switch (ask->want) {
	case LB_SERVE_TOOLS:
		lb_serve_done(ask, list(LB_SERVE_CALL, "tools"));
		break;
	case LB_SERVE_RESOURCES:
		lb_serve_done(ask, list(LB_SERVE_READ, "resources"));
		break;
	case LB_SERVE_TEMPLATES:
		lb_serve_done(ask, lb_json_pack("{s:[]}", "resourceTemplates"));
		break;
	case LB_SERVE_PROMPTS:
		lb_serve_done(ask, list(LB_SERVE_PROMPT, "prompts"));
		break;
	default:
		answer(*(struct lb_serve **)arg, ask);
	}
}

static const struct lb_prog prog = {
	.name = "lb-test-mcp",
	.operands = "",
	.about = "Serve what the conformance suite of MCP asks for",
	.example = "lb-test-mcp",
};

int main(int argc, char **argv)
{
	struct lb_serve *serve = NULL;
	struct lb_listen at;
	struct lb_error err;
	lb_autofree char *shown = NULL;
	int fd;

	lb_start(&prog);
	lb_options(argc, argv);
	fd = lb_listen_read(&at, "0", &err) < 0 ? -1
						: lb_listen_open(&at, &err);
	if (fd < 0)
		return lb_finish(lb_report(&err));
	loop = lb_loop_open();
	serve = lb_serve_open(loop, &(struct lb_serve_offer){
					    .tools = true,
					    .resources = true,
					    .prompts = true,
					    .page = 4,
					    .ask = on_ask,
					    .arg = &serve,
				    });
	lb_serve_http_open(serve, fd,
			   &(struct lb_serve_http_settings){.is_loopback =
								    true});
	shown = lb_listen_text(&at);
	printf("http://%s%s\n", shown, LB_SERVE_PATH);
	fflush(stdout);
	for (;;)
		lb_loop_turn(loop, -1);
}
