/* ready.c - pipelines and bots of the configuration, made ready at start. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/prices.h"
#include "pipeline/command.h"
#include "pipeline/pipeline.h"
#include "pipeline/prompt.h"
#include "pipeline/spend.h"

static void flow_close(struct lb_flow *flow)
{
	lb_rules_close(flow->rules);
	free(flow->name);
	free(flow->runner);
	lb_buf_release(&flow->prompt);
	free(flow);
}

static struct lb_flow *flow_open(struct lb_config *all, const char *name,
				 struct lb_error *err)
{
	const json_t *config = lb_config_pipeline(all, name);
	struct lb_flow *flow = lb_alloc(sizeof(*flow));
	const char *runner =
		json_string_value(lb_json_path(config, "ai.runner.runner"));

	flow->name = lb_strdup(name);
	flow->runner = lb_strdup(runner ? runner : "local-agent");
	flow->shared = lb_shared_of(config);
	lb_prompt_make(&flow->prompt, config);
	flow->quotes = lb_json_bool(lb_json_path(config, "trigger.misc"),
				    "combine-quote-message", true);
	flow->speakers = lb_json_bool(lb_json_path(config, "ai.local-agent"),
				      "speakers", true);
	flow->rules = lb_rules_open(all, flow->name, err);
	if (flow->rules)
		return flow;
	flow_close(flow);
	return NULL;
}

static int add_flow(struct lb_pipeline *p, const char *name,
		    struct lb_error *err)
{
	struct lb_flow *flow = flow_open(p->config, name, err);

	if (!flow)
		return -1;
	flow->next = p->flows;
	p->flows = flow;
	lb_map_add(&p->flow_of, name, flow);
	return 0;
}

static int add_bot(struct lb_pipeline *p, const char *name,
		   struct lb_error *err)
{
	struct lb_bot_rules *bot = lb_bot_rules_open(p->config, name, err);

	if (!bot)
		return -1;
	lb_map_add(&p->bot_of, name, bot);
	return 0;
}

int lb_pipeline_ready(struct lb_pipeline *p, struct lb_error *err)
{
	const json_t *pipelines = lb_config_section(p->config, "pipelines");
	const json_t *bots = lb_config_section(p->config, "bots");
	const char *name;
	const json_t *any;

	json_object_foreach((json_t *)(uintptr_t)pipelines, name, any)
	{
		if (add_flow(p, name, err) < 0)
			return -1;
	}
	if (!lb_map_find(&p->flow_of, "default") &&
	    add_flow(p, "default", err) < 0)
		return -1;
	json_object_foreach((json_t *)(uintptr_t)bots, name, any)
	{
		if (add_bot(p, name, err) < 0)
			return -1;
	}
	if (!lb_map_find(&p->bot_of, "-") && add_bot(p, "-", err) < 0)
		return -1;
	p->has_admins = json_array_size(lb_config_get(p->config, "admins")) > 0;
	p->nobody = lb_alloc(sizeof(*p->nobody));
	if (lb_prices_check(p->config, err) < 0)
		return -1;
	p->commands = lb_commands_open(p, err);
	return p->commands ? 0 : -1;
}

static void close_bot(void *bot)
{
	lb_bot_rules_close(bot);
}

void lb_pipeline_release(struct lb_pipeline *p)
{
	while (p->flows) {
		struct lb_flow *flow = p->flows;

		p->flows = flow->next;
		flow_close(flow);
	}
	lb_map_release(&p->flow_of, NULL);
	lb_map_release(&p->bot_of, close_bot);
	lb_bot_rules_close(p->nobody);
	p->nobody = NULL;
	lb_commands_close(p->commands);
	p->commands = NULL;
}

const struct lb_flow *lb_flow_find(struct lb_pipeline *p, const char *name)
{
	return lb_map_find(&p->flow_of, name);
}

const struct lb_bot_rules *lb_bot_rules_find(struct lb_pipeline *p,
					     const char *name)
{
	const struct lb_bot_rules *bot = lb_map_find(&p->bot_of, name);

	return bot ? bot : p->nobody;
}

struct lb_config *lb_pipeline_config(const char *file, struct lb_error *err)
{
	struct lb_pipeline p = {.config = lb_config_load(file, err)};

	if (p.config && lb_pipeline_ready(&p, err) < 0) {
		lb_config_close(p.config);
		p.config = NULL;
	}
	lb_pipeline_release(&p);
	return p.config;
}
