/* test-box-key.c - names of sandbox sessions, and of their folders. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "box/key.h"
#include "box/spec.h"
#include "tap.h"

static const char context[] =
	"{\"id\": \"i-1\", \"bot\": \"shop\", \"pipeline\": \"p\","
	" \"session\": \"shop/group_-100#42\", \"sender_id\": \"u:7\","
	" \"launcher_type\": \"group\", \"conversation_id\": \"\"}";

static const struct row {
	const char *what, *template, *context, *want; /* or the error */
} rows[] = {
	{"the session", "{session}", context, "shop/group_-100%2342"},
	{"LangBot's template gets the bot", "{launcher_type}_{launcher_id}",
	 context, "shop/group_-100%2342"},
	{"with its bot it stays", "{launcher_type}_{bot}", context,
	 "group_shop"},
	{"a sender", "{launcher_type}_{launcher_id}_{sender_id}", context,
	 "shop/group_-100%2342_u%3A7"},
	{"the id is query_id", "{query_id}", context, "shop/i-1"},
	{"one for all", "{global}", context, "global"},
	{"no other is", "{global}_{sender_id}", context, "shop/global_u%3A7"},
	{"not even a text", "global", context, "shop/global"},
	{"a separator in a value", "{sender_id}",
	 "{\"bot\": \"a/b\", \"sender_id\": \"x_y\"}", "a%2Fb/x%5Fy"},
	{"CJK", "{session}", "{\"session\": \"b/person_\u6c49\"}",
	 "b/person_%E6%B1%89"},
	{"a session without a bot", "{session}", "{\"session\": \"demo\"}",
	 "~/demo"},
	{"a bot called so", "{session}", "{\"session\": \"~/demo\"}",
	 "%7E/demo"},
	{"no type", "{session}", "{\"session\": \"b/demo\"}", "b/demo"},
	{"an empty value", "{conversation_id}", context,
	 "the session's template needs {conversation_id}, which is not known "
	 "here"},
	{"no bot", "{sender_id}", "{\"sender_id\": \"1\"}",
	 "the session's template needs {bot}, which is not known here"},
	{"a NUL in a session", "{session}",
	 "{\"session\": \"b/person_1\\u0000x\"}",
	 "the session's template needs {session}, which is not known here"},
	{"a number", "{sender_id}", "{\"bot\": \"b\", \"sender_id\": 1}",
	 "the session's template needs {sender_id}, which is not known here"},
	{"a slip", "{launcher_typ}", context,
	 "{launcher_typ} is no variable (did you mean {launcher_type}?)"},
	{"an attribute", "{bot.name}", context,
	 "{bot.name} is no variable; there are {bot} {pipeline} {session} "
	 "{launcher_type} {launcher_id} {sender_id} {conversation_id} "
	 "{query_id} {global}"},
	{"empty", "", context, "it is empty"},
	{"open", "{bot", context, "a brace that belongs to no variable"},
	{"closed", "bot}", context, "a brace that belongs to no variable"},
	{"nested", "{bot{x}}", context, "a brace that belongs to no variable"},
	{"side by side", "{bot}{sender_id}", context,
	 "'_' or '/' must stand in front of {sender_id}: else two values "
	 "could not be told apart"},
	{"a sign that values have", "{bot}-{sender_id}", context,
	 "'_' or '/' must stand in front of {sender_id}: else two values "
	 "could not be told apart"},
	{"signs of both kinds", "{bot}-/x{sender_id}", context, "shop-/xu%3A7"},
	{"a tilde", "{bot}~x", context,
	 "only letters, digits and signs but '~', '%' and blanks may stand "
	 "beside the variables"},
};

static void try_row(const struct row *r)
{
	json_auto_t *o = json_loads(r->context, JSON_ALLOW_NUL, NULL);
	struct lb_error err = {0};
	lb_autofree char *got = lb_box_session(r->template, o, &err);

	tap_same(r->want, got ? got : err.text, r->what);
}

static const struct folder {
	const char *session, *want;
} folders[] = {
	{"shop/group_-100%2342", "shop%2Fgroup_-100%252342"},
	{"..", "%2E."},
	{".", "%2E"},
	{"%2E", "%252E"},
	{"~", "%7E"},
	{"", "~"},
	{"a b", "a%20b"},
};

static bool is_folder(const char *name)
{
	return *name && *name != '.' && strlen(name) <= 200 &&
	       !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz0123456789_.%-~")];
}

static uint32_t state = 1;

static uint32_t chance(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 16) % n;
}

/* Ids of few and near characters, so that they are alike. */
static char *some_id(void)
{
	static const char *const parts[] = {"a",      "/",   "_",  "-",
					    ".",      "%",   "2F", "\u6c49",
					    "\u5b57", ":",   "\n", " ",
					    "~",      "%5F", "A"};
	lb_autobuf struct lb_buf out = {0};
	uint32_t n = 1 + chance(chance(20) == 0 ? 300 : 6);

	while (n-- > 0)
		lb_buf_puts(&out,
			    parts[chance(sizeof(parts) / sizeof(parts[0]))]);
	return lb_buf_take(&out);
}

/*
 * Different values have different names: who got a name first is kept, and
 * whoever gets it again must be the same.
 */
static void check_injective(const char *template, const char *what)
{
	json_auto_t *owners = json_object(), *dirs = json_object();
	size_t bad = 0, long_ones = 0;

	for (int i = 0; i < 10000; i++) {
		lb_autofree char *bot = some_id(), *sender = some_id(),
				 *chat = some_id();
		lb_autofree char *session = lb_printf("%s/group_%s", bot, chat);
		json_auto_t *o =
			lb_json_pack("{s:s, s:s, s:s, s:s, s:s}", "bot", bot,
				     "sender_id", sender, "launcher_type",
				     "group", "launcher_id", chat, "session",
				     strchr(bot, '/') ? sender : session);
		lb_autofree char *key = NULL, *name = NULL, *dir = NULL;
		struct lb_error err;
		const json_t *owner;

		if (strcmp(template, "{session}") == 0)
			key = lb_strdup(lb_json_str(o, "session"));
		else if (strcmp(template, "{sender_id}") == 0)
			key = lb_printf("%s\x01%s", bot, sender);
		else
			key = lb_printf("%s\x01%s\x01%s", bot, chat, sender);
		name = lb_box_session(template, o, &err);
		if (!name || strlen(name) > LB_BOX_MAX_SESSION) {
			bad++;
			continue;
		}
		long_ones += strchr(name, '~') != NULL &&
			     strlen(name) > LB_BOX_MAX_SESSION - 3;
		owner = json_object_get(owners, name);
		bad += owner && strcmp(json_string_value(owner), key) != 0;
		json_object_set_new(owners, name, json_string(key));
		dir = lb_box_folder(name);
		owner = json_object_get(dirs, dir);
		bad += owner && strcmp(json_string_value(owner), name) != 0;
		bad += !is_folder(dir);
		json_object_set_new(dirs, dir, json_string(name));
	}
	tap_ok(bad == 0 && long_ones > 10, what);
	if (bad > 0 || long_ones <= 10)
		printf("# %zu bad, %zu long\n", bad, long_ones);
}

/* The folder of any text, not only of our own names. */
static void check_folders(void)
{
	json_auto_t *dirs = json_object();
	size_t bad = 0;

	for (int i = 0; i < 10000; i++) {
		lb_autofree char *name = some_id(), *dir = NULL;
		const json_t *owner;

		dir = lb_box_folder(name);
		owner = json_object_get(dirs, dir);
		bad += owner && strcmp(json_string_value(owner), name) != 0;
		bad += !is_folder(dir);
		json_object_set_new(dirs, dir, json_string(name));
	}
	tap_ok(bad == 0, "10000 texts have folders of their own");
}

/* Long ones that begin alike. */
static void check_long(void)
{
	char a[600], b[600];
	lb_autofree char *dir_a = NULL, *dir_b = NULL;
	lb_autofree char *name_a = NULL, *name_b = NULL;
	json_auto_t *o = NULL, *p = NULL;
	struct lb_error err;

	memset(a, 'x', sizeof(a) - 1);
	a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(b));
	b[sizeof(b) - 2] = 'y';
	dir_a = lb_box_folder(a);
	dir_b = lb_box_folder(b);
	tap_ok(strcmp(dir_a, dir_b) != 0 && strlen(dir_a) == 200 &&
		       strncmp(dir_a, "xxx", 3) == 0,
	       "folders of long names that begin alike");
	o = lb_json_pack("{s:s, s:s}", "bot", "b", "sender_id", a);
	p = lb_json_pack("{s:s, s:s}", "bot", "b", "sender_id", b);
	name_a = lb_box_session("{sender_id}", o, &err);
	name_b = lb_box_session("{sender_id}", p, &err);
	tap_ok(name_a && name_b && strcmp(name_a, name_b) != 0 &&
		       strncmp(name_a, "b/xxx", 5) == 0,
	       "and sessions of long ids");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		try_row(&rows[i]);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		lb_autofree char *got = lb_box_folder(folders[i].session);

		tap_same(folders[i].want, got, folders[i].session);
	}
	check_injective("{session}", "10000 sessions are told apart");
	check_injective("{sender_id}", "10000 senders are");
	check_injective("{launcher_id}_{sender_id}", "and 10000 pairs");
	check_folders();
	check_long();
	return tap_end();
}
