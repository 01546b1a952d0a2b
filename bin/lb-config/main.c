/* lb-config - look at the configuration and change it. */
#include "verbs.h"

static const struct lb_opt none[] = {{0}};

static const struct lb_verb verbs[] = {
	{"init", "", "Write a commented configuration file to start from", none,
	 verb_init},
	{"check", "[FILE]", "Show every problem of the configuration",
	 check_options, verb_check, 0, 1},
	{"get", "[KEY]", "Print a value", get_options, verb_get, 0, 1},
	{"set", "KEY VALUE | KEY=VALUE...",
	 "Set values; VALUE - reads it from standard input", none, verb_set, 1,
	 -1},
	{"unset", "KEY...", "Take keys out of the file", none, verb_unset, 1,
	 -1},
	{"list", "[bots|pipelines|providers]", "List what there is",
	 list_options, verb_list, 0, 1},
	{"add", "bot|pipeline|provider NAME [KEY=VALUE...]",
	 "Add a bot, pipeline or provider", none, verb_add, 2, -1},
	{"rm", "bot|pipeline|provider NAME",
	 "Remove a bot, pipeline or provider", none, verb_rm, 2, 2},
	{"env", "", "List the environment variables programs read", env_options,
	 verb_env},
	{"describe", "[KEY]", "Say what keys there are and what they mean",
	 describe_options, verb_describe, 0, 1},
	{"import", "[DIR]", "Make a configuration of what LangBot keeps",
	 import_options, verb_import, 0, 1},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-config",
	.operands = "VERB [OPTION...] [OPERAND...]",
	.about = "Look at the configuration and change it",
	.example = "lb-config set llm.model openai/gpt-4o-mini",
	.verbs = verbs,
};

int main(int argc, char **argv)
{
	lb_start(&prog);
	return lb_finish(lb_run_verb(argc, argv));
}
