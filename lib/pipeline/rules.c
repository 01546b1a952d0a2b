/* rules.c - the rules of a pipeline, made ready. */
#include "pipeline/rules.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"

static int patterns(struct lb_patterns *p, struct lb_config *config,
		    const char *pipeline, const char *key, bool anchored,
		    struct lb_error *err)
{
	const json_t *all = lb_config_pipeline(config, pipeline);
	lb_autofree char *path = lb_printf("pipelines.%s.%s", pipeline, key);

	if (lb_patterns_open(p, path, lb_json_path(all, key), anchored, err) <
	    0)
		return lb_config_blame(config, path, err);
	return 0;
}

static int read_all(struct lb_rules *r, struct lb_config *config,
		    struct lb_error *err)
{
	const json_t *all = lb_config_pipeline(config, r->pipeline);
	const json_t *group = lb_json_path(all, "trigger.group-respond-rules");
	const json_t *access = lb_json_path(all, "trigger.access-control");
	const char *mode = lb_json_str(access, "mode");

	r->respond.at = lb_json_bool(group, "at", true);
	r->respond.prefixes = json_object_get(group, "prefix");
	r->respond.random = json_number_value(json_object_get(group, "random"));
	r->access.whitelist_only = mode && *mode == 'w';
	r->access.black = json_object_get(access, "blacklist");
	r->access.white = json_object_get(access, "whitelist");
	r->ignore.prefixes = lb_json_path(all, "trigger.ignore-rules.prefix");
	if (patterns(&r->respond.patterns, config, r->pipeline,
		     "trigger.group-respond-rules.regexp", true, err) < 0 ||
	    patterns(&r->ignore.patterns, config, r->pipeline,
		     "trigger.ignore-rules.regexp", false, err) < 0)
		return -1;
	r->words = lb_words_open(config, r->pipeline, err);
	if (!r->words)
		return -1;
	return lb_windows_read(r, config,
			       lb_json_path(all, "safety.rate-limit"), err);
}

struct lb_rules *lb_rules_open(struct lb_config *config, const char *pipeline,
			       struct lb_error *err)
{
	struct lb_rules *r = lb_alloc(sizeof(*r));

	r->pipeline = pipeline;
	if (read_all(r, config, err) == 0)
		return r;
	lb_rules_close(r);
	return NULL;
}

void lb_rules_close(struct lb_rules *r)
{
	if (!r)
		return;
	lb_patterns_release(&r->respond.patterns);
	lb_patterns_release(&r->ignore.patterns);
	lb_words_close(r->words);
	lb_windows_release(r);
	free(r);
}
