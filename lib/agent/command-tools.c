/* tools, skills - what the model may use here. */
#include "agent/command.h"
#include "config/notice.h"

/* No pipeline can grant one: the configuration refuses the keys for it. */
int command_tools(struct order *o, struct lb_error *err)
{
	(void)err;
	say(o, "command-tools-none", NULL);
	return 0;
}

int command_skills(struct order *o, struct lb_error *err)
{
	(void)err;
	say(o, "command-skills-none", NULL);
	return 0;
}
