/* local - the runner `local-agent`: prompt, history, the user, one model. */
#include <string.h>

#include "agent/turn.h"
#include "base/json.h"
#include "store/conversation.h"

/* The pipeline's model: "a/b", or {"primary": "a/b"}. */
static const char *model_of(const json_t *pipeline)
{
	const json_t *model = lb_json_path(pipeline, "ai.local-agent.model");

	if (json_is_object(model))
		model = json_object_get(model, "primary");
	return json_string_value(model);
}

/* A model is opened once and kept. */
static const struct lb_model *find_model(struct agent *a, const char *spec,
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

static int add_history(struct turn *t, int64_t max_round, struct lb_error *err)
{
	struct agent *a = agent_of_session(t->session);
	json_auto_t *history = NULL;
	int64_t conversation = lb_conversation_find(a->store, t->session->name,
						    t->pipeline, err);

	if (conversation <= 0 || max_round == 0)
		return (int)(conversation < 0 ? -1 : 0);
	history = lb_conversation_load(a->store, conversation, max_round, -1,
				       err);
	if (!history)
		return -1;
	json_array_extend(t->messages, history);
	return 0;
}

int runner_local_start(struct turn *t, struct lb_error *err)
{
	struct agent *a = agent_of_session(t->session);
	const json_t *query = t->query->json;
	const json_t *pipeline =
		lb_config_pipeline(a->options->config, t->pipeline);
	const json_t *prompt = json_object_get(query, "prompt");
	const char *spec = a->options->model;
	int64_t max_round = 10;

	if (!spec)
		spec = model_of(pipeline);
	t->model = find_model(a, spec, err);
	if (!t->model)
		return -1;
	lb_json_int(lb_json_path(pipeline, "ai.local-agent"), "max-round",
		    &max_round);
	t->messages =
		json_is_array(prompt) ? json_deep_copy(prompt) : json_array();
	if (add_history(t, max_round, err) < 0)
		return -1;
	json_array_append(t->messages, json_object_get(query, "user"));
	t->rounds = 1;
	t->call = lb_llm_start(a->llm, t->model,
			       &(struct lb_llm_request){
				       .messages = t->messages,
				       .stream = t->stream,
			       },
			       turn_event, t, err);
	return t->call ? 0 : -1;
}
