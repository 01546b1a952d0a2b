/* respond - is the bot meant? In a group; elsewhere it always is. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "pipeline/prefix.h"
#include "pipeline/stages.h"

/* A quoted answer carries the mention once more: so two are taken out. */
enum { MAX_MENTIONS = 2 };

static bool is_type(const json_t *part, const char *type)
{
	return strcmp(lb_json_str(part, "type"), type) == 0;
}

/* An At of the bot itself; ids are texts, whatever the adapter wrote. */
static bool is_own_at(const struct lb_message *m, const json_t *part)
{
	const json_t *target = json_object_get(part, "target");
	int64_t number;
	char digits[32];

	if (!m->rules->self || !is_type(part, "At"))
		return false;
	if (json_is_string(target))
		return strcmp(json_string_value(target), m->rules->self) == 0;
	if (!lb_json_int(part, "target", &number))
		return false;
	snprintf(digits, sizeof(digits), "%lld", (long long)number);
	return strcmp(digits, m->rules->self) == 0;
}

static void use_cut(struct lb_message *m, json_t *take)
{
	json_decref(m->cut);
	m->chain = m->cut = take;
	m->has_form = false;
}

static bool says_something(const json_t *chain)
{
	const json_t *part;
	size_t i;

	json_array_foreach(chain, i, part)
	{
		if (!is_type(part, "Source") && !is_type(part, "Quote"))
			return true;
	}
	return false;
}

/* Take the mentions of the bot out; are there any? Nothing but a mention is a
 * call, and stays. */
static bool take_mentions(struct lb_message *m)
{
	json_t *without = NULL, *part;
	size_t i;
	int n = 0;

	json_array_foreach((json_t *)(uintptr_t)m->chain, i, part)
	{
		if (n == MAX_MENTIONS || !is_own_at(m, part)) {
			if (without)
				json_array_append(without, part);
			continue;
		}
		n++;
		if (without)
			continue;
		without = json_array();
		for (size_t j = 0; j < i; j++)
			json_array_append(without, json_array_get(m->chain, j));
	}
	if (n > 0 && says_something(without))
		use_cut(m, without);
	else
		json_decref(without);
	return n > 0;
}

/* Cut the first n bytes off the Plain texts that lead the chain, and nothing
 * off what follows anything else that can be read. */
static void cut_front(struct lb_message *m, size_t n)
{
	json_t *rest = json_array(), *part;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)m->chain, i, part)
	{
		const json_t *text = json_object_get(part, "text");
		size_t len = json_string_length(text);
		json_t *shorter;

		if (!is_type(part, "Plain")) {
			if (!is_type(part, "Source") && !is_type(part, "Quote"))
				n = 0;
			json_array_append(rest, part);
			continue;
		}
		if (n == 0 || len == 0) {
			json_array_append(rest, part);
			continue;
		}
		len = len < n ? len : n;
		shorter = json_copy(part);
		lb_json_set_str(shorter, "text", json_string_value(text) + len,
				json_string_length(text) - len);
		json_array_append_new(rest, shorter);
		n -= len;
	}
	use_cut(m, rest);
}

/* A number from 0 up to 1 that is the record's own: a replay draws the same. */
static double draw(const char *id)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * 0x100000001b3;
	h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
	return (double)((h ^ h >> 33) >> 11) / 9007199254740992.0;
}

/*
 * Was it said to the bot? Its platform may have seen that; else an At of the
 * bot's id tells. Who types at this machine always means the bot.
 */
static bool is_mentioned(struct lb_message *m)
{
	const json_t *meant = json_object_get(m->record->json, "mentioned_me");
	bool at = take_mentions(m);

	if (!meant && strcmp(m->bot, "-") == 0)
		return true;
	return at || json_is_true(meant);
}

static const char *why_not(const struct lb_message *m, bool mentioned)
{
	if (mentioned)
		return "said in a group, where mentions are not answered";
	if (!m->rules->self &&
	    !json_object_get(m->record->json, "mentioned_me"))
		return "said in a group, and nothing tells whether to the "
		       "bot: see the key self";
	return "said in a group, and not to the bot";
}

static enum lb_verdict in_group(struct lb_message *m)
{
	const struct lb_rules *rules = m->flow->rules;
	bool mentioned = is_mentioned(m);
	const struct lb_buf *form = lb_message_form(m);
	const char *text = lb_buf_str(form), *by;

	if (mentioned && rules->respond.at)
		return lb_because(m, LB_PASS, "the bot is mentioned");
	by = lb_prefix_find(rules->respond.prefixes, text, form->len, true);
	if (by) {
		cut_front(m, strlen(by));
		return lb_because(m, LB_PASS, "prefix '%s'", by);
	}
	by = lb_patterns_match(&rules->respond.patterns, text, form->len);
	if (by)
		return lb_because(m, LB_PASS, "regexp '%s'", by);
	if (rules->respond.random > 0 && draw(m->id) < rules->respond.random)
		return lb_because(m, LB_PASS, "random: drew %.3f of %.3f",
				  draw(m->id), rules->respond.random);
	return lb_because(m, LB_DROP, "%s", why_not(m, mentioned));
}

enum lb_verdict lb_stage_respond(struct lb_message *m, struct lb_error *err)
{
	(void)err;
	if (m->rules->self && strcmp(m->sender_id, m->rules->self) == 0)
		return lb_because(m, LB_DROP, "the bot said it itself");
	if (strcmp(m->launcher_type, "group") != 0)
		return LB_PASS;
	if (m->routed)
		return lb_because(m, LB_PASS,
				  "a rule of the bot chose the "
				  "pipeline: no other is asked");
	return in_group(m);
}
