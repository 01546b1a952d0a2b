/*
 * route - which pipeline answers: the record's, else that of the bot's first
 * rule that matches, else the bot's.
 */
#include <string.h>

#include "base/json.h"
#include "pipeline/stages.h"

static bool has_element(const json_t *chain, const char *type)
{
	const json_t *part;
	size_t i;

	json_array_foreach(chain, i, part)
	{
		if (strcmp(lb_json_str(part, "type"), type) == 0)
			return true;
	}
	return false;
}

static bool holds(const struct lb_bot_rules *bot, size_t i, const char *text,
		  size_t len)
{
	const struct lb_route *r = &bot->routes[i];
	size_t n = strlen(r->value);

	switch (r->test) {
	case LB_ROUTE_EQ:
		return n == len && memcmp(text, r->value, n) == 0;
	case LB_ROUTE_NEQ:
		return n != len || memcmp(text, r->value, n) != 0;
	case LB_ROUTE_CONTAINS:
		return memmem(text, len, r->value, n) != NULL;
	case LB_ROUTE_NOT_CONTAINS:
		return memmem(text, len, r->value, n) == NULL;
	case LB_ROUTE_STARTS_WITH:
		return n <= len && memcmp(text, r->value, n) == 0;
	case LB_ROUTE_REGEX:
		break;
	}
	return lb_pattern_match(&bot->patterns, bot->pattern_of[i], text, len);
}

/* A chat is named by its id, with a topic or without. */
static bool fits_chat(const struct lb_message *m, size_t i)
{
	const struct lb_route *r = &m->rules->routes[i];
	size_t chat = strcspn(m->launcher_id, "#"), n = strlen(r->value);
	bool same;

	if (r->test > LB_ROUTE_NEQ)
		return holds(m->rules, i, m->launcher_id,
			     strlen(m->launcher_id));
	same = strcmp(m->launcher_id, r->value) == 0 ||
	       (n > 0 && n == chat && memcmp(m->launcher_id, r->value, n) == 0);
	return same == (r->test == LB_ROUTE_EQ);
}

static bool matches(struct lb_message *m, size_t i)
{
	const struct lb_bot_rules *bot = m->rules;
	const struct lb_route *r = &bot->routes[i];

	if (r->type == LB_ROUTE_ELEMENT)
		return has_element(m->chain, r->value) ==
		       (r->test == LB_ROUTE_EQ);
	if (r->type == LB_ROUTE_CONTENT) {
		const struct lb_buf *form = lb_message_form(m);

		return holds(bot, i, lb_buf_str(form), form->len);
	}
	if (r->type == LB_ROUTE_LAUNCHER_ID)
		return fits_chat(m, i);
	return holds(bot, i, m->launcher_type, strlen(m->launcher_type));
}

static enum lb_verdict by_name(struct lb_message *m, const char *name,
			       struct lb_error *err)
{
	m->flow = lb_flow_find(m->pipeline, name);
	/* Said by lb-aggregate, of messages that became one. */
	m->routed = lb_json_bool(m->record->json, "routed_by_rule", false);
	if (m->flow)
		return lb_because(m, LB_PASS,
				  "pipeline '%s': the message names it", name);
	lb_fail(err, LB_CONFIG, "no pipeline '%s' in the configuration", name);
	return LB_FAILED;
}

/* The first rule that matches decides. */
static enum lb_verdict by_rule(struct lb_message *m, size_t i)
{
	const struct lb_route *r = &m->rules->routes[i];

	if (!r->to)
		return lb_because(m, LB_DROP,
				  "rule %zu of bot '%s' discards it", i + 1,
				  m->bot);
	m->flow = lb_flow_find(m->pipeline, r->to);
	m->routed = !r->asks;
	return lb_because(m, LB_PASS, "pipeline '%s': rule %zu of bot '%s'",
			  r->to, i + 1, m->bot);
}

enum lb_verdict lb_stage_route(struct lb_message *m, struct lb_error *err)
{
	const char *named = lb_json_str(m->record->json, "pipeline");
	const char *usual;

	m->rules = lb_bot_rules_find(m->pipeline, m->bot);
	m->stream = m->rules->stream;
	if (named)
		return by_name(m, named, err);
	for (size_t i = 0; i < m->rules->n_routes; i++)
		if (matches(m, i))
			return by_rule(m, i);
	usual = m->rules->pipeline;
	m->flow = lb_flow_find(m->pipeline, usual ? usual : "default");
	return lb_because(m, LB_PASS, "pipeline '%s': bot '%s' %s",
			  m->flow->name, m->bot,
			  usual ? "uses it" : "is not configured");
}
