#include "agent/command.h"

#include <string.h>

#include "agent/turn.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "config/notice.h"
#include "record/record.h"
#include "store/answer.h"

static const struct command commands[] = {
	{"del", command_del},       {"last", command_last},
	{"list", command_list},     {"model", command_model},
	{"new", command_new},       {"next", command_next},
	{"prompt", command_prompt}, {"reset", command_reset},
	{"skills", command_skills}, {"switch", command_switch},
	{"tools", command_tools},   {"undo", command_undo},
	{"usage", command_usage},   {NULL, NULL},
};

const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; name && c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static void take_args(struct order *o, const json_t *command)
{
	const json_t *args = json_object_get(command, "args");
	size_t n = sizeof(o->args) / sizeof(o->args[0]) - 1;

	for (size_t i = 0; i < n; i++)
		o->args[i] = json_string_value(json_array_get(args, i));
}

static int run(struct order *o, const char *id, struct lb_buf *reply,
	       const struct lb_record *query, struct lb_error *err)
{
	const json_t *command = json_object_get(o->query, "command");
	const char *name = lb_json_str(command, "name");
	const struct command *c = command_find(name);

	take_args(o, command);
	if (!c)
		say(o, "command-unknown", "name", name ? name : "", NULL);
	else if (c->run(o, err) < 0)
		return -1;
	turn_put_said(reply, query, &o->said);
	if (reply->len > o->agent->options->max_line)
		return 0; /* turn_fit_reply() makes an error of it */
	return lb_answer_save(o->agent->store, o->session, id, lb_clock_now(),
			      reply->data, reply->len - 1, err);
}

static void run_first(struct lb_lane *s)
{
	struct agent *a = agent_of_session(s);
	const struct lb_record *query = &s->first->record;
	const struct lb_subject of = lb_record_subject(query);
	const char *pipeline = lb_json_str(query->json, "pipeline");
	const char *bot = lb_json_str(query->json, "bot");
	struct order o = {
		.agent = a,
		.query = query->json,
		.session = s->name,
		.conversation = turn_conversation(s, query->json),
		.bot = bot ? bot : "-",
		.pipeline = pipeline ? pipeline : "default",
	};
	lb_autobuf struct lb_buf reply = {0};
	size_t at = a->pending.len;
	struct lb_error err;

	/* What failed here takes the whole transaction with it. */
	if (run(&o, lb_json_str(query->json, "id"), &reply, query, &err) < 0) {
		lb_buf_reset(&reply);
		turn_put_said(&reply, query, &o.said);
		engine_store_failed(a, &err);
	}
	lb_buf_put(&a->pending, reply.data, reply.len);
	turn_fit_reply(a, at, query);
	lb_log(LB_INFO, &of, "command '%.32s'",
	       lb_json_str(json_object_get(o.query, "command"), "name"));
	lb_buf_release(&o.said);
	a->in_flight++;
	engine_finished(s, at);
}

/* What it waited for is there; the store may be another's just now. */
static void listed(void *arg)
{
	struct turn *t = arg;
	struct lb_lane *s = t->session;
	struct agent *a = agent_of_session(s);
	struct lb_error err;

	t->listing = NULL;
	if (lb_store_begin(a->store, &err) < 0) {
		const struct lb_problem p = {"lb-agent", LB_CODE_IO, err.text,
					     true, -1};

		if (err.code == LB_AGAIN && s->tries++ < MAX_TRIES) {
			lb_timer_set(a->loop, &t->step,
				     lb_clock_mono() + RETRY_MS, listed, t);
			return;
		}
		turn_close(t);
		engine_refuse(s, &p);
		lb_lane_ready(s);
		return;
	}
	turn_close(t);
	run_first(s);
}

void command_start(struct lb_lane *s, int attempt)
{
	const char *name =
		lb_json_str(json_object_get(s->first->record.json, "command"),
			    "name");
	struct turn *t;
	struct asker who;

	if (!name ||
	    (strcmp(name, "tools") != 0 && strcmp(name, "skills") != 0)) {
		run_first(s);
		return;
	}
	t = turn_open(s, attempt);
	who = turn_asker(t);
	t->listing = listing_start(agent_of_session(s), &who, listed, t);
	if (t->listing)
		return;
	turn_close(t);
	run_first(s);
}
