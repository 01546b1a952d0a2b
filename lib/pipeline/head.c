#include "pipeline/head.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/json.h"
#include "config/notice.h"

/* Tools named in one line, and bytes of a name. */
enum { MAX_NAMES = 10, MAX_NAME = 64 };

static void put_quote(struct lb_buf *b, const struct lb_record *r)
{
	const char *id = lb_json_str(r->json, "message_id");
	const json_t *to = json_object_get(r->json, "reply_to");
	const char *message = lb_json_str(to, "message");
	const char *sender = lb_json_str(r->json, "sender_id");

	if (!(id && *id) && !(message && *message))
		return;
	lb_buf_puts(b, "{\"type\":\"Quote\"");
	if (id && *id)
		lb_put_str(b, "id", id);
	if (sender && *sender)
		lb_put_str(b, "sender_id", sender);
	lb_buf_puts(b, ",\"origin\":[]}");
}

static void put_at(struct lb_buf *b, const struct lb_record *r)
{
	const char *type = lb_json_str(r->json, "launcher_type");
	const char *sender = lb_json_str(r->json, "sender_id");
	const char *name = lb_json_str(r->json, "sender_name");

	if (!type || strcmp(type, "group") != 0 || !sender || !*sender)
		return;
	lb_buf_puts(b, b->len > 0 ? ",{\"type\":\"At\"" : "{\"type\":\"At\"");
	lb_put_str(b, "target", sender);
	if (name && *name)
		lb_put_str(b, "display", name);
	lb_buf_putc(b, '}');
}

void lb_head_put(struct lb_buf *b, const struct lb_output *o,
		 const struct lb_record *r)
{
	if (json_object_get(r->json, "target"))
		return;
	if (o->quote_origin)
		put_quote(b, r);
	if (o->at_sender)
		put_at(b, r);
}

int64_t lb_head_delay(const struct lb_output *o, const struct lb_record *r,
		      int64_t now_ms)
{
	int64_t span = o->delay_max - o->delay_min, asked = 0, at = 0;

	lb_json_int(r->json, "not_before", &asked);
	if (o->delay_max > 0)
		at = now_ms + o->delay_min +
		     (span > 0 ? (int64_t)(lb_random() % (uint64_t)(span + 1))
			       : 0);
	return at > asked ? at : asked;
}

/* A model may say anything for a name; a tool's is of these. */
static void put_name(struct lb_buf *b, const char *name)
{
	for (size_t n = 0; *name && n < MAX_NAME; name++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY"
			   "Z"
			   "0123456789_-",
			   *name)) {
			lb_buf_putc(b, *name);
			n++;
		}
}

void lb_head_calls(struct lb_buf *b, struct lb_config *config,
		   const json_t *names)
{
	lb_autobuf struct lb_buf all = {0};
	const json_t *name;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)names, i, name)
	{
		if (i == MAX_NAMES || !json_is_string(name))
			break;
		lb_buf_puts(&all, i > 0 ? "." : "");
		put_name(&all, json_string_value(name));
	}
	if (all.len > 0)
		lb_notice_put(b, config, "tool-call", "names", lb_buf_str(&all),
			      NULL);
}
