/* lb-tool - the tools a model has in the sandbox, as a provider and by hand. */
#include <unistd.h>

#include "lb-tool.h"

static const struct lb_verb verbs[] = {
	{"list", "", "List the tools and what they take", list_options,
	 list_verb},
	{"call", "NAME [JSON | -]", "Call a tool and print its result",
	 call_options, call_verb, 1, 2},
	{"serve", "", "Be a tool provider, lb-provider(7)", serve_options,
	 serve_verb},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-tool",
	.operands = "VERB ...",
	.about = "Run commands, read, write and search files in a sandbox",
	.example = "lb-tool call glob '{\"pattern\":\"*.c\"}' -w .",
	.verbs = verbs,
};

int main(int argc, char **argv)
{
	char serve[] = "serve";
	char *served[] = {argv[0], serve, NULL};

	lb_start(&prog);
	/* Started by lb-agent, it is asked at its input. */
	if (argc == 1 && !isatty(STDIN_FILENO))
		return lb_finish(lb_run_verb(2, served));
	return lb_finish(lb_run_verb(argc, argv));
}
