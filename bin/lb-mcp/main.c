/* lb-mcp - MCP: servers of tools, resources and prompts. */
#include <unistd.h>

#include "mcp.h"

static const struct lb_verb verbs[] = {
	{"add", "NAME [COMMAND [ARGUMENT]...]", "Add a server", add_options,
	 add_verb, 1, -1},
	{"call", "[SERVER] TOOL [ARGUMENT]...", "Call a tool", call_options,
	 call_verb, 1, -1},
	{"disable", "SERVER...", "Have servers not used", change_options,
	 disable_verb, 1, -1},
	{"doctor", "[SERVER]...", "Say what is wrong with servers",
	 doctor_options, doctor_verb, 0, -1},
	{"enable", "SERVER...", "Have servers used again", change_options,
	 enable_verb, 1, -1},
	{"install", "market:AUTHOR/NAME",
	 "Add a server of LangBot's marketplace", install_options, install_verb,
	 1},
	{"list", "", "List the servers there are", list_options, list_verb},
	{"logs", "SERVER", "Print what a server said to standard error",
	 logs_options, logs_verb, 1},
	{"prompt", "[SERVER] PROMPT [NAME=TEXT]...", "Print a prompt",
	 prompt_options, prompt_verb, 1, -1},
	{"prompts", "[SERVER]", "List the prompts of a server", prompts_options,
	 prompts_verb, 0, 1},
	{"provide", "", "Be a tool provider, lb-provider(7)", provide_options,
	 provide_verb},
	{"read", "[SERVER] URI", "Print a resource", read_options, read_verb, 1,
	 2},
	{"resources", "[SERVER]", "List the resources of a server",
	 resources_options, resources_verb, 0, 1},
	{"rm", "SERVER...", "Remove servers", rm_options, rm_verb, 1, -1},
	{"serve", "", "Be a server: our tools and skills for others",
	 serve_options, serve_verb},
	{"test", "[SERVER]", "Say whether a server can be used", test_options,
	 test_verb, 0, 1},
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
	char provide[] = "provide";
	char *provided[] = {argv[0], provide, NULL};

	lb_start(&prog);
	/* Started by lb-agent, it is asked at its input. */
	if (argc == 1 && !isatty(STDIN_FILENO))
		return lb_finish(lb_run_verb(2, provided));
	return lb_finish(lb_run_verb(argc, argv));
}
