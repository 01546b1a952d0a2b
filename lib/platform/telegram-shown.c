/* The messages that show an answer while it is made, and become it. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/telegram-send.h"

void telegram_shown_free(struct stream *s, size_t from)
{
	while (s->n_shown > from)
		free(s->shown[--s->n_shown].text);
}

struct shown *telegram_stream_next(struct stream *s,
				   const struct lb_telegram_call *call)
{
	if (s->taken >= s->n_shown || strcmp(call->method, "sendMessage") != 0)
		return NULL;
	return &s->shown[s->taken];
}

void telegram_shown_says(struct shown *m, const char *text)
{
	char *old = m->text;

	m->text = lb_strdup(text);
	free(old);
}

void telegram_stream_took(struct stream *s, const char *text)
{
	if (s->taken < s->n_shown)
		telegram_shown_says(&s->shown[s->taken++], text);
	s->next = lb_clock_mono() + telegram_stream_interval(s);
}

void telegram_stream_lost(struct stream *s, size_t i)
{
	if (i >= s->n_shown)
		return;
	free(s->shown[i].text);
	s->n_shown--;
	memmove(&s->shown[i], &s->shown[i + 1],
		(s->n_shown - i) * sizeof(*s->shown));
}

static void nothing(void *arg, const struct lb_answer *a)
{
	(void)arg;
	(void)a;
}

void telegram_stream_trim(struct stream *s)
{
	struct lb_error err;

	for (size_t i = s->taken; i < s->n_shown; i++) {
		json_auto_t *params =
			lb_json_pack("{s:I,s:I}", "chat_id",
				     (json_int_t)s->chat.id, "message_id",
				     (json_int_t)s->shown[i].id);

		if (!lb_telegram_ask(s->telegram->api,
				     &(struct lb_telegram_request){
					     .method = "deleteMessage",
					     .params = params,
					     .safe = true,
				     },
				     nothing, NULL, &err))
			lb_warn("%s", err.text);
	}
	telegram_shown_free(s, s->taken);
}

void telegram_shown_add(struct stream *s, int64_t id, char *take_text)
{
	struct shown *m;

	s->shown = lb_grow(s->shown, (s->n_shown + 1) * sizeof(*s->shown));
	m = &s->shown[s->n_shown++];
	m->id = id;
	m->text = take_text;
}

/* Another process may have to go on with them. */
void telegram_shown_note(const struct stream *s)
{
	json_auto_t *ids = json_array();

	for (size_t i = 0; i < s->n_shown; i++)
		json_array_append_new(ids, json_integer(s->shown[i].id));
	lb_bot_note_shown(s->telegram->bot, s->id, ids);
}

/* What another process showed of it: what it says is not known. */
void telegram_shown_recall(struct stream *s)
{
	json_auto_t *ids = lb_bot_shown(s->telegram->bot, s->id);
	const json_t *id;
	size_t i;

	json_array_foreach(ids, i, id)
	{
		if (json_is_integer(id))
			telegram_shown_add(s, json_integer_value(id),
					   lb_strdup(""));
	}
}
