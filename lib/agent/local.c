/* local - the runner `local-agent`: prompt, history, the user, one model. */
#include "agent/local.h"

#include <string.h>

#include "agent/turn.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/conversation.h"

/* The pipeline's model: "a/b", or {"primary": "a/b"}. */
static const char *model_of(const json_t *pipeline)
{
	const json_t *model = lb_json_path(pipeline, "ai.local-agent.model");

	if (json_is_object(model))
		model = json_object_get(model, "primary");
	return json_string_value(model);
}

struct lb_model *local_find_model(struct agent *a, const char *spec,
				  struct lb_error *err)
{
	const char *key = spec ? spec : "";
	struct lb_model *model = lb_map_find(&a->models, key);

	if (model)
		return model;
	model = lb_model_open(a->options->config, spec, err);
	if (model)
		lb_map_add(&a->models, key, model);
	return model;
}

/* What the conversation asks for; NULL: nothing, or nothing there is. */
static struct lb_model *chosen(struct agent *a, const char *session,
			       const char *pipeline)
{
	lb_autofree char *spec = NULL;
	struct lb_model *model = NULL;
	struct lb_error err;
	int64_t id = lb_conversation_find(a->store, session, pipeline, &err);

	if (id < 0 ||
	    (id > 0 && lb_conversation_model(a->store, id, &spec, &err) < 0) ||
	    (spec && !(model = local_find_model(a, spec, &err))))
		lb_warn("the usual model answers '%s': %s", session, err.text);
	return model;
}

struct lb_model *local_model(struct agent *a, const char *session,
			     const char *pipeline, struct lb_error *err)
{
	const json_t *config = lb_config_pipeline(a->options->config, pipeline);
	struct lb_model *model = NULL;

	if (a->options->model)
		return local_find_model(a, a->options->model, err);
	model = chosen(a, session, pipeline);
	return model ? model : local_find_model(a, model_of(config), err);
}

/* The pipeline's, else, where its model is the usual one, the usual ones. */
static const json_t *fallbacks_of(struct agent *a, const json_t *pipeline)
{
	const json_t *own =
		lb_json_path(pipeline, "ai.local-agent.model.fallbacks");
	const char *primary = model_of(pipeline);

	if (json_array_size(own) > 0 || (primary && *primary))
		return own;
	return lb_config_get(a->options->config, "llm.fallbacks");
}

/* NULL: it cannot be had, which is said once. */
static struct lb_model *fallback(struct agent *a, const char *spec)
{
	struct lb_error err;
	struct lb_model *m = local_find_model(a, spec, &err);

	if (!m && !lb_map_find(&a->left_out, spec)) {
		lb_warn("fallback '%s' is left out: %s", spec, err.text);
		lb_map_add(&a->left_out, spec, a);
	}
	return m;
}

/*
 * That one, and those that are asked in turn when it cannot answer; how many,
 * at most LB_FAILOVER_MODELS. -1: it cannot be had.
 */
static int models_of(struct agent *a, const char *session, const char *pipeline,
		     struct lb_model **models, struct lb_error *err)
{
	const json_t *one,
		*all = fallbacks_of(a, lb_config_pipeline(a->options->config,
							  pipeline));
	int n = 1;
	size_t i;

	models[0] = local_model(a, session, pipeline, err);
	if (!models[0])
		return -1;
	if (a->options->model)
		return n;
	json_array_foreach((json_t *)(uintptr_t)all, i, one)
	{
		struct lb_model *m = fallback(a, json_string_value(one));

		for (int k = 0; k < n; k++)
			if (m == models[k])
				m = NULL;
		if (m && n < LB_FAILOVER_MODELS)
			models[n++] = m;
	}
	return n;
}

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

	if (!history)
		return -1;
	t->history = turns_in(history);
	all = json_is_array(prompt) ? json_copy((json_t *)(uintptr_t)prompt)
				    : json_array();
	if (toolset_find(&t->tools, "exec"))
		json_array_append_new(all,
				      local_guidance(t->attach.key != NULL));
	json_array_extend(all, history);
	json_array_append_new(all, attach_shown(t));
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

void runner_local_go(struct turn *t)
{
	struct lb_error err;

	if (ask(t, INT64_MAX, &err) < 0)
		turn_failed(t, lb_code_of(&err), err.text);
}

/* What providers offer is known now, as far as it can be. */
static void listed(void *arg)
{
	struct turn *t = arg;
	struct agent *a = agent_of_session(t->session);
	const struct asker who = turn_asker(t);

	t->listing = NULL;
	toolset_fill(&t->tools, a, &who);
	if (!attach_in(t, runner_local_go))
		runner_local_go(t);
}

int runner_local_start(struct turn *t, struct lb_error *err)
{
	struct agent *a = agent_of_session(t->session);
	const struct asker who = turn_asker(t);
	int n;

	n = models_of(a, t->conversation, t->pipeline, t->models, err);
	if (n < 0)
		return -1;
	t->n_models = (size_t)n;
	t->model = t->models[0];
	t->rounds = 1;
	turn_begin_clock(t);
	t->listing = listing_start(a, &who, listed, t);
	if (t->listing)
		return 0;
	toolset_fill(&t->tools, a, &who);
	if (attach_in(t, runner_local_go))
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
