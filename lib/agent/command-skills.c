/* skills - those that the model may use here, and which of them are active. */
#include <string.h>

#include "agent/active.h"
#include "agent/command.h"
#include "agent/tools.h"
#include "base/json.h"
#include "base/utf8.h"
#include "config/notice.h"
#include "store/conversation.h"

enum { SHOWN = 120, MOST = 100 };

/* What the model is told of them, a line each; NULL: it may use none. */
static const char *index_of(const struct toolset *set)
{
	static const char mark[] = "<skills>\n";
	const char *text = NULL;

	for (size_t i = 0; i < set->n && !text; i++)
		if (active_is_by(lb_provider_name(set->at[i].provider),
				 set->at[i].own))
			text = lb_json_str(set->at[i].entry, "prompt");
	text = text ? strstr(text, mark) : NULL;
	return text ? text + sizeof(mark) - 1 : NULL;
}

static bool has(const json_t *names, const char *name, size_t len)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)names, i, one)
	{
		if (json_string_length(one) == len &&
		    strncmp(json_string_value(one), name, len) == 0)
			return true;
	}
	return false;
}

static void put_line(struct order *o, const char *line, size_t len,
		     const json_t *active)
{
	lb_autobuf struct lb_buf clean = {0};
	size_t cut;

	lb_text_visible(&clean, line, len);
	cut = lb_utf8_cut(lb_buf_str(&clean), clean.len, SHOWN);
	lb_buf_putc(&o->said, '\n');
	if (has(active, line, strcspn(line, ":\n")))
		lb_buf_puts(&o->said, "* ");
	lb_buf_put(&o->said, lb_buf_str(&clean), cut);
	if (cut < clean.len)
		lb_buf_puts(&o->said, "...");
}

static int put_lines(struct order *o, const char *text, struct lb_error *err)
{
	int64_t id = lb_conversation_find(o->agent->store, o->conversation,
					  o->pipeline, err);
	json_auto_t *active = NULL;

	if (id > 0)
		active = lb_conversation_skills(o->agent->store, id, err);
	if (id < 0 || (id > 0 && !active))
		return -1;
	for (int n = 0; n < MOST && strncmp(text, "- ", 2) == 0; n++) {
		size_t len = strcspn(text, "\n");

		put_line(o, text + 2, len - 2, active);
		text += len + (text[len] == '\n');
	}
	return 0;
}

int command_skills(struct order *o, struct lb_error *err)
{
	const struct asker who = {.query = o->query,
				  .pipeline = o->pipeline,
				  .bot = o->bot,
				  .session = o->session};
	struct toolset set = {0};
	const char *text;
	int r = 0;

	toolset_fill(&set, o->agent, &who);
	text = index_of(&set);
	say(o, text ? "command-skills" : "command-skills-none", NULL);
	if (text)
		r = put_lines(o, text, err);
	toolset_release(&set);
	return r;
}
