/* models.c - which models answer: the one that is chosen, and those after it. */
#include "agent/local.h"
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

int local_models(struct agent *a, const char *session, const char *pipeline,
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
