/* lb-skill - packages of instructions and scripts that a model can use. */
#include <unistd.h>

#include "skill.h"

static const struct lb_verb verbs[] = {
	{"cat", "NAME [FILE]", "Print a file of a skill, else its SKILL.md",
	 cat_options, cat_verb, 1, 2},
	{"create", "NAME", "Make a skill", create_options, create_verb, 1},
	{"edit", "NAME", "Change what a SKILL.md says", edit_options, edit_verb,
	 1},
	{"files", "NAME", "List the files of a skill", files_options,
	 files_verb, 1},
	{"index", "", "Print what a model is told of skills", index_options,
	 index_verb},
	{"install", "SOURCE",
	 "Install skills of a folder, an archive or a repository",
	 install_options, install_verb, 1},
	{"list", "", "List the skills there are", list_options, list_verb},
	{"preview", "SOURCE", "Say which skills would be installed",
	 preview_options, preview_verb, 1},
	{"rm", "NAME...", "Remove skills", rm_options, rm_verb, 1, -1},
	{"serve", "", "Be a tool provider, lb-provider(7)", serve_options,
	 serve_verb},
	{"show", "NAME", "Say what a skill is, and print its instructions",
	 show_options, show_verb, 1},
	{"update", "[NAME]...", "Install skills anew from where they are from",
	 update_options, update_verb, 0, -1},
	{"validate", "[PATH|NAME]...",
	 "Hold skills against the open specification", validate_options,
	 validate_verb, 0, -1},
	{"verify", "[NAME]...", "Hold skills against what was installed",
	 verify_options, verify_verb, 0, -1},
	{"write", "NAME FILE", "Put the standard input into a skill as a file",
	 write_options, write_verb, 2},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-skill",
	.operands = "VERB ...",
	.about = "Install, check and show skills: instructions and scripts for "
		 "a model",
	.example = "lb-skill install ./my-skill.zip",
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
