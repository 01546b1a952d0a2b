/* body.c - what a webhook is told of a message. */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "fs/digest.h"
#include "push/push.h"
#include "record/record.h"

static const char *text(const json_t *o, const char *key)
{
	const char *s = lb_json_str(o, key);

	return s ? s : "";
}

bool lb_pushed_read(struct lb_pushed *p, const struct lb_record *r)
{
	*p = (struct lb_pushed){
		.id = lb_json_str(r->json, "id"),
		.bot = lb_json_str(r->json, "bot"),
		.launcher_type = lb_json_str(r->json, "launcher_type"),
		.launcher_id = lb_json_str(r->json, "launcher_id"),
	};
	if (!p->id || !p->bot || !p->launcher_type || !p->launcher_id)
		return false;
	if (!lb_json_int(r->json, "time", &p->time))
		p->time = lb_clock_now();
	p->event = strcmp(p->launcher_type, "group") == 0 ? LB_PUSH_GROUP
							  : LB_PUSH_PERSON;
	return true;
}

void lb_push_uuid(const struct lb_pushed *p, const char *hook, char out[40])
{
	unsigned char digest[LB_DIGEST_SIZE];
	const struct lb_piece pieces[] = {
		{hook, strlen(hook) + 1},
		{p->bot, strlen(p->bot) + 1},
		{p->id, strlen(p->id)},
	};

	lb_digest(pieces, 3, digest);
	lb_id_derive(p->time, digest, out);
}

/* The chain as it came: numbers and unknown members keep their bytes. */
static void put_chain(struct lb_buf *b, const struct lb_record *r)
{
	const struct lb_member *m = lb_member_find(&r->members, "chain");

	if (m && json_is_array(json_object_get(r->json, "chain")))
		lb_put_raw(b, "message", m->value.at, m->value.len);
	else
		lb_buf_puts(b, ",\"message\":[]");
}

static void put_named(struct lb_buf *b, const char *key, const char *id,
		      const char *name)
{
	lb_buf_printf(b, ",\"%s\":{\"id\":", key);
	lb_buf_json_str(b, id, strlen(id));
	lb_put_str(b, "name", name);
	lb_buf_putc(b, '}');
}

/* As LangBot has it. Whoever makes a record may say any time. */
static void put_seconds(struct lb_buf *b, int64_t ms)
{
	uint64_t size = ms < 0 ? 0 - (uint64_t)ms : (uint64_t)ms;

	lb_buf_printf(b, ",\"timestamp\":%s%llu.%03u", ms < 0 ? "-" : "",
		      (unsigned long long)(size / 1000),
		      (unsigned)(size % 1000));
}

void lb_push_body(struct lb_buf *b, const struct lb_pushed *p,
		  const struct lb_record *r, const char *uuid)
{
	const json_t *o = r->json;

	lb_buf_printf(b, "{\"uuid\":\"%s\",\"event_type\":\"%s\",\"data\":{",
		      uuid, lb_webhook_events[p->event]);
	lb_buf_puts(b, "\"bot_uuid\":");
	lb_buf_json_str(b, p->bot, strlen(p->bot));
	lb_put_str(b, "adapter_name", text(o, "platform"));
	if (p->event == LB_PUSH_GROUP)
		put_named(b, "group", p->launcher_id, text(o, "group_name"));
	put_named(b, "sender", text(o, "sender_id"), text(o, "sender_name"));
	put_chain(b, r);
	put_seconds(b, p->time);
	lb_put_str(b, "id", p->id);
	lb_put_str(b, "message_id", text(o, "message_id"));
	lb_put_str(b, "session_id", text(o, "session"));
	lb_buf_puts(b, "}}");
}
