/* bots.c - who talks on which platform, by which pipelines, and for whom. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/keys.h"
#include "langbot/items.h"
#include "langbot/patterns.h"

#define RULES "pipeline-routing-rules"

/* What can be tested, and how: as LangBot and we have it. */
#define TYPES "launcher_type launcher_id message_content message_has_element"
#define TESTS "eq neq contains not_contains starts_with regex"

struct making {
	struct lb_langbot *in;
	json_t *out;
	struct lb_item_report *item;
};

/* Nothing of ours answers what nothing there answered. */
static json_t *discard_all(void)
{
	return lb_json_pack("{s:s, s:s, s:s, s:s}", "type", "launcher_type",
			    "operator", "neq", "value", "", "pipeline",
			    "__discard__");
}

/* A rule that can never hold there need not be one here. */
static bool is_idle(const char *type, const char *test, const char *value)
{
	if (!lb_key_has_word(TYPES, type) || !lb_key_has_word(TESTS, test))
		return true;
	if (strcmp(type, "message_has_element") == 0 &&
	    !lb_key_has_word("eq neq", test))
		return true;
	return strcmp(test, "regex") == 0 && !lb_langbot_is_pattern(value);
}

static json_t *take_rule(struct making *m, const json_t *rule, size_t n)
{
	lb_autofree char *type = lb_row_text(rule, "type");
	lb_autofree char *test = lb_row_text(rule, "operator");
	lb_autofree char *value = lb_row_text(rule, "value");
	const json_t *to = json_object_get(rule, "pipeline_uuid");
	const char *target = json_string_value(to);

	if (!type || !target || !*target ||
	    is_idle(type, test ? test : "eq", value ? value : "")) {
		lb_item_note(m->item,
			     "routing rule %zu never holds and is "
			     "left out",
			     n);
		return NULL;
	}
	if (strcmp(target, "__discard__") != 0) {
		target = lb_langbot_ours(m->in, "pipelines", to);
		if (!target)
			lb_item_note(m->item,
				     "routing rule %zu: its pipeline "
				     "is not taken: it discards",
				     n);
	}
	return lb_json_pack("{s:s, s:s, s:s, s:s}", "type", type, "operator",
			    test ? test : "eq", "value", value ? value : "",
			    "pipeline", target ? target : "__discard__");
}

static void take_rules(struct making *m, const json_t *row)
{
	bool broken = false;
	json_auto_t *rules =
		lb_row_json(row, "pipeline_routing_rules", &broken);
	json_auto_t *list = json_array();
	const json_t *one;
	size_t i;

	if (broken || (rules && !json_is_array(rules)))
		lb_item_refuse(m->item, "its routing rules are not JSON");
	json_array_foreach(rules, i, one)
	{
		json_t *rule = take_rule(m, one, i + 1);

		if (rule)
			json_array_append_new(list, rule);
	}
	if (!json_object_get(m->out, "pipeline"))
		json_array_append_new(list, discard_all());
	if (json_array_size(list) == 0)
		return;
	if (lb_key_find("bots.x." RULES))
		json_object_set(m->out, RULES, list);
	else
		lb_item_refuse(m->item,
			       "routing rules are not in this version");
}

/* By its UUID, or, in old databases, its name. */
static void take_pipeline(struct making *m, const json_t *row)
{
	const json_t *uuid = json_object_get(row, "use_pipeline_uuid");
	const char *ours = lb_langbot_ours(m->in, "pipelines", uuid);

	if (ours)
		json_object_set_new(m->out, "pipeline",
				    lb_json_text(ours, strlen(ours)));
	else if (json_string_length(uuid) > 0)
		lb_item_note(m->item, "its pipeline is not taken: what no rule "
				      "routes is discarded");
	else
		lb_item_note(m->item, "it has no pipeline: what no rule routes "
				      "is discarded, as there");
}

static void take_telegram(struct making *m, const json_t *config)
{
	json_t *token = lb_langbot_secret(json_object_get(config, "token"));

	if (token)
		json_object_set_new(m->out, "token", token);
	else
		lb_item_refuse(m->item, "it has no token");
	if (lb_json_bool(config, "enable-stream-reply", false))
		json_object_set_new(m->out, "stream", json_true());
}

static void take_adapter(struct making *m, const json_t *row)
{
	lb_autofree char *adapter = lb_row_text(row, "adapter");
	bool broken = false;
	json_auto_t *config = lb_row_json(row, "adapter_config", &broken);

	if (!adapter || strcmp(adapter, "telegram") != 0) {
		lb_item_refuse(m->item,
			       "adapter '%.60s' is not in this version",
			       adapter ? adapter : "");
		return;
	}
	json_object_set_new(m->out, "adapter", json_string("telegram"));
	if (broken || !json_is_object(config))
		lb_item_refuse(m->item, "its adapter_config is not JSON");
	else
		take_telegram(m, config);
}

static void take_bot(struct lb_langbot *in, const json_t *row)
{
	struct lb_item_report item;
	json_auto_t *out = json_object();
	struct making m = {in, out, &item};
	lb_autofree char *name = NULL;

	lb_item_begin(&item, "bot", row);
	if (!lb_row_bool(row, "enable", false))
		lb_item_refuse(&item, "it is switched off there");
	take_adapter(&m, row);
	if (!item.refused) {
		take_pipeline(&m, row);
		take_rules(&m, row);
	}
	name = lb_langbot_name(in, "bots", item.name);
	if (!item.refused) {
		item.as = lb_printf("bots.%s", name);
		lb_langbot_is_ours(in, "bots", row, name);
		lb_json_put(in->out, item.as, json_incref(out));
	}
	lb_item_end(in, &item, item.refused ? row : NULL);
}

void lb_langbot_bots(struct lb_langbot *in)
{
	const json_t *row;
	size_t i;

	json_array_foreach(lb_langbot_table(in, "bots"), i, row)
	{
		take_bot(in, row);
	}
}

/* The line of the list `admins` for a row, or why there is none. */
static char *admin(struct lb_langbot *in, struct lb_item_report *item,
		   const json_t *row)
{
	const char *bot =
		lb_langbot_ours(in, "bots", json_object_get(row, "bot_uuid"));
	lb_autofree char *type = lb_row_text(row, "launcher_type");
	lb_autofree char *id = lb_row_text(row, "launcher_id");

	if (!type || !id || !*id)
		lb_item_refuse(item, "it names nobody");
	else if (strcmp(type, "person") != 0)
		lb_item_refuse(item, "a group is no admin: all its members "
				     "would be");
	else if (!bot)
		lb_item_refuse(item, "its bot is not taken");
	else
		return lb_printf("%s:person_%s", bot, id);
	return NULL;
}

void lb_langbot_admins(struct lb_langbot *in)
{
	json_auto_t *list = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(lb_langbot_table(in, "bot_admins"), i, row)
	{
		struct lb_item_report item;
		lb_autofree char *who = NULL, *type = NULL, *id = NULL;

		lb_item_begin(&item, "admin", NULL);
		type = lb_row_text(row, "launcher_type");
		id = lb_row_text(row, "launcher_id");
		free(item.name);
		item.name = lb_printf("%s_%s", type ? type : "", id ? id : "");
		who = admin(in, &item, row);
		if (who)
			json_array_append_new(list,
					      lb_json_text(who, strlen(who)));
		if (who &&
		    lb_langbot_set(in, &item, "admins", json_incref(list)))
			item.as = lb_strdup("admins");
		lb_item_end(in, &item, item.refused ? row : NULL);
	}
}
