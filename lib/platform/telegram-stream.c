/* An answer that is shown while it is made: edits, and the typing signal. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/telegram-send.h"
#include "record/chain.h"

enum {
	MAX_STREAMS = 10000,
	MAX_TEXT = 64 * 1024,        /* bytes of an answer that are shown */
	TYPING_MS = 5000,            /* it is seen for so long */
	SILENCE_MS = 15 * 60 * 1000, /* then nobody is at work any more */
	FAILED_MS = 5000,            /* before an edit is tried again */
};

static struct lb_loop *loop_of(const struct stream *s)
{
	return s->telegram->bot->send->loop;
}

int64_t telegram_stream_interval(const struct stream *s)
{
	const struct lb_limits *l = &s->telegram->bot->limits;

	return s->chat.id < 0 ? l->group_edit_ms : l->edit_ms;
}

struct stream *telegram_stream(const struct telegram *t, const char *id)
{
	return lb_map_find(&t->streams, id);
}

static void stream_free(void *value)
{
	struct stream *s = value;

	lb_telegram_cancel(s->ask);
	lb_telegram_cancel(s->typing_ask);
	lb_timer_cancel(loop_of(s), &s->timer);
	lb_timer_cancel(loop_of(s), &s->typing);
	telegram_shown_free(s, 0);
	free(s->shown);
	lb_buf_release(&s->text);
	json_decref(s->head);
	free(s->asked_text);
	free(s->session);
	free(s->key);
	free(s->id);
	free(s);
}

void telegram_stream_end(struct telegram *t, const char *id)
{
	struct stream *s = lb_map_remove(&t->streams, id);

	if (s)
		stream_free(s);
}

void telegram_streams_close(struct telegram *t)
{
	lb_map_release(&t->streams, stream_free);
}

static void show(void *arg);

static void show_at(struct stream *s, int64_t at)
{
	if (!s->broken && !s->post)
		lb_timer_set(loop_of(s), &s->timer, at, show, s);
}

/* Something before it in its session is not through yet. */
static bool must_wait(const struct stream *s)
{
	const struct lb_send *send = s->telegram->bot->send;

	return lb_lane_find(&send->lanes, s->session) ||
	       lb_hold_keeps(&send->holds, s->session, s->id, lb_clock_mono());
}

static void refused(struct stream *s, const struct lb_answer *a)
{
	if (telegram_is_markup(a) && !s->plain)
		s->plain = true;
	else if (s->asked < s->n_shown && telegram_is_gone(a))
		telegram_stream_lost(s, s->asked);
	else if (a->migrate_to) {
		telegram_note_move(s->telegram, s->chat.id, a->migrate_to);
		s->chat.id = a->migrate_to;
	} else {
		s->broken = true;
	}
}

static void on_shown(void *arg, const struct lb_answer *a)
{
	struct stream *s = arg;
	int64_t now = lb_clock_mono(), id;

	s->ask = NULL;
	s->next = now + telegram_stream_interval(s);
	if (a->outcome == LB_TRY_OK || telegram_is_unchanged(a)) {
		id = telegram_message(a->result);
		if (s->asked < s->n_shown)
			telegram_shown_says(&s->shown[s->asked], s->asked_text);
		else if (id) {
			telegram_shown_add(s, id, lb_steal(&s->asked_text));
			telegram_shown_note(s);
		}
	} else if (a->outcome == LB_TRY_REFUSED) {
		refused(s, a);
	} else if (a->outcome == LB_TRY_UNKNOWN) {
		lb_warn("bot '%s': %s: some of an answer may stay in the chat",
			s->telegram->bot->name, a->why);
		s->broken = true;
	} else {
		s->next = now + (a->wait_ms > 0 ? a->wait_ms : FAILED_MS);
		if (a->status == 429)
			lb_pace_pause(&s->telegram->bot->pace, s->key, now,
				      s->next - now);
	}
	if (s->post)
		lb_post_go(s->post);
	else
		show_at(s, s->next);
}

/* The text so far as calls. */
static int render(struct stream *s, struct lb_telegram_calls *calls)
{
	json_auto_t *chain = s->head ? json_copy(s->head) : json_array();
	struct lb_error err;

	json_array_append_new(chain,
			      lb_json_pack("{s:s,s:o}", "type", "Plain", "text",
					   lb_json_text(lb_buf_str(&s->text),
							s->text.len)));
	return lb_telegram_render(chain, &s->chat, &s->telegram->bot->limits,
				  calls, &err);
}

/* Ask for the first message that is not what it should be. */
static void show_call(struct stream *s, const struct lb_telegram_calls *calls)
{
	json_auto_t *params = NULL;
	const struct lb_telegram_call *call;
	bool edit;
	struct lb_error err;
	size_t i = 0;

	while (i < calls->n && i < s->n_shown &&
	       strcmp(s->shown[i].text,
		      telegram_call_text(&calls->at[i], s->plain)) == 0)
		i++;
	if (i >= calls->n)
		return; /* the next chunk comes here again */
	call = &calls->at[i];
	edit = i < s->n_shown;
	params = telegram_edit_params(call, s->chat.id,
				      edit ? s->shown[i].id : 0, s->plain);
	if (!edit) {
		json_object_del(params, "message_id");
		json_object_update_missing(params, call->params);
	}
	s->asked = i;
	free(s->asked_text);
	s->asked_text = lb_strdup(telegram_call_text(call, s->plain));
	s->ask = lb_telegram_ask(s->telegram->api,
				 &(struct lb_telegram_request){
					 .method = edit ? "editMessageText"
							: call->method,
					 .params = params,
					 .safe = edit,
				 },
				 on_shown, s, &err);
	if (!s->ask)
		s->broken = true;
}

static void show(void *arg)
{
	struct stream *s = arg;
	struct lb_pace *pace = &s->telegram->bot->pace;
	struct lb_telegram_calls calls = {0};
	int64_t now = lb_clock_mono();

	/* What is a part of the answer by now stays as it is. */
	if (s->ask || s->post || s->broken || s->taken > 0)
		return;
	if (must_wait(s) || !lb_pace_try(pace, s->key, now)) {
		int64_t paused = lb_pace_paused(pace, s->key);

		show_at(s, paused > now ? paused : now + 100);
		return;
	}
	lb_timer_cancel(loop_of(s), &s->typing);
	if (render(s, &calls) == 0)
		show_call(s, &calls);
	lb_telegram_calls_release(&calls);
}

static void on_typed(void *arg, const struct lb_answer *a)
{
	struct stream *s = arg;
	int64_t now = lb_clock_mono();

	s->typing_ask = NULL;
	if (a->status == 429 && a->wait_ms > 0)
		lb_pace_pause(&s->telegram->bot->pace, s->key, now, a->wait_ms);
}

/* Again and again, until it has text or its end. */
static void type(void *arg)
{
	struct stream *s = arg;
	int64_t now = lb_clock_mono();
	json_auto_t *params = NULL;
	struct lb_error err;

	if (now - s->heard > SILENCE_MS && !s->post) {
		telegram_stream_end(s->telegram, s->id);
		return;
	}
	lb_timer_set(loop_of(s), &s->typing, now + TYPING_MS, type, s);
	if (s->typing_ask || s->post || s->n_shown > 0 || must_wait(s) ||
	    !lb_pace_try(&s->telegram->bot->pace, s->key, now))
		return;
	params = lb_json_pack("{s:I,s:s}", "chat_id", (json_int_t)s->chat.id,
			      "action", "typing");
	if (s->chat.thread)
		json_object_set_new(params, "message_thread_id",
				    json_integer(s->chat.thread));
	s->typing_ask = lb_telegram_ask(s->telegram->api,
					&(struct lb_telegram_request){
						.method = "sendChatAction",
						.params = params,
						.safe = true,
					},
					on_typed, s, &err);
}

void telegram_stream_pause(struct telegram *t, const char *id)
{
	struct stream *s = telegram_stream(t, id);

	if (!s)
		return;
	if (s->n_shown == 0) {
		telegram_stream_end(t, id);
		return;
	}
	s->heard = lb_clock_mono();
	lb_timer_set(loop_of(s), &s->typing, s->heard + SILENCE_MS + 1, type,
		     s);
}

static struct stream *stream_open(struct telegram *t, const char *id,
				  const struct lb_record *r)
{
	const char *session = lb_json_str(r->json, "session");
	struct lb_telegram_chat chat = {0};
	struct lb_error err;
	struct stream *s;

	if (t->streams.n >= MAX_STREAMS ||
	    lb_telegram_chat(r->json, &chat, &err) < 0 || *chat.name)
		return NULL;
	telegram_follow(t, &chat);
	s = lb_alloc(sizeof(*s));
	s->telegram = t;
	s->id = lb_strdup(id);
	s->session = lb_strdup(session ? session : id);
	s->key = lb_printf("%lld", (long long)chat.id);
	s->chat = chat;
	s->attempt = 1;
	lb_map_add(&t->streams, id, s);
	telegram_shown_recall(s);
	return s;
}

void telegram_stream_resume(struct telegram *t, const struct lb_record *r)
{
	const char *id = lb_json_str(r->json, "id");
	struct stream *s =
		id && !telegram_stream(t, id) ? stream_open(t, id, r) : NULL;

	if (s && s->n_shown == 0)
		telegram_stream_end(t, id);
}

/* What the reply will have before its text; once. */
static void note_head(struct stream *s, const struct lb_record *r)
{
	json_t *head = json_object_get(r->json, "head");
	struct lb_error err;

	if (!s->head && head && lb_chain_check(head, &err) == 0)
		s->head = json_incref(head);
}

/* It is not to be seen before a time that the chunk says. */
static void note_delay(struct stream *s, const struct lb_record *r)
{
	int64_t at, wait;

	if (!lb_json_int(r->json, "not_before", &at))
		return;
	wait = at - lb_clock_now();
	if (wait > LB_LANES_WAIT_MS)
		wait = LB_LANES_WAIT_MS;
	if (wait > 0 && s->next < lb_clock_mono() + wait)
		s->next = lb_clock_mono() + wait;
}

/* A later attempt says it all again. */
static void note_attempt(struct stream *s, const struct lb_record *r)
{
	int64_t attempt = 1;

	lb_json_int(r->json, "attempt", &attempt);
	if (attempt <= s->attempt)
		return;
	s->attempt = attempt;
	s->full = false;
	lb_buf_reset(&s->text);
}

void telegram_chunk(void *self, const struct lb_record *r)
{
	struct telegram *t = self;
	const char *id = lb_json_str(r->json, "id");
	const json_t *text = json_object_get(r->json, "text");
	size_t len = json_string_length(text);
	struct stream *s = id ? telegram_stream(t, id) : NULL;
	int64_t now = lb_clock_mono();
	bool is_new = id && !s;

	if (is_new)
		s = stream_open(t, id, r);
	if (!s)
		return;
	s->heard = now;
	note_attempt(s, r);
	note_head(s, r);
	note_delay(s, r);
	if (is_new)
		lb_timer_set(loop_of(s), &s->typing, now, type, s);
	s->full = s->full || s->text.len + len > MAX_TEXT;
	if (len == 0 || s->full)
		return;
	lb_buf_put(&s->text, json_string_value(text), len);
	if (!s->ask && s->timer.slot == 0)
		show_at(s, s->next > now ? s->next : now);
}
