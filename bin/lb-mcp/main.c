/* lb-mcp - MCP: servers of tools, resources and prompts. */
#include <unistd.h>

#include "mcp.h"

static const struct lb_verb verbs[] = {
	{"call", "[SERVER] TOOL [ARGUMENT]...", "Call a tool", call_options,
	 call_verb, 1, -1},
	{"prompt", "[SERVER] PROMPT [NAME=TEXT]...", "Print a prompt",
	 prompt_options, prompt_verb, 1, -1},
	{"prompts", "[SERVER]", "List the prompts of a server", prompts_options,
	 prompts_verb, 0, 1},
	{"read", "[SERVER] URI", "Print a resource", read_options, read_verb, 1,
	 2},
	{"resources", "[SERVER]", "List the resources of a server",
	 resources_options, resources_verb, 0, 1},
	{"serve", "", "Be a server: our tools and skills for others",
	 serve_options, serve_verb},
	{"tools", "[SERVER]", "List the tools of a server", tools_options,
	 tools_verb, 0, 1},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-mcp",
	.operands = "VERB ...",
	.about = "Use MCP servers: their tools, resources and prompts",
	.example = "lb-mcp call files read_file path=note.txt",
	.verbs = verbs,
};

int main(int argc, char **argv)
{
	lb_start(&prog);
	return lb_finish(lb_run_verb(argc, argv));
}
