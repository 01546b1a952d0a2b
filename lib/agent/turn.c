#include "agent/turn.h"

#include <stdlib.h>
#include <string.h>

#include "agent/command.h"
#include "agent/local.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/answer.h"
#include "store/conversation.h"

/* An answer longer than this is no answer for a chat. */
enum { MAX_TEXT = 4 << 20 };

/* What a reply says beside its text and the query's members, bytes. */
enum { REPLY_KEYS = 4096 };

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

static struct lb_buf *pending(const struct turn *t)
{
	return &agent_of(t)->pending;
}

static void turn_free(struct turn *t)
{
	json_decref(t->messages);
	lb_buf_release(&t->prefix);
	lb_buf_release(&t->text);
	free(t);
}

void turn_cancel(struct turn *t)
{
	if (t->call)
		lb_llm_cancel(t->call);
	turn_free(t);
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

static void put_chunk(struct turn *t, const char *text, size_t len,
		      const char *reasoning, size_t reasoning_len)
{
	struct lb_buf *b = pending(t);

	lb_buf_put(b, t->prefix.data, t->prefix.len);
	lb_put_int(b, "seq", t->seq++);
	lb_put_strn(b, "text", text, len);
	if (reasoning_len > 0)
		lb_put_strn(b, "reasoning", reasoning, reasoning_len);
	lb_put_end(b);
}

/* The user's message and what was answered, as a turn of the history. */
static int remember(struct turn *t, bool complete, struct lb_error *err)
{
	struct agent *a = agent_of(t);
	json_auto_t *messages = json_array();
	/* Anew: it may have been reset, or its making rolled back. */
	int64_t conversation =
		lb_conversation_use(a->store, t->conversation, t->bot,
				    t->pipeline, lb_clock_now(), err);

	if (conversation < 0)
		return -1;
	json_array_append_new(messages,
			      local_without_data(
				      json_object_get(t->query->json, "user")));
	json_array_append_new(messages,
			      lb_json_pack("{s:s, s:o}", "role", "assistant",
					   "content",
					   lb_json_text(lb_buf_str(&t->text),
							t->text.len)));
	return lb_conversation_append(
		a->store, conversation,
		&(struct lb_turn){
			.of = t->id,
			.sender = lb_json_str(t->query->json, "sender_id"),
			.messages = messages,
			.complete = complete,
			.input = t->usage.input > 0 ? t->usage.input : 0,
			.output = t->usage.output > 0 ? t->usage.output : 0,
			.time = lb_clock_now(),
		},
		err);
}

/* Store the turn and its answer, then let the reply out. */
static int keep(struct turn *t, const struct lb_buf *reply,
		struct lb_error *err)
{
	struct agent *a = agent_of(t);

	if (lb_store_begin(a->store, err) < 0 || remember(t, true, err) < 0)
		return -1;
	return lb_answer_save(a->store, t->session->name, t->id, lb_clock_now(),
			      reply->data, reply->len - 1, err);
}

/* The end: the reply stands in agent->pending from `at`. */
static void finish(struct turn *t, size_t at)
{
	struct lb_lane *s = t->session;

	turn_spend(t);
	turn_free(t);
	engine_finished(s, at);
}

static void answered(void *turn);

/*
 * Another process has the store: what was answered is not given up for that,
 * the model would be asked twice. Only while nothing of it is stored yet.
 */
static bool keep_later(struct turn *t, const struct lb_error *err)
{
	struct lb_lane *s = t->session;
	struct agent *a = agent_of(t);

	if (err->code != LB_AGAIN || lb_store_is_open(a->store) ||
	    s->tries++ >= MAX_TRIES)
		return false;
	lb_timer_set(a->loop, &s->timer, lb_clock_mono() + RETRY_MS, answered,
		     t);
	return true;
}

static void answered(void *arg)
{
	struct turn *t = arg;
	const struct lb_subject of = lb_record_subject(t->query);
	struct lb_buf *b = pending(t);
	size_t at = b->len;
	lb_autobuf struct lb_buf reply = {0};
	struct lb_error err;

	turn_put_reply(t, &reply);
	if (reply.len > agent_of(t)->options->max_line) {
		turn_put_failed(t, LB_CODE_LIMIT, "the answer is too long");
	} else {
		bool kept = keep(t, &reply, &err) == 0;

		if (!kept && keep_later(t, &err))
			return;
		if (!kept)
			engine_store_failed(agent_of(t), &err);
		lb_buf_put(b, reply.data, reply.len);
		lb_log(LB_INFO, &of, "answered by %s", t->model->label);
	}
	finish(t, at);
}

static void failed(struct turn *t, enum lb_code code, const char *why)
{
	const struct lb_subject of = lb_record_subject(t->query);
	size_t at = pending(t)->len;
	struct lb_error err;

	lb_log(LB_INFO, &of, "failed: %s: %s", lb_code_name(code), why);
	turn_put_failed(t, code, why);
	/* What the user has read is part of the conversation. */
	if (t->stream && t->text.len > 0 &&
	    (lb_store_begin(agent_of(t)->store, &err) < 0 ||
	     remember(t, false, &err) < 0))
		lb_log(LB_WARNING, &of, "the cut turn is not stored: %s",
		       err.text);
	finish(t, at);
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

static void on_text(struct turn *t, const struct lb_llm_event *e)
{
	size_t twice = 2 * json_size(e->text, e->len); /* chain and text */

	t->too_long |= t->text.len + e->len > MAX_TEXT || twice > t->room;
	if (t->too_long)
		return;
	t->room -= twice;
	lb_buf_put(&t->text, e->text, e->len);
	if (t->stream)
		put_chunk(t, e->text, e->len, NULL, 0);
}

static void shorten(void *arg)
{
	struct turn *t = arg;
	struct lb_error err;

	if (runner_local_shorten(t, &err) < 0)
		failed(t, lb_code_of(&err), err.text);
}

void turn_event(void *arg, const struct lb_llm_event *e)
{
	struct turn *t = arg;

	switch (e->kind) {
	case LB_LLM_TEXT:
		on_text(t, e);
		break;
	case LB_LLM_REASONING:
		if (t->stream && json_size(e->text, e->len) <= t->room)
			put_chunk(t, "", 0, e->text, e->len);
		break;
	case LB_LLM_USAGE:
		t->usage = e->usage;
		break;
	case LB_LLM_TOOL_CALL:
	case LB_LLM_KEEP:
		break; /* none was offered; the text is the answer */
	case LB_LLM_END:
		t->call = NULL;
		if (t->too_long)
			failed(t, LB_CODE_LIMIT, "the answer is too long");
		else
			answered(t);
		break;
	case LB_LLM_FAILED:
		t->call = NULL;
		if (e->code == LB_CODE_CONTEXT_LENGTH && t->text.len == 0 &&
		    t->history > 0)
			/* not from inside the client that called us */
			lb_timer_set(agent_of(t)->loop, &t->session->timer,
				     lb_clock_mono(), shorten, t);
		else
			failed(t, e->code, e->message);
		break;
	}
}

/* Answered before: the stored reply goes out again. */
static void replay(struct lb_lane *s, const char *reply)
{
	struct agent *a = agent_of_session(s);
	struct lb_record r = {0};
	struct lb_error err;
	size_t at = a->pending.len;

	if (lb_record_parse(&r, reply, strlen(reply), &err) == 0) {
		const struct lb_subject of = lb_record_subject(&r);

		lb_splice(&a->pending, &r, "reply",
			  (const char *const[]){"replayed", NULL});
		lb_put_bool(&a->pending, "replayed", true);
		lb_put_end(&a->pending);
		turn_fit_reply(a, at, &s->first->record);
		lb_log(LB_INFO, &of, "answered from the store");
	} else {
		const struct lb_problem p = {"lb-agent", LB_CODE_INTERNAL,
					     "the stored answer is damaged",
					     false, -1};

		lb_put_error(&a->pending, &s->first->record, &p);
	}
	lb_record_release(&r);
	a->in_flight++;
	engine_finished(s, at);
}

static struct turn *turn_open(struct lb_lane *s, int attempt)
{
	struct turn *t = lb_alloc(sizeof(*t));
	const json_t *query = s->first->record.json;

	t->session = s;
	t->query = &s->first->record;
	t->id = lb_json_str(query, "id");
	t->conversation = turn_conversation(s, query);
	t->pipeline = lb_json_str(query, "pipeline");
	if (!t->pipeline)
		t->pipeline = "default";
	t->bot = lb_json_str(query, "bot");
	if (!t->bot)
		t->bot = "-";
	t->stream = agent_of_session(s)->options->stream ||
		    lb_json_bool(query, "stream", false);
	t->attempt = attempt;
	t->usage = (struct lb_usage){-1, -1, -1};
	return t;
}

/* Ask the runner. A failure here is the user's to hear of. */
static void ask(struct turn *t)
{
	const struct lb_subject of = lb_record_subject(t->query);
	const char *name = lb_json_str(t->query->json, "runner");
	struct lb_error err;

	make_prefix(t);
	count_room(t);
	put_chunk(t, "", 0, NULL, 0); /* seq 0: the typing signal */
	t->runner = runner_find(name ? name : "local-agent");
	if (!t->runner)
		lb_fail(&err, LB_CONFIG, "runner '%s' is not in this version",
			name);
	lb_log(LB_INFO, &of, "started");
	if (!t->runner || t->runner->start(t, &err) < 0) {
		lb_complain("%s", err.text);
		failed(t, lb_code_of(&err), err.text);
	}
}

int turn_start(struct lb_lane *s, struct lb_error *err)
{
	struct agent *a = agent_of_session(s);
	const char *id = lb_json_str(s->first->record.json, "id");
	lb_autofree char *stored = NULL;
	struct turn *t;
	int attempt = 1, got;

	if (lb_store_begin(a->store, err) < 0)
		return -1;
	got = lb_answer_begin(a->store, s->name, id, lb_clock_now(), &stored,
			      &attempt, err);
	if (got < 0)
		return -1;
	if (got > 0) {
		replay(s, stored);
		return 0;
	}
	if (turn_end_idle(s, err) < 0)
		return -1;
	if (json_is_object(json_object_get(s->first->record.json, "command"))) {
		command_run(s);
		return 0;
	}
	t = turn_open(s, attempt);
	s->work = t;
	a->in_flight++;
	ask(t);
	return 0;
}
