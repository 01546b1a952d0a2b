/* spend.c - what a turn used counts in the limits of its pipeline. */
#include <math.h>
#include <string.h>

#include "agent/turn.h"
#include "base/clock.h"
#include "base/json.h"
#include "pipeline/spend.h"

int64_t turn_cost(const struct turn *t)
{
	return llround(t->usage.cost * 1e6);
}

/* Does something of the pipeline go by what an answer costs? */
static bool cost_is_limited(const json_t *pipeline)
{
	json_t *windows = NULL, *window;
	double most = json_number_value(
		lb_json_path(pipeline, "ai.local-agent.limits.cost"));
	size_t i;

	if (most > 0)
		return true;
	windows = lb_json_path(pipeline, "safety.rate-limit.windows");
	json_array_foreach(windows, i, window)
	{
		const char *count = lb_json_str(window, "count");

		if (count && strcmp(count, "cost") == 0)
			return true;
	}
	return false;
}

/* A limit that cannot hold must not look as if it did. */
static void warn_of_no_price(struct turn *t)
{
	struct agent *a = agent_of_session(t->session);

	if (!t->usage.priced &&
	    cost_is_limited(
		    lb_config_pipeline(a->options->config, t->pipeline)))
		agent_complain_once(a, "the price of model", t->model->label,
				    "is not known, so no limit of cost holds "
				    "for it: set llm.prices");
}

void turn_spend(struct turn *t)
{
	const struct lb_agent_options *o =
		agent_of_session(t->session)->options;
	struct agent *a = agent_of_session(t->session);
	const json_t *query = t->query->json;
	const char *type = lb_json_str(query, "launcher_type");
	const struct lb_whose of = {
		.pipeline = t->pipeline,
		.bot = t->bot,
		.session = t->session->name,
		.sender_id = lb_json_str(query, "sender_id"),
		.group = type && strcmp(type, "group") == 0,
	};
	int64_t in = t->usage.input > 0 ? t->usage.input : 0;
	int64_t out = t->usage.output > 0 ? t->usage.output : 0;

	if (in + out == 0 || !t->model)
		return;
	warn_of_no_price(t);
	if (!lb_spend_counts(o->config, &of))
		return;
	lb_spend(engine_limits(a), o->config, &of,
		 &(struct lb_spent){
			 .tokens = in + out,
			 .cost = turn_cost(t),
		 },
		 lb_clock_now());
}
