/* tools - what the model may use here, for whoever asks. */
#include <string.h>

#include "agent/command.h"
#include "agent/tools.h"
#include "base/json.h"
#include "base/utf8.h"
#include "config/notice.h"

enum { SHOWN = 100 };

/* The name, and how its description begins. */
static void put_tool(struct lb_buf *out, const struct tool *t)
{
	const json_t *description =
		lb_json_path(t->entry, "spec.function.description");
	lb_autobuf struct lb_buf clean = {0};
	size_t len;

	lb_text_visible(&clean, json_string_value(description),
			json_string_length(description));
	len = strcspn(lb_buf_str(&clean), "\n\t");
	lb_buf_printf(out, "\n%s", t->name);
	if (len == 0)
		return;
	lb_buf_puts(out, ": ");
	lb_buf_put(out, clean.data, lb_utf8_cut(clean.data, len, SHOWN));
	if (len > SHOWN)
		lb_buf_puts(out, "...");
}

int command_tools(struct order *o, struct lb_error *err)
{
	const struct asker who = {o->query, o->pipeline, o->bot, o->session};
	struct toolset set = {0};

	(void)err;
	toolset_fill(&set, o->agent, &who);
	say(o, set.n > 0 ? "command-tools" : "command-tools-none", NULL);
	for (size_t i = 0; i < set.n; i++)
		put_tool(&o->said, &set.at[i]);
	toolset_release(&set);
	return 0;
}
