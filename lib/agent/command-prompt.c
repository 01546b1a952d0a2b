/*
 * prompt - what the model is shown of the conversation. Not the operator's
 * prompt: that is not the user's to read.
 */
#include <string.h>

#include "agent/command.h"
#include "agent/local.h"
#include "base/json.h"
#include "base/utf8.h"
#include "config/notice.h"
#include "store/conversation.h"

enum { MAX_SHOWN = 8000, MAX_EACH = 600 };

static void put_content(struct lb_buf *out, const json_t *content)
{
	lb_autobuf struct lb_buf text = {0};
	const json_t *part;
	size_t i, cut;

	if (json_is_string(content))
		lb_buf_puts(&text, json_string_value(content));
	json_array_foreach((json_t *)(uintptr_t)content, i, part)
	{
		const char *said = lb_json_str(part, "text");
		const char *type = lb_json_str(part, "type");

		if (said)
			lb_buf_puts(&text, said);
		else
			lb_buf_printf(&text, "[%.32s]", type ? type : "?");
	}
	cut = lb_utf8_cut(lb_buf_str(&text), text.len, MAX_EACH);
	lb_buf_put(out, lb_buf_str(&text), cut);
	if (cut < text.len)
		lb_buf_puts(out, "...");
}

static void put_message(struct lb_buf *out, const json_t *message)
{
	const json_t *call;
	size_t i;

	lb_buf_printf(out, "%s: ", lb_json_str(message, "role"));
	put_content(out, json_object_get(message, "content"));
	json_array_foreach(json_object_get(message, "tool_calls"), i, call)
		lb_buf_printf(out, "[%s]",
			      lb_json_str(json_object_get(call, "function"),
					  "name"));
	lb_buf_putc(out, '\n');
}

/* The last messages that have room, in their order. */
static void put_last(struct lb_buf *out, const json_t *messages)
{
	size_t n = json_array_size(messages), from = n, room = MAX_SHOWN;

	while (from > 0) {
		lb_autobuf struct lb_buf one = {0};

		put_message(&one, json_array_get(messages, from - 1));
		if (one.len > room)
			break;
		room -= one.len;
		from--;
	}
	if (from > 0)
		lb_buf_puts(out, "...\n");
	for (; from < n; from++)
		put_message(out, json_array_get(messages, from));
	out->data[--out->len] = '\0';
}

int command_prompt(struct order *o, struct lb_error *err)
{
	json_auto_t *messages =
		local_history(o->agent, o->conversation, o->pipeline, err);

	if (!messages)
		return -1;
	if (json_array_size(messages) == 0)
		say(o, "command-nothing", NULL);
	else
		put_last(&o->said, messages);
	return 0;
}
