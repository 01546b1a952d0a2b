#include "platform/ingest.h"

#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "fs/digest.h"
#include "record/record.h"

static void put_if(struct lb_buf *b, const char *key, const char *text)
{
	if (text && *text)
		lb_put_str(b, key, text);
}

void lb_event_id(const char *bot, const char *event, int64_t ms,
		 char out[LB_ID_SIZE])
{
	unsigned char digest[LB_DIGEST_SIZE];

	/* The NUL of the bot's name parts the two. */
	lb_digest(
		(const struct lb_piece[]){
			{bot, strlen(bot) + 1},
			{event, strlen(event)},
		},
		2, digest);
	lb_id_derive(ms, digest, out);
}

static void make_id(const struct lb_origin *from, char out[LB_ID_SIZE])
{
	if (from->event_id)
		lb_event_id(from->bot, from->event_id, from->time, out);
	else
		lb_id_new(from->time, out);
}

void lb_put_event(struct lb_buf *b, const char *kind,
		  const struct lb_origin *from)
{
	lb_autofree char *session =
		lb_session_name(from->bot, from->launcher_type,
				from->launcher_id);
	char id[LB_ID_SIZE];
	struct lb_subject of;

	if (!from->id)
		make_id(from, id);
	lb_put_begin(b, kind);
	lb_put_str(b, "id", from->id ? from->id : id);
	lb_put_int(b, "time", from->time);
	lb_put_str(b, "bot", from->bot);
	lb_put_str(b, "platform", from->platform);
	lb_put_str(b, "launcher_type", from->launcher_type);
	lb_put_str(b, "launcher_id", from->launcher_id);
	lb_put_str(b, "sender_id", from->sender_id);
	put_if(b, "sender_name", from->sender_name);
	put_if(b, "group_name", from->group_name);
	put_if(b, "message_id", from->message_id);
	lb_put_str(b, "session", session);
	of = (struct lb_subject){from->id ? from->id : id, from->bot, session};
	lb_log(LB_INFO, &of, "%s by adapter %s", kind, from->platform);
}

void lb_put_message(struct lb_buf *b, const struct lb_origin *from)
{
	lb_put_event(b, "message", from);
}
