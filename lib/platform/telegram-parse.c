#include <string.h>

#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "platform/ingest.h"
#include "platform/telegram-content.h"
#include "record/record.h"

/* Accounts of Telegram that stand for a chat which speaks. */
enum { CHANNEL = 136817688, ANONYMOUS = 1087968824, SERVICE = 777000 };

const char *lb_telegram_number(const json_t *o, const char *key,
			       char out[LB_TELEGRAM_NUMBER])
{
	int64_t n;

	out[0] = '\0';
	if (lb_json_int(o, key, &n))
		snprintf(out, LB_TELEGRAM_NUMBER, "%lld", (long long)n);
	return out;
}

char *lb_telegram_name(const json_t *who)
{
	const char *first = lb_json_str(who, "first_name");
	const char *last = lb_json_str(who, "last_name");
	const char *other = lb_json_str(who, "title");

	if (!other)
		other = lb_json_str(who, "username");
	if (!first || !*first)
		return lb_strdup(other ? other : "");
	return last && *last ? lb_printf("%s %s", first, last)
			     : lb_strdup(first);
}

/* One message, or the message of a callback. */
struct event {
	struct lb_telegram_parse *p;
	const json_t *message, *chat, *from;
	const char *kind;
	char chat_id[LB_TELEGRAM_NUMBER], number[LB_TELEGRAM_NUMBER];
	char thread[LB_TELEGRAM_NUMBER], sender[LB_TELEGRAM_NUMBER];
	int64_t time;
	char id[LB_ID_SIZE];
	bool person;
};

/* Time in ms at a key in seconds; `otherwise` when it is none. */
static int64_t time_at(const json_t *o, const char *key, int64_t otherwise)
{
	int64_t s;

	if (!lb_json_int(o, key, &s) || s <= 0 || s > (int64_t)1 << 38)
		return otherwise;
	return s * 1000;
}

/* Who speaks: a person, or the chat or channel in whose name it is. */
static const json_t *speaker(const json_t *message)
{
	const json_t *from = json_object_get(message, "from");
	const json_t *chat = json_object_get(message, "sender_chat");
	int64_t id = 0;

	lb_json_int(from, "id", &id);
	if (json_is_object(chat) && (!json_is_object(from) || id == ANONYMOUS ||
				     id == CHANNEL || id == SERVICE))
		return chat;
	if (!json_is_object(from)) /* a channel */
		return json_object_get(message, "chat");
	return from;
}

static int read_place(struct event *e, struct lb_error *err)
{
	const char *type;

	e->chat = json_object_get(e->message, "chat");
	type = lb_json_str(e->chat, "type");
	e->person = type && strcmp(type, "private") == 0;
	if (!*lb_telegram_number(e->chat, "id", e->chat_id))
		return lb_fail(err, LB_DATA, "field 'chat' has no id");
	if (!*lb_telegram_number(e->message, "message_id", e->number))
		return lb_fail(err, LB_DATA, "field 'message_id' is missing");
	/* Without is_topic_message it is the thread of an answer. */
	if (lb_json_bool(e->message, "is_topic_message", false))
		lb_telegram_number(e->message, "message_thread_id", e->thread);
	if (!*lb_telegram_number(e->from, "id", e->sender))
		return lb_fail(err, LB_DATA, "nobody has sent it");
	return 0;
}

static void make_id(struct event *e, const json_t *update, int64_t ms)
{
	char number[LB_TELEGRAM_NUMBER];

	lb_event_id(e->p->bot, lb_telegram_number(update, "update_id", number),
		    ms, e->id);
}

/* What every record of an event has; go on with lb_put_*(). */
static void put_origin(struct event *e)
{
	bool topic = e->thread[0] && strcmp(e->thread, "1") != 0;
	lb_autofree char *name = lb_telegram_name(e->from);
	lb_autofree char *place =
		lb_printf("%s%s%s", e->chat_id, topic ? "#" : "",
			  topic ? e->thread : "");
	lb_autofree char *number = lb_printf("%s:%s", e->chat_id, e->number);
	struct lb_buf *b = &e->p->records;
	struct lb_origin from = {
		.id = e->id,
		.time = e->time,
		.platform = "telegram",
		.bot = e->p->bot,
		.launcher_type = e->person ? "person" : "group",
		.launcher_id = place,
		.sender_id = e->sender,
		.sender_name = name,
		.group_name = e->person ? NULL : lb_json_str(e->chat, "title"),
		.message_id = number,
	};
	json_auto_t *to = lb_json_pack("{s:s,s:s}", "chat", e->chat_id,
				       "message", e->number);

	if (e->thread[0])
		json_object_set_new(to, "thread", json_string(e->thread));
	lb_put_event(b, e->kind, &from);
	if (strcmp(e->kind, "edit") == 0)
		lb_put_str(b, "edit_of", number);
	lb_put_json(b, "reply_to", to);
}

/* What was said before, as a Quote: its own quote is left out. */
static void quote(struct lb_telegram_content *c, struct event *e,
		  const json_t *told, bool here)
{
	const json_t *part = json_object_get(e->message, "quote");
	const json_t *words = json_object_get(part, "text");
	struct lb_telegram_content in = {.p = c->p, .quoted = true};
	char number[LB_TELEGRAM_NUMBER], sender[LB_TELEGRAM_NUMBER];
	json_t *q = lb_json_pack("{s:s}", "type", "Quote");

	in.chain = json_array();
	in.mentions = json_array();
	in.media = c->media;
	if (here && *lb_telegram_number(told, "message_id", number)) {
		lb_autofree char *id = lb_printf("%s:%s", e->chat_id, number);

		json_object_set_new(q, "id", json_string(id));
		if (*lb_telegram_number(speaker(told), "id", sender))
			json_object_set_new(q, "sender_id",
					    json_string(sender));
	}
	if (json_is_string(words)) {
		json_array_append_new(in.chain,
				      lb_json_pack("{s:s,s:O}", "type", "Plain",
						   "text", words));
	} else if (here) {
		lb_telegram_text(&in, told);
		lb_telegram_things(&in, told);
	}
	c->media = in.media;
	json_decref(in.mentions);
	json_object_set_new(q, "origin", in.chain);
	json_array_append_new(c->chain, q);
}

/* A topic's messages "answer" the one that made it. */
static bool is_answer(const struct event *e, const json_t *told)
{
	char number[LB_TELEGRAM_NUMBER];

	if (!json_is_object(told))
		return false;
	return !e->thread[0] ||
	       strcmp(lb_telegram_number(told, "message_id", number),
		      e->thread) != 0;
}

/* The chain; false when the message says nothing to us. */
static bool read_content(struct event *e, struct lb_telegram_content *c)
{
	const json_t *told = json_object_get(e->message, "reply_to_message");
	const json_t *foreign = json_object_get(e->message, "external_reply");
	size_t before;
	int64_t id;

	json_array_append_new(c->chain,
			      lb_json_pack("{s:s,s:s++,s:I}", "type", "Source",
					   "id", e->chat_id, ":", e->number,
					   "timestamp",
					   (json_int_t)(e->time / 1000)));
	if (is_answer(e, told)) {
		quote(c, e, told, true);
		if (lb_json_int(json_object_get(told, "from"), "id", &id) &&
		    id == e->p->self->id)
			c->mentioned = true;
	} else if (json_is_object(foreign)) {
		quote(c, e, foreign, false);
	}
	before = json_array_size(c->chain);
	lb_telegram_text(c, e->message);
	lb_telegram_things(c, e->message);
	return json_array_size(c->chain) > before && !c->for_other;
}

static void put_message(struct event *e)
{
	struct lb_telegram_content c = {.p = e->p};
	const char *album = lb_json_str(e->message, "media_group_id");
	struct lb_buf *b = &e->p->records;

	c.chain = json_array();
	c.mentions = json_array();
	if (read_content(e, &c)) {
		put_origin(e);
		lb_put_bool(b, "mentioned_me", c.mentioned || e->person);
		if (json_array_size(c.mentions) > 0)
			lb_put_json(b, "mentions", c.mentions);
		lb_put_json(b, "chain", c.chain);
		lb_put_end(b);
		if (album)
			e->p->album = lb_strdup(album);
	}
	json_decref(c.chain);
	json_decref(c.mentions);
}

/* The group became another one: who sends must know. */
static void put_migrated(struct event *e, const char *to)
{
	struct lb_buf *b = &e->p->records;

	lb_put_begin(b, "status");
	lb_put_int(b, "time", e->time);
	lb_put_str(b, "bot", e->p->bot);
	lb_put_str(b, "platform", "telegram");
	lb_put_str(b, "state", "migrated");
	lb_put_str(b, "launcher_type", "group");
	lb_put_str(b, "launcher_id", e->chat_id);
	lb_buf_printf(b, ",\"target\":\"group:%s\"", to);
	lb_buf_printf(b, ",\"message\":\"group %s is now %s\"", e->chat_id, to);
	lb_put_end(b);
}

/* Ours, and those of other bots unless they count. */
static bool is_left_out(const struct event *e)
{
	int64_t id = 0;

	lb_json_int(e->from, "id", &id);
	return id == e->p->self->id ||
	       (lb_json_bool(e->from, "is_bot", false) && !e->p->bots);
}

static int message(struct lb_telegram_parse *p, const json_t *update,
		   const json_t *m, bool edit, struct lb_error *err)
{
	struct event e = {.p = p, .message = m, .from = speaker(m)};
	char to[LB_TELEGRAM_NUMBER];
	int64_t time = time_at(m, "date", 0);

	if (read_place(&e, err) < 0)
		return -1;
	if (edit)
		time = time_at(m, "edit_date", time);
	e.kind = edit ? "edit" : "message";
	e.time = time ? time : p->now;
	make_id(&e, update, time);
	if (*lb_telegram_number(m, "migrate_to_chat_id", to))
		put_migrated(&e, to);
	else if (!is_left_out(&e))
		put_message(&e);
	return 0;
}

/* A button was pressed. It has no time of its own. */
static int callback(struct lb_telegram_parse *p, const json_t *update,
		    const json_t *query, struct lb_error *err)
{
	const char *data = lb_json_str(query, "data");
	const char *id = lb_json_str(query, "id");
	struct event e = {.p = p, .kind = "callback", .time = p->now};

	e.message = json_object_get(query, "message");
	e.from = json_object_get(query, "from");
	if (!id)
		return lb_fail(err, LB_DATA, "field 'id' is missing");
	if (!json_is_object(e.message)) /* of a message by inline mode */
		return 0;
	if (read_place(&e, err) < 0)
		return -1;
	make_id(&e, update, time_at(e.message, "date", 0));
	p->callback = lb_strdup(id);
	if (is_left_out(&e))
		return 0;
	put_origin(&e);
	lb_put_str(&p->records, "data", data ? data : "");
	lb_put_end(&p->records);
	return 0;
}

static const struct {
	const char *key;
	bool edit;
} kinds[] = {
	{"message", false},
	{"edited_message", true},
	{"channel_post", false},
	{"edited_channel_post", true},
};

int lb_telegram_parse(struct lb_telegram_parse *p, const json_t *update,
		      struct lb_error *err)
{
	const json_t *o;
	int64_t id;
	int r = 0;

	if (!lb_json_int(update, "update_id", &id))
		return lb_fail(err, LB_DATA, "an update without update_id");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		o = json_object_get(update, kinds[i].key);
		if (!json_is_object(o))
			continue;
		r = message(p, update, o, kinds[i].edit, err);
		return r < 0 ? lb_error_wrap(err, "update %lld: %s",
					     (long long)id, kinds[i].key)
			     : 0;
	}
	o = json_object_get(update, "callback_query");
	if (json_is_object(o))
		r = callback(p, update, o, err);
	return r < 0 ? lb_error_wrap(err, "update %lld: callback_query",
				     (long long)id)
		     : 0;
}

void lb_telegram_parse_release(struct lb_telegram_parse *p)
{
	for (size_t i = 0; i < p->n_files; i++) {
		free(p->files[i].ref);
		free(p->files[i].path);
	}
	free(p->files);
	free(p->album);
	free(p->callback);
	lb_buf_release(&p->records);
	p->files = NULL;
	p->n_files = 0;
	p->album = p->callback = NULL;
}
