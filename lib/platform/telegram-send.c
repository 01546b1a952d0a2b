/* telegram - a reply as messages of a chat. */
#include "platform/telegram-send.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/posts.h"
#include "record/chain.h"

struct plan {
	struct telegram *telegram;
	struct lb_post *post;
	struct lb_telegram_chat chat;
	struct lb_telegram_calls calls;
	struct lb_telegram_ask *ask;
	struct lb_timer soon;
	int64_t editing; /* the message that is changed; 0: a new one */
	bool plain;      /* this step, without markup */
	bool moved;      /* it followed its chat once */
};

bool telegram_is_unchanged(const struct lb_answer *a)
{
	return a->status == 400 && strstr(a->said, "message is not modified");
}

bool telegram_is_gone(const struct lb_answer *a)
{
	return a->status == 400 &&
	       (strstr(a->said, "message to edit not found") ||
		strstr(a->said, "message can't be edited") ||
		strstr(a->said, "MESSAGE_ID_INVALID"));
}

bool telegram_is_markup(const struct lb_answer *a)
{
	return a->status == 400 && strstr(a->said, "can't parse entities");
}

int64_t telegram_message(const json_t *result)
{
	int64_t id = 0;

	lb_json_int(result, "message_id", &id);
	return id;
}

/* Where the platform names no message, none is named. */
static json_t *id_of(int64_t chat, int64_t message)
{
	lb_autofree char *text =
		lb_printf("%lld:%lld", (long long)chat, (long long)message);

	return message > 0 ? json_string(text) : json_array();
}

/* A chat that was called by its name has a number in the answer. */
static json_t *sent_id(int64_t chat, const json_t *message)
{
	if (chat == 0)
		lb_json_int(json_object_get(message, "chat"), "id", &chat);
	return id_of(chat, telegram_message(message));
}

/* "CHAT:MESSAGE", or a list of them for an album. */
static json_t *ids_of(int64_t chat, const json_t *result)
{
	const json_t *one;
	json_t *ids;
	size_t i;

	if (!json_is_array(result))
		return sent_id(chat, result);
	ids = json_array();
	json_array_foreach(result, i, one)
	{
		json_array_append_new(ids, sent_id(chat, one));
	}
	return ids;
}

const char *telegram_call_text(const struct lb_telegram_call *call, bool plain)
{
	const char *text = call->text_field
				   ? lb_json_str(call->params, call->text_field)
				   : NULL;

	if (plain && call->plain)
		return call->plain;
	text = text ? text : lb_json_str(call->params, "text");
	return text ? text : "";
}

/* The parameters without markup. */
static json_t *plain_params(const struct lb_telegram_call *call)
{
	json_t *params = json_copy(call->params);

	json_object_del(params, "parse_mode");
	lb_json_set_str(params, call->text_field, call->plain,
			strlen(call->plain));
	return params;
}

json_t *telegram_edit_params(const struct lb_telegram_call *call, int64_t chat,
			     int64_t message, bool plain)
{
	static const char *const of_new[] = {"message_thread_id",
					     "reply_parameters",
					     "disable_notification",
					     "protect_content"};
	json_t *params = plain && call->plain ? plain_params(call)
					      : json_copy(call->params);

	for (size_t i = 0; i < sizeof(of_new) / sizeof(*of_new); i++)
		json_object_del(params, of_new[i]);
	json_object_set_new(params, "chat_id", json_integer(chat));
	json_object_set_new(params, "message_id", json_integer(message));
	return params;
}

static void *open_telegram(struct lb_bot *bot, struct lb_error *err)
{
	struct telegram *t = lb_alloc(sizeof(*t));

	t->bot = bot;
	t->moved = json_object();
	t->api = lb_telegram_api_open(lb_posts_of(bot->send)->http, bot->name,
				      bot->conf, err);
	if (t->api)
		return t;
	json_decref(t->moved);
	free(t);
	return NULL;
}

static void close_telegram(void *self)
{
	struct telegram *t = self;

	telegram_streams_close(t);
	lb_telegram_api_close(t->api);
	json_decref(t->moved);
	free(t);
}

/* A failed reply without words has those of lb-send. */
static json_t *chain_of(const struct lb_delivery *d)
{
	json_t *chain = json_object_get(d->record->json, "chain");
	lb_autobuf struct lb_buf words = {0};

	lb_chain_text(chain, &words);
	if (!d->failed || words.len > 0)
		return chain ? json_incref(chain) : json_array();
	return lb_json_pack("[{s:s,s:s}]", "type", "Plain", "text",
			    lb_buf_str(&d->text));
}

static int make_plan(void *self, struct lb_post *post, struct lb_error *err)
{
	struct telegram *t = self;
	struct plan *plan = lb_alloc(sizeof(*plan));
	json_auto_t *chain = chain_of(&post->d);

	plan->telegram = t;
	plan->post = post;
	post->plan = plan;
	if (lb_telegram_chat(post->d.record->json, &plan->chat, err) < 0)
		return -1;
	telegram_follow(t, &plan->chat);
	if (post->d.part == 1)
		telegram_stream_resume(t, post->d.record);
	post->chat = *plan->chat.name
			     ? lb_strdup(plan->chat.name)
			     : lb_printf("%lld", (long long)plan->chat.id);
	post->group = plan->chat.id <= 0;
	if (lb_telegram_render(chain, &plan->chat, &t->bot->limits,
			       &plan->calls, err) < 0)
		return -1;
	post->steps = plan->calls.n;
	return 0;
}

static struct stream *stream_of(const struct plan *plan)
{
	return telegram_stream(plan->telegram, plan->post->d.id);
}

static void forget_plan(void *self, struct lb_post *post)
{
	struct plan *plan = post->plan;
	struct stream *s;

	(void)self;
	if (!plan)
		return;
	s = post->d.id ? stream_of(plan) : NULL;
	if (s && s->post == post)
		s->post = NULL;
	lb_telegram_cancel(plan->ask);
	lb_timer_cancel(plan->telegram->bot->send->loop, &plan->soon);
	lb_telegram_calls_release(&plan->calls);
	free(plan);
	post->plan = NULL;
}

static struct lb_telegram_call *call_of(const struct plan *plan)
{
	return &plan->calls.at[json_array_size(plan->post->ids)];
}

static void on_soon(void *arg)
{
	lb_post_go(arg);
}

/* What shows the answer must be still, and an edit has its own pace. */
static bool ready(void *self, struct lb_post *post)
{
	struct plan *plan = post->plan;
	struct stream *s = stream_of(plan);
	const struct lb_telegram_call *call = call_of(plan);
	struct shown *m;

	(void)self;
	if (!s)
		return true;
	s->post = post;
	lb_timer_cancel(post->bot->send->loop, &s->timer);
	if (s->ask)
		return false;
	m = telegram_stream_next(s, call);
	post->light = m != NULL;
	if (!m || s->next <= lb_clock_mono() ||
	    strcmp(m->text, telegram_call_text(call, plan->plain)) == 0)
		return true;
	lb_timer_set(post->bot->send->loop, &plan->soon, s->next, on_soon,
		     post);
	return false;
}

static void step_done(struct plan *plan, const struct lb_answer *a,
		      json_t *take_id)
{
	struct lb_post *post = plan->post;
	struct stream *s = stream_of(plan);
	const char *text = telegram_call_text(call_of(plan), plan->plain);
	bool last = json_array_size(post->ids) + 1 == post->steps;

	if (s && plan->editing)
		telegram_stream_took(s, text);
	if (s && last && post->d.final)
		telegram_stream_trim(s);
	plan->plain = false;
	lb_post_answer(post, a, take_id);
}

/* Ask once more, in another way, after a refusal that says how. */
static bool second_try(struct plan *plan, const struct lb_answer *a)
{
	struct stream *s = stream_of(plan);
	const struct lb_telegram_call *call = call_of(plan);

	if (telegram_is_markup(a) && !plan->plain && call->plain) {
		plan->plain = true;
	} else if (plan->editing && telegram_is_gone(a)) {
		if (s)
			telegram_stream_lost(s, s->taken);
	} else if (a->migrate_to && !plan->moved && plan->chat.id) {
		plan->moved = true;
		telegram_note_move(plan->telegram, plan->chat.id,
				   a->migrate_to);
		plan->chat.id = a->migrate_to;
	} else {
		return false;
	}
	lb_post_again(plan->post);
	return true;
}

static void on_answer(void *arg, const struct lb_answer *a)
{
	struct plan *plan = arg;
	struct lb_answer good = {.outcome = LB_TRY_OK};

	plan->ask = NULL;
	if (plan->editing && telegram_is_unchanged(a))
		a = &good;
	if (a->outcome == LB_TRY_OK && plan->editing)
		step_done(plan, a, id_of(plan->chat.id, plan->editing));
	else if (a->outcome == LB_TRY_OK)
		step_done(plan, a, ids_of(plan->chat.id, a->result));
	else if (!second_try(plan, a))
		lb_post_answer(plan->post, a, NULL);
}

/* What it is to become is there already. */
static void on_same(void *arg)
{
	struct plan *plan = arg;
	const struct lb_answer good = {.outcome = LB_TRY_OK};

	step_done(plan, &good, id_of(plan->chat.id, plan->editing));
}

static json_t *send_params(const struct plan *plan,
			   const struct lb_telegram_call *call)
{
	json_t *params =
		plan->plain ? plain_params(call) : json_copy(call->params);

	json_object_set_new(params, "chat_id",
			    lb_telegram_chat_id(&plan->chat));
	return params;
}

static int ask(void *self, struct lb_post *post, struct lb_error *err)
{
	struct telegram *t = self;
	struct plan *plan = post->plan;
	struct stream *s = stream_of(plan);
	const struct lb_telegram_call *call = call_of(plan);
	const struct shown *m = s ? telegram_stream_next(s, call) : NULL;
	lb_autofree struct lb_multipart_file *files = NULL;
	json_auto_t *params = NULL;

	plan->editing = m ? m->id : 0;
	if (m && strcmp(m->text, telegram_call_text(call, plan->plain)) == 0) {
		lb_timer_set(post->bot->send->loop, &plan->soon, 0, on_same,
			     plan);
		return 0;
	}
	params = m ? telegram_edit_params(call, plan->chat.id, m->id,
					  plan->plain)
		   : send_params(plan, call);
	if (!m && telegram_files_open(t, call, &files, err) < 0)
		return -1;
	plan->ask = lb_telegram_ask(t->api,
				    &(struct lb_telegram_request){
					    .method = m ? "editMessageText"
							: call->method,
					    .params = params,
					    .files = files,
					    .n_files = m ? 0 : call->n_uploads,
					    .safe = m != NULL,
				    },
				    on_answer, plan, err);
	return plan->ask ? 0 : -1;
}

static void ended(void *self, const char *id)
{
	telegram_stream_end(self, id);
}

static void paused(void *self, const char *id)
{
	telegram_stream_pause(self, id);
}

static int is_target(const char *target, struct lb_error *err)
{
	struct lb_telegram_chat chat;

	return lb_telegram_target(target, &chat, err);
}

static const struct lb_network network = {
	.open = open_telegram,
	.close = close_telegram,
	.plan = make_plan,
	.ready = ready,
	.ask = ask,
	.release = forget_plan,
	.chunk = telegram_chunk,
	.ended = ended,
	.paused = paused,
};

const struct lb_sink lb_sink_telegram = {
	.name = "telegram",
	.about = "a bot of Telegram",
	.target = is_target,
	.network = &network,
};
