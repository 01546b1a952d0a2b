/* access - whom a pipeline answers. */
#include <string.h>

#include "base/glob.h"
#include "pipeline/stages.h"

/* A chat is named by its id, with a topic or without. */
static bool fits_chat(const struct lb_message *m, const char *id)
{
	size_t chat = strcspn(m->launcher_id, "#");

	return lb_glob(id, m->launcher_id, strlen(m->launcher_id)) ||
	       lb_glob(id, m->launcher_id, chat);
}

/* person_ID, group_ID, *_ID or ID alone. */
static bool names(const struct lb_message *m, const char *entry)
{
	bool person = strncmp(entry, "person_", 7) == 0;

	if (person || strncmp(entry, "group_", 6) == 0)
		return strcmp(m->launcher_type, person ? "person" : "group") ==
			       0 &&
		       fits_chat(m, entry + (person ? 7 : 6));
	if (strncmp(entry, "*_", 2) == 0)
		entry += 2;
	return fits_chat(m, entry) ||
	       (*m->sender_id &&
		lb_glob(entry, m->sender_id, strlen(m->sender_id)));
}

/* An entry without the BOT/ of this bot in front. */
static const char *bare(const struct lb_message *m, const char *entry)
{
	size_t bot = strlen(m->bot);

	return strncmp(entry, m->bot, bot) == 0 && entry[bot] == '/'
		       ? entry + bot + 1
		       : entry;
}

/* The first entry that names the chat or the sender, or NULL. */
static const char *find(const struct lb_message *m, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		if (names(m, bare(m, json_string_value(one))))
			return json_string_value(one);
	}
	return NULL;
}

/* The entry of the private chat of who speaks in a group, or NULL. */
static const char *find_private(const struct lb_message *m, const json_t *list)
{
	const json_t *one;
	size_t i;

	if (*m->launcher_type != 'g' || !*m->sender_id)
		return NULL;
	json_array_foreach(list, i, one)
	{
		const char *entry = bare(m, json_string_value(one));

		if (strncmp(entry, "person_", 7) == 0 &&
		    strcmp(entry + 7, m->sender_id) == 0)
			return json_string_value(one);
	}
	return NULL;
}

/* Nobody is refused; where that may surprise, --explain says why. */
static enum lb_verdict pass(struct lb_message *m, const json_t *black)
{
	const char *entry =
		m->pipeline->explain ? find_private(m, black) : NULL;

	if (!entry)
		return LB_PASS;
	return lb_because(m, LB_PASS,
			  "blacklist: '%s' is a private chat alone, '%s' would "
			  "be that one anywhere",
			  entry, m->sender_id);
}

enum lb_verdict lb_stage_access(struct lb_message *m, struct lb_error *err)
{
	const struct lb_rules *rules = m->flow->rules;
	const char *black = find(m, rules->access.black), *white;

	(void)err;
	if (black)
		return lb_because(m, LB_DROP, "blacklist: '%s'", black);
	if (!rules->access.whitelist_only)
		return pass(m, rules->access.black);
	white = find(m, rules->access.white);
	if (white)
		return lb_because(m, LB_PASS, "whitelist: '%s'", white);
	return lb_because(m, LB_DROP, "not on the whitelist");
}
