/* help [NAME], version - what there is. */
#include <string.h>

#include "base/mem.h"
#include "config/notice.h"
#include "pipeline/command.h"

#ifndef LB_VERSION
#define LB_VERSION "0.0"
#endif

static void put_line(struct lb_call *call, const char *name)
{
	struct lb_config *config = call->m->pipeline->config;
	lb_autofree char *key = lb_printf("help-%s", name);

	if (call->out.len > 0)
		lb_buf_putc(&call->out, '\n');
	if (strcmp(lb_notice(config, key), key) != 0)
		lb_notice_put(&call->out, config, key, "prefix", call->prefix,
			      NULL);
	else /* a hook that nobody wrote words for */
		lb_buf_printf(&call->out, "%s%s", call->prefix, name);
}

static void put_all(struct lb_call *call)
{
	const struct lb_commands *c = call->m->pipeline->commands;
	const char *name;
	const json_t *any;

	lb_notice_put(&call->out, c->config, "command-help", "prefix",
		      call->prefix, NULL);
	for (const struct lb_command *o = lb_commands_table; o->name; o++)
		if (lb_command_is_allowed(call->m, o->name, false))
			put_line(call, o->name);
	json_object_foreach((json_t *)(uintptr_t)c->hooks, name, any)
	{
		if (lb_command_is_allowed(call->m, name, false))
			put_line(call, name);
	}
}

/* Does the name stand in the table, or among the hooks? */
static bool is_there(const struct lb_commands *c, const char *name)
{
	for (const struct lb_command *o = lb_commands_table; o->name; o++)
		if (strcmp(o->name, name) == 0)
			return true;
	return json_object_get(c->hooks, name) != NULL;
}

int lb_command_help(struct lb_call *call, struct lb_error *err)
{
	const struct lb_commands *c = call->m->pipeline->commands;
	const char *name = json_string_value(json_array_get(call->args, 0));
	size_t len = strlen(call->prefix);

	(void)err;
	if (name && strncmp(name, call->prefix, len) == 0)
		name += len; /* "!help !list" is meant well */
	if (!name)
		put_all(call);
	else if (is_there(c, name))
		put_line(call, name);
	else
		lb_notice_put(&call->out, c->config, "command-unknown", "name",
			      name, NULL);
	return 0;
}

int lb_command_version(struct lb_call *call, struct lb_error *err)
{
	(void)err;
	lb_notice_put(&call->out, call->m->pipeline->config, "command-version",
		      "version", LB_VERSION, NULL);
	return 0;
}
