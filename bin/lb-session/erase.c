/* lb-session erase - forget a person, or a session, wherever it is kept. */
#include <string.h>

#include "base/mem.h"
#include "config/config.h"
#include "forget.h"
#include "session.h"

static const char *session;
static bool json, dry;

const struct lb_opt erase_options[] = {
	{0, "dry-run", .help = "say what would go, and keep it", .flag = &dry},
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	{0, "session", "SESSION", "forget this session instead of a person",
	 .text = &session},
	{0},
};

/* What the parts of BOT:person_ID are; the bot at this machine may lack. */
struct person {
	char *bot;
	const char *id;
};

static int read_person(struct person *p, const char *text, struct lb_error *err)
{
	const char *colon = strstr(text, ":person_");
	const char *id = strncmp(text, "person_", 7) == 0 ? text + 7
			 : colon                          ? colon + 8
							  : NULL;

	if (!id || !*id || colon == text)
		return lb_fail(err, LB_USAGE,
			       "'%s' is not a person: BOT:person_ID; a session "
			       "is --session=BOT/person_ID",
			       text);
	p->id = id;
	p->bot = id == text + 7 ? lb_strdup("-")
				: lb_strndup(text, (size_t)(colon - text));
	return 0;
}

static int erase(struct forgetting *f)
{
	static const char *const columns[] = {"what", "removed", NULL};
	int r;

	f->table = lb_table_open(columns, json);
	r = forget(f);
	lb_table_close(f->table);
	lb_map_release(&f->ids, NULL);
	lb_map_release(&f->paths, NULL);
	return r;
}

int erase_verb(int argc, char **argv)
{
	struct lb_error err;
	struct person person = {NULL, NULL};
	lb_autofree char *state = lb_config_state(&err);
	lb_autofree char *bot = NULL, *name = NULL;
	struct forgetting f = {.state = state, .err = &err};

	if ((argc > 0) == (session != NULL))
		lb_usage("erase takes a person or --session");
	if (!state || (argc > 0 && read_person(&person, argv[0], &err) < 0))
		return lb_report(&err);
	bot = person.bot;
	name = session ? session_name(session)
		       : lb_printf("%s/person_%s", bot, person.id);
	f.said = session ? session : argv[0];
	f.whom = (struct lb_whom){name, bot, person.id, dry};
	return erase(&f) < 0 ? lb_report(&err) : LB_OK;
}
