#include "pipeline/conversation.h"

#include <string.h>

#include "base/json.h"
#include "pipeline/pipeline.h"

enum lb_shared lb_shared_of(const json_t *pipeline)
{
	const char *by = json_string_value(
		lb_json_path(pipeline, "ai.runner.conversation"));

	if (by && strcmp(by, "group") == 0)
		return LB_SHARED_GROUP;
	return by && strcmp(by, "member") == 0 ? LB_SHARED_MEMBER
					       : LB_SHARED_TOPIC;
}

/* The id of the group, its topic left out. */
static size_t group_len(const char *launcher_id)
{
	const char *topic = strrchr(launcher_id, '#');

	return topic && topic > launcher_id && topic[1]
		       ? (size_t)(topic - launcher_id)
		       : strlen(launcher_id);
}

static void put_escaped(struct lb_buf *b, const char *text)
{
	for (; *text; text++)
		if (*text == '/' || *text == '%')
			lb_buf_puts(b, *text == '/' ? "%2F" : "%25");
		else
			lb_buf_putc(b, *text);
}

bool lb_conversation_name(struct lb_buf *b, const struct lb_message *m,
			  enum lb_shared by)
{
	size_t len = group_len(m->launcher_id);

	if (by == LB_SHARED_TOPIC || strcmp(m->launcher_type, "group") != 0)
		return false;
	if (by == LB_SHARED_GROUP) {
		if (m->launcher_id[len] == '\0')
			return false;
		lb_buf_printf(b, "%s/group_%.*s", m->bot, (int)len,
			      m->launcher_id);
		return true;
	}
	if (!*m->sender_id)
		return false;
	/* A member's is one in all topics. */
	lb_buf_printf(b, "%s/member_%.*s/", m->bot, (int)len, m->launcher_id);
	put_escaped(b, m->sender_id);
	return true;
}
