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
	turn_be_still(t);
	calls_release(t);
	toolset_release(&t->tools);
	tally_release(&t->tally);
	attach_release(t);
	preload_release(t);
	json_decref(t->messages);
	json_decref(t->made);
	json_decref(t->calls);
	json_decref(t->passed);
	json_decref(t->shown);
	json_decref(t->specs);
	json_decref(t->keep);
	json_decref(t->repeats);
	active_release(&t->active);
	lb_buf_release(&t->prefix);
	lb_buf_release(&t->text);
	lb_buf_release(&t->said);
	free(t);
}

void turn_cancel(struct turn *t)
{
	turn_free(t);
}

void turn_close(struct turn *t)
{
	t->session->work = NULL;
	agent_of(t)->in_flight--;
	turn_free(t);
}

/* The user's message and what was answered, as a turn of the history. */
static int remember(struct turn *t, bool complete, struct lb_error *err)
{
	struct agent *a = agent_of(t);
	json_auto_t *messages = json_array();
	const json_t *m;
	size_t i;
	/* Anew: it may have been reset, or its making rolled back. */
	int64_t conversation =
		lb_conversation_use(a->store, t->conversation, t->bot,
				    t->pipeline, lb_clock_now(), err);

	if (conversation < 0)
		return -1;
	json_array_append_new(messages, local_without_data(attach_user(t)));
	json_array_foreach(t->made, i, m)
		json_array_append_new(messages, local_without_data(m));
	if (active_keep(t, conversation, err) < 0)
		return -1;
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

/* The files of the answer are there, as far as they can be had. */
static void collected(struct turn *t)
{
	answered(t);
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

void turn_answered(struct turn *t)
{
	turn_be_still(t);
	if (!attach_collect(t, collected))
		answered(t);
}

/*
 * The end of a turn that was cut off: a model that goes on from there wants an
 * answer behind the last result.
 */
static void put_cut(struct turn *t)
{
	const json_t *last;

	calls_gather(t);
	json_decref(t->calls); /* those that were not begun */
	t->calls = NULL;
	turn_put_message(t);
	last = json_array_get(t->made, json_array_size(t->made) - 1);
	if (json_object_get(last, "tool_call_id"))
		json_array_append_new(t->made,
				      lb_json_pack("{s:s, s:s}", "role",
						   "assistant", "content",
						   "(The answer was cut off "
						   "here.)"));
}

void turn_failed(struct turn *t, enum lb_code code, const char *why)
{
	const struct lb_subject of = lb_record_subject(t->query);
	size_t at = pending(t)->len;
	struct lb_error err;

	turn_be_still(t);
	put_cut(t);

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

struct turn *turn_open(struct lb_lane *s, int attempt)
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
	t->made = json_array();
	s->work = t;
	agent_of(t)->in_flight++;
	return t;
}

struct asker turn_asker(const struct turn *t)
{
	return (struct asker){t->query->json, t->pipeline, t->bot,
			      t->session->name, t->active.names};
}

/* Ask the runner. A failure here is the user's to hear of. */
static void ask(struct turn *t)
{
	const struct lb_subject of = lb_record_subject(t->query);
	const char *name = lb_json_str(t->query->json, "runner");
	struct lb_error err;

	turn_begin_chunks(t);
	t->runner = runner_find(name ? name : "local-agent");
	if (!t->runner)
		lb_fail(&err, LB_CONFIG, "runner '%s' is not in this version",
			name);
	lb_log(LB_INFO, &of, "started");
	if (!t->runner || t->runner->start(t, &err) < 0) {
		lb_complain("%s", err.text);
		turn_failed(t, lb_code_of(&err), err.text);
	}
}

int turn_start(struct lb_lane *s, struct lb_error *err)
{
	struct agent *a = agent_of_session(s);
	const char *id = lb_json_str(s->first->record.json, "id");
	lb_autofree char *stored = NULL;
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
		command_start(s, attempt);
		return 0;
	}
	ask(turn_open(s, attempt));
	return 0;
}
