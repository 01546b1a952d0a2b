#include "pipeline/prompt.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/zone.h"
#include "pipeline/pipeline.h"

static const char date_line[] =
	"Today is {today}. Words like \"tomorrow\" or \"last week\" are to be "
	"understood from that date; what may have changed since you learned it "
	"is to be checked, or said to be uncertain.";

/* Does any message of the prompt name the day itself? */
static bool says_today(const json_t *prompt)
{
	const json_t *message;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)prompt, i, message)
	{
		const char *text = lb_json_str(message, "content");

		if (text && strstr(text, "{today}"))
			return true;
	}
	return false;
}

/* Append it to the first system message; where there is none, be that. */
static void add_date(json_t *prompt)
{
	json_t *message;
	size_t i;

	json_array_foreach(prompt, i, message)
	{
		lb_autobuf struct lb_buf text = {0};
		const char *role = lb_json_str(message, "role");

		if (!role || strcmp(role, "system") != 0)
			continue;
		lb_buf_puts(&text, lb_json_str(message, "content"));
		lb_buf_puts(&text, text.len > 0 ? "\n\n" : "");
		lb_buf_puts(&text, date_line);
		lb_json_set_str(message, "content", text.data, text.len);
		return;
	}
	json_array_insert_new(prompt, 0,
			      lb_json_pack("{s:s, s:s}", "role", "system",
					   "content", date_line));
}

void lb_prompt_make(struct lb_buf *out, const json_t *pipeline)
{
	const json_t *own = lb_json_path(pipeline, "ai.local-agent.prompt");
	json_auto_t *prompt = own ? json_deep_copy(own) : json_array();

	if (lb_json_bool(lb_json_path(pipeline, "ai.local-agent"), "date-line",
			 true) &&
	    !says_today(prompt))
		add_date(prompt);
	lb_buf_json(out, prompt);
}

/* The day is asked of the C library once in a while only. */
static const char *today(int64_t ms)
{
	static char text[LB_ZONE_TEXT];
	static int64_t quarter = -1; /* hours: zones differ by as little */

	if (ms / 900000 != quarter) {
		lb_zone_day(ms, text);
		quarter = ms / 900000;
	}
	return text;
}

/* The value of a variable; NULL: it is none. */
static const char *value_of(const struct lb_message *m, const char *name,
			    size_t len, char digits[32])
{
	const struct {
		const char *name, *value;
	} variables[] = {
		{"bot", m->bot},
		{"pipeline", m->flow->name},
		{"launcher_type", m->launcher_type},
		{"launcher_id", m->launcher_id},
		{"sender_id", m->sender_id},
		{"sender_name", m->sender_name},
		{"group_name", m->group_name},
		{"session_id", lb_buf_str(&m->session) + strlen(m->bot) + 1},
		{"user_message_text", lb_buf_str(&m->text)},
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (strlen(variables[i].name) == len &&
		    strncmp(variables[i].name, name, len) == 0)
			return variables[i].value;
	if (len == strlen("today") && strncmp(name, "today", len) == 0)
		return today(m->time);
	if (len != strlen("msg_create_time") ||
	    strncmp(name, "msg_create_time", len) != 0)
		return NULL;
	snprintf(digits, 32, "%lld", (long long)(m->time / 1000));
	return digits;
}

/* The inside of a JSON string. */
static void put_value(struct lb_buf *out, const char *value)
{
	size_t at = out->len;

	lb_buf_json_str(out, value, strlen(value));
	memmove(out->data + at, out->data + at + 1, out->len - at - 2);
	out->len -= 2;
	out->data[out->len] = '\0';
}

/*
 * The template is JSON, whose own braces are never followed by a name and a
 * brace: what looks like a variable stands in a text.
 */
void lb_prompt_put(struct lb_buf *out, const struct lb_buf *prompt,
		   const struct lb_message *m)
{
	const char *p = lb_buf_str(prompt), *end = p + prompt->len;
	char digits[32];

	while (p < end) {
		const char *brace = memchr(p, '{', (size_t)(end - p));
		size_t len =
			brace ? strspn(brace + 1, "abcdefghijklmnopqrstuvwxyz_")
			      : 0;
		const char *value =
			len > 0 && brace[1 + len] == '}'
				? value_of(m, brace + 1, len, digits)
				: NULL;

		if (!brace)
			brace = end - 1;
		lb_buf_put(out, p, (size_t)(brace - p));
		p = brace;
		if (value) {
			put_value(out, value);
			p += len + 2;
		} else {
			lb_buf_putc(out, *p++);
		}
	}
}
