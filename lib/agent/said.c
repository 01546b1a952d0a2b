/* said.c - what is said while an answer is made. */
#include <string.h>

#include "agent/turn.h"
#include "base/json.h"

/* An answer longer than this is no answer for a chat. */
enum { MAX_TEXT = 4 << 20 };

/* What a reply says beside its text and the query's members, bytes. */
enum { REPLY_KEYS = 12288 };

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

/* What all chunks of the turn begin with. */
static void make_prefix(struct turn *t)
{
	static const char *const with[] = {
		"id",          "bot",       "platform",   "launcher_type",
		"launcher_id", "sender_id", "message_id", "session",
		"reply_to",    "target",    "thread",     "pipeline",
		NULL,
	};

	lb_pick_members(&t->prefix, t->query, "chunk", with);
	if (t->attempt > 1)
		lb_put_int(&t->prefix, "attempt", t->attempt);
}

/* Begin one; ends with lb_put_end(). */
static struct lb_buf *begin_chunk(struct turn *t, const char *text, size_t len)
{
	struct lb_buf *b = &agent_of(t)->pending;

	lb_buf_put(b, t->prefix.data, t->prefix.len);
	lb_put_int(b, "seq", t->seq++);
	lb_put_strn(b, "text", text, len);
	return b;
}

/*
 * What has been streamed cannot be taken back, and the reply must hold it: the
 * room for it is counted before a chunk goes out.
 */
static void count_room(struct turn *t)
{
	lb_autobuf struct lb_buf reply = {0};
	size_t max = agent_of(t)->options->max_line;

	turn_begin_reply(&reply, t->query);
	t->room =
		max > reply.len + REPLY_KEYS ? max - reply.len - REPLY_KEYS : 0;
}

void turn_begin_chunks(struct turn *t)
{
	make_prefix(t);
	count_room(t);
	lb_put_end(begin_chunk(t, "", 0)); /* seq 0: the typing signal */
}

/* Bytes of a text as a JSON string, at most. */
static size_t json_size(const char *text, size_t len)
{
	size_t size = len;

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			size += 5;
		else if (text[i] == '"' || text[i] == '\\')
			size++;
	return size;
}

static void put_text(struct turn *t, const char *text, size_t len)
{
	size_t twice = 2 * json_size(text, len); /* chain and text */

	t->too_long |= t->text.len + len > MAX_TEXT || twice > t->room;
	if (t->too_long)
		return;
	t->room -= twice;
	lb_buf_put(&t->text, text, len);
	if (t->stream)
		lb_put_end(begin_chunk(t, text, len));
}

void turn_say(struct turn *t, const char *text, size_t len)
{
	lb_autobuf struct lb_buf joined = {0};

	if (len == 0)
		return;
	/* A blank line before the first words of a later round. */
	if (t->said.len == 0 && t->text.len > 0) {
		lb_buf_puts(&joined, "\n\n");
		lb_buf_put(&joined, text, len);
		put_text(t, joined.data, joined.len);
	} else {
		put_text(t, text, len);
	}
	if (!t->too_long)
		lb_buf_put(&t->said, text, len);
}

void turn_think(struct turn *t, const char *text, size_t len)
{
	struct lb_buf *b;

	if (!t->stream || json_size(text, len) > t->room || len == 0)
		return;
	b = begin_chunk(t, "", 0);
	lb_put_strn(b, "reasoning", text, len);
	lb_put_end(b);
}

void turn_say_calls(struct turn *t)
{
	json_auto_t *names = json_array();
	const json_t *call;
	struct lb_buf *b;
	size_t i;

	if (!t->stream)
		return;
	json_array_foreach(t->calls, i, call)
		json_array_append(names,
				  json_object_get(json_object_get(call,
								  "function"),
						  "name"));
	b = begin_chunk(t, "", 0);
	lb_put_json(b, "calls", names);
	lb_put_end(b);
}
