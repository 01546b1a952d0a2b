/* bot-rules.c - which pipeline answers what: the rules of a bot. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "pipeline/rules.h"

enum { MAX_RULES = 1000 };

static int word(const char *const *words, const char *text)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], text) == 0)
			return i;
	return -1;
}

static int read_test(struct lb_route *route, const json_t *rule,
		     struct lb_error *err)
{
	static const char *const types[] = {"launcher_type", "launcher_id",
					    "message_content",
					    "message_has_element", NULL};
	static const char *const tests[] = {"eq",          "neq",
					    "contains",    "not_contains",
					    "starts_with", "regex",
					    NULL};
	const char *type = lb_json_str(rule, "type");
	const char *test = lb_json_str(rule, "operator");
	int t = word(types, type ? type : ""),
	    o = word(tests, test ? test : "eq");

	if (t < 0)
		return lb_fail(err, LB_CONFIG,
			       "type '%s' is not launcher_type, launcher_id, "
			       "message_content or message_has_element",
			       type ? type : "");
	if (o < 0)
		return lb_fail(err, LB_CONFIG,
			       "operator '%s' is not eq, neq, contains, "
			       "not_contains, starts_with or regex",
			       test);
	route->type = (unsigned)t;
	route->test = (unsigned)o;
	if (route->type == LB_ROUTE_ELEMENT && route->test > LB_ROUTE_NEQ)
		return lb_fail(err, LB_CONFIG,
			       "operator '%s' does not fit "
			       "message_has_element: eq or neq",
			       test);
	return 0;
}

/* Only what is known is accepted: a rule that is not understood must not be
 * passed over. */
static int check_members(const json_t *rule, struct lb_error *err)
{
	static const char *const known[] =
		{"type",          "operator", "value", "pipeline",
		 "pipeline_uuid", "respond",  NULL};
	const char *name;
	const json_t *value;

	json_object_foreach((json_t *)(uintptr_t)rule, name, value)
	{
		if (word(known, name) < 0)
			return lb_fail(err, LB_CONFIG, "unknown key '%s'",
				       name);
	}
	return 0;
}

/* Is a message in a group for the bot because the rule says so, or do the
 * rules of its pipeline decide? */
static int read_respond(struct lb_route *route, const json_t *rule,
			struct lb_error *err)
{
	static const char *const ways[] = {"always", "rules", NULL};
	const char *text = lb_json_str(rule, "respond");
	int way = word(ways, text ? text : "always");

	if (way < 0)
		return lb_fail(err, LB_CONFIG,
			       "respond '%s' is not always or rules", text);
	route->asks = way == 1;
	return 0;
}

static int read_route(struct lb_bot_rules *b, struct lb_config *config,
		      const json_t *rule, struct lb_error *err)
{
	struct lb_route *route = &b->routes[b->n_routes];
	const char *to = lb_json_str(rule, "pipeline");
	const char *value = lb_json_str(rule, "value");

	if (check_members(rule, err) < 0 || read_test(route, rule, err) < 0 ||
	    read_respond(route, rule, err) < 0)
		return -1;
	if (!to)
		to = lb_json_str(rule, "pipeline_uuid");
	if (!to)
		return lb_fail(err, LB_CONFIG, "it names no pipeline");
	route->value = value ? value : "";
	route->to = strcmp(to, "__discard__") == 0 ? NULL : to;
	if (route->to && !lb_config_pipeline(config, route->to))
		return lb_fail(err, LB_CONFIG, "there is no pipeline '%s'", to);
	if (route->test == LB_ROUTE_REGEX) {
		b->pattern_of[b->n_routes] = b->patterns.n;
		if (lb_patterns_add(&b->patterns, route->value, false, err) < 0)
			return -1;
	}
	b->n_routes++;
	return 0;
}

static int read_routes(struct lb_bot_rules *b, struct lb_config *config,
		       const json_t *list, struct lb_error *err)
{
	size_t n = json_array_size(list), i;
	lb_autofree char *path =
		lb_printf("bots.%s.pipeline-routing-rules", b->name);
	const json_t *rule;

	b->patterns.key = lb_strdup(path);
	if (n > MAX_RULES) {
		lb_fail(err, LB_CONFIG, "more than %d rules", MAX_RULES);
		return lb_config_blame(config, path, err);
	}
	b->routes = lb_alloc((n + 1) * sizeof(*b->routes));
	b->pattern_of = lb_alloc((n + 1) * sizeof(*b->pattern_of));
	json_array_foreach(list, i, rule)
	{
		if (read_route(b, config, rule, err) < 0) {
			lb_error_wrap(err, "rule %zu", i + 1);
			return lb_config_blame(config, path, err);
		}
	}
	return 0;
}

struct lb_bot_rules *lb_bot_rules_open(struct lb_config *config,
				       const char *bot, struct lb_error *err)
{
	const json_t *all = lb_config_bot(config, bot);
	struct lb_bot_rules *b = lb_alloc(sizeof(*b));

	b->name = bot;
	b->pipeline = lb_json_str(all, "pipeline");
	b->self = lb_json_str(all, "self");
	b->stream = lb_json_bool(all, "stream", false);
	if (read_routes(b, config,
			json_object_get(all, "pipeline-routing-rules"),
			err) == 0)
		return b;
	lb_bot_rules_close(b);
	return NULL;
}

void lb_bot_rules_close(struct lb_bot_rules *b)
{
	if (!b)
		return;
	lb_patterns_release(&b->patterns);
	free(b->routes);
	free(b->pattern_of);
	free(b);
}
