/* lb-session - look at conversations, end them, take them out. */
#include <string.h>

#include "session.h"

static const struct lb_verb verbs[] = {
	{"list", "", "List the conversations in use", list_options, list_verb},
	{"show", "SESSION", "Show what was said in a session", show_options,
	 show_verb, 1},
	{"reset", "SESSION", "End the conversation; the next one begins anew",
	 reset_options, reset_verb, 1},
	{"export", "[SESSION]", "Write every turn as a line of JSON",
	 export_options, export_verb, 0, 1},
	{"erase", "[BOT:person_ID]", "Forget a person, or a session, for good",
	 erase_options, erase_verb, 0, 1},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-session",
	.operands = "VERB ...",
	.about = "Look at conversations, end them, take them out",
	.example = "lb-session show person_$USER",
	.verbs = verbs,
};

int main(int argc, char **argv)
{
	lb_start(&prog);
	/* "-/person_ann" is a session, and "-:person_ann" a person, not an option: use the short form. */
	for (int i = 1; i < argc; i++)
		if ((strncmp(argv[i], "-/", 2) == 0 &&
		     !strchr(argv[i] + 2, '/')) ||
		    strncmp(argv[i], "-:person_", 9) == 0)
			argv[i] += 2;
	return lb_finish(lb_run_verb(argc, argv));
}
