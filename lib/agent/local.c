/* local - the runner `local-agent`: prompt, history, the user, one model. */
#include "agent/local.h"

#include <string.h>

#include "agent/turn.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/conversation.h"

static json_t *load(struct agent *a, const char *session, const char *pipeline,
		    int64_t most_turns, struct lb_error *err)
{
	const json_t *config =
		lb_json_path(lb_config_pipeline(a->options->config, pipeline),
			     "ai.local-agent");
	int64_t turns = 10, tokens = -1, id;

	lb_json_int(config, "max-round", &turns);
	lb_json_int(config, "max-history-tokens", &tokens);
	if (turns > most_turns)
		turns = most_turns;
	id = lb_conversation_find(a->store, session, pipeline, err);
	if (id < 0)
		return NULL;
	if (id == 0 || turns == 0)
		return json_array();
	return lb_conversation_load(a->store, id, turns,
				    tokens > 0 ? tokens : -1, err);
}

json_t *local_history(struct agent *a, const char *session,
		      const char *pipeline, struct lb_error *err)
{
	return load(a, session, pipeline, INT64_MAX, err);
}

static int64_t turns_in(const json_t *history)
{
	const json_t *m;
	int64_t n = 0;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)history, i, m)
	{
		const char *role = lb_json_str(m, "role");

		n += role && strcmp(role, "user") == 0;
	}
	return n;
}

/* Prompt, at most that many turns of history, the user. */
static int gather(struct turn *t, int64_t most_turns, struct lb_error *err)
{
	struct agent *a = agent_of_session(t->session);
	const json_t *query = t->query->json;
	const json_t *prompt = json_object_get(query, "prompt");
	json_auto_t *history =
		load(a, t->conversation, t->pipeline, most_turns, err);
	json_auto_t *all = NULL;
	json_t *user;

	if (!history)
		return -1;
	t->history = turns_in(history);
	all = json_is_array(prompt) ? json_copy((json_t *)(uintptr_t)prompt)
				    : json_array();
	if (toolset_find(&t->tools, "exec"))
		json_array_append_new(all,
				      local_guidance(t->attach.key != NULL));
	toolset_prompts(&t->tools, all);
	active_put(t, history, all);
	json_array_extend(all, history);
	user = attach_shown(t);
	preload_put(t, user);
	json_array_append_new(all, user);
	json_decref(t->messages);
	t->messages = json_incref(all);
	return 0;
}

/* What the model may call; NULL: nothing. New. */
static json_t *specs_of(const struct turn *t)
{
	json_t *specs;

	if (t->tools.n == 0)
		return NULL;
	specs = toolset_specs(&t->tools);
	if (result_was_cut(t))
		json_array_append_new(specs, result_read_spec());
	return specs;
}

/* How much that model is to think; NULL: as it likes. */
static const char *reasoning_of(const struct turn *t,
				const struct lb_model *model)
{
	struct agent *a = agent_of_session(t->session);
	const json_t *levels =
		lb_json_path(lb_config_pipeline(a->options->config,
						t->pipeline),
			     "ai.local-agent.model.reasoning");

	return lb_json_str(levels, model->label);
}

static void show_nothing(struct turn *t)
{
	json_decref(t->shown);
	json_decref(t->specs);
	t->shown = t->specs = NULL;
}

/* The question and what came of it so far; new. */
static json_t *everything(const struct turn *t)
{
	json_t *all = json_copy(t->messages);

	json_array_extend(all, t->made);
	return all;
}

/* The same for each, but for what it can see. */
static int request_for(void *arg, const struct lb_model *model,
		       struct lb_llm_request *request, struct lb_error *err)
{
	struct turn *t = arg;
	json_auto_t *all = everything(t), *plain = NULL;

	(void)err;
	if (t->plain)
		plain = local_plain(all);
	show_nothing(t);
	t->shown = local_pictures(agent_of_session(t->session), model,
				  plain ? plain : all);
	t->specs = specs_of(t);
	*request = (struct lb_llm_request){
		.messages = t->shown,
		.tools = t->specs,
		.reasoning = reasoning_of(t, model),
		.stream = t->stream,
	};
	return 0;
}

static int start(struct turn *t, struct lb_error *err)
{
	struct agent *a = agent_of_session(t->session);

	t->asked = lb_failover_start(
		&(struct lb_failover_plan){
			.loop = a->loop,
			.llm = a->llm,
			.models = t->models,
			.n = t->n_models,
			.memo = engine_memo(a),
			.bounds = a->bounds,
			.request = request_for,
			.event = turn_event,
			.arg = t,
		},
		err);
	show_nothing(t);
	return t->asked ? 0 : -1;
}

bool runner_local_may_simplify(const struct turn *t)
{
	json_auto_t *all = everything(t);

	return !t->plain && local_is_risky(all);
}

int runner_local_simplify(struct turn *t, struct lb_error *err)
{
	const struct lb_subject of = lb_record_subject(t->query);

	lb_log(LB_WARNING, &of,
	       "refused by %s: asked again without what providers wanted to "
	       "be kept",
	       t->model->label);
	t->plain = true;
	return start(t, err);
}

int runner_local_ask(struct turn *t, struct lb_error *err)
{
	if (start(t, err) == 0)
		return 0;
	/* more than it takes, which is known before it is sent */
	if (err->code != LB_USAGE || !runner_local_may_simplify(t))
		return -1;
	return runner_local_simplify(t, err);
}

/* Each of them once, however many rounds there are. */
static void add_passed(struct turn *t, const json_t *more)
{
	json_t *one, *known;
	size_t i, k;

	json_array_foreach((json_t *)(uintptr_t)more, i, one)
	{
		bool is_new = true;

		json_array_foreach(t->passed, k, known)
		{
			is_new = is_new &&
				 strcmp(lb_json_str(known, "model"),
					lb_json_str(one, "model")) != 0;
		}
		if (!t->passed)
			t->passed = json_array();
		if (is_new)
			json_array_append(t->passed, one);
	}
}

void runner_local_answered(struct turn *t, const struct lb_llm_event *e)
{
	size_t at = 0;

	t->asked = NULL;
	show_nothing(t);
	while (at < t->n_models && t->models[at] != e->model)
		at++;
	if (at < t->n_models) {
		struct lb_model *m = t->models[at];

		memmove(t->models + 1, t->models, at * sizeof(m));
		t->models[0] = m;
		t->model = m;
	}
	add_passed(t, e->passed);
}

static int ask(struct turn *t, int64_t most_turns, struct lb_error *err)
{
	return gather(t, most_turns, err) < 0 ? -1 : runner_local_ask(t, err);
}

/* All that has to be known first is, as far as it can be. */
static void ask_at_last(struct turn *t)
{
	struct lb_error err;

	if (ask(t, INT64_MAX, &err) < 0)
		turn_failed(t, lb_code_of(&err), err.text);
}

static void after_skills(struct turn *t)
{
	if (!preload_start(t, ask_at_last))
		ask_at_last(t);
}

static void after_files(struct turn *t)
{
	if (!active_start(t, after_skills))
		after_skills(t);
}

/* What providers offer is known now. */
static void listed(void *arg)
{
	struct turn *t = arg;
	struct agent *a = agent_of_session(t->session);
	const struct asker who = turn_asker(t);

	t->listing = NULL;
	toolset_fill(&t->tools, a, &who);
	if (!attach_in(t, after_files))
		after_files(t);
}

int runner_local_start(struct turn *t, struct lb_error *err)
{
	struct agent *a = agent_of_session(t->session);
	struct asker who;
	int n;

	n = local_models(a, t->conversation, t->pipeline, t->models, err);
	if (n < 0 || active_load(t, err) < 0)
		return -1;
	who = turn_asker(t);
	t->n_models = (size_t)n;
	t->model = t->models[0];
	t->rounds = 1;
	turn_begin_clock(t);
	t->listing = listing_start(a, &who, listed, t);
	if (t->listing)
		return 0;
	toolset_fill(&t->tools, a, &who);
	if (attach_in(t, after_files) || active_start(t, after_skills) ||
	    preload_start(t, ask_at_last))
		return 0;
	return ask(t, INT64_MAX, err);
}

int runner_local_shorten(struct turn *t, struct lb_error *err)
{
	const struct lb_subject of = lb_record_subject(t->query);

	lb_log(LB_WARNING, &of,
	       "too long for %s: asked again with half of the history",
	       t->model->label);
	return ask(t, t->history / 2, err);
}
