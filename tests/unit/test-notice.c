/* test-notice - texts for people, and who is an admin. TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "config/notice.h"
#include "pipeline/rights.h"
#include "tap.h"

static char folder[] = "/tmp/lb-test-notice-XXXXXX";

static void file(const char *name, const char *text)
{
	lb_autofree char *path = lb_printf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		exit(99);
}

static struct lb_config *load(const char *text)
{
	lb_autofree char *path = lb_printf("%s/config.yaml", folder);
	struct lb_error err;
	struct lb_config *c;

	file("config.yaml", text);
	c = lb_config_load(path, &err);
	if (!c)
		printf("# %s\n", err.text);
	return c;
}

static void notice(struct lb_config *c, const char *expected, const char *key)
{
	lb_autobuf struct lb_buf b = {0};

	lb_notice_put(&b, c, key, "who", "{n} Ann", "n", "3", NULL);
	tap_same(expected, lb_buf_str(&b), key);
}

static void test_notices(void)
{
	struct lb_config *c = load(
		"system: {language: fr_FR}\n"
		"notices: {fr_FR: {own: \"à moi\"}, en_US: {deep: mine}}\n");

	notice(c, "à moi", "own");
	notice(c, "salut {n} Ann, 3 {not} { {", "greet");
	notice(c, "only English", "plain");
	notice(c, "mine", "deep");
	notice(c, "nowhere", "nowhere");
	lb_config_close(c);
	c = load("system: {language: ../en_US}\n");
	notice(c, "only English", "plain");
	lb_config_close(c);
	c = load("system: {language: xx}\n");
	notice(c, "only English", "plain");
	lb_config_close(c);
}

static void admin(struct lb_config *c, bool expected, const char *bot,
		  const char *platform, const char *sender)
{
	lb_autofree char *what =
		lb_printf("%s at %s, said to be of %s", sender, bot, platform);

	tap_ok(lb_is_admin(c, bot, platform, sender) == expected, what);
}

static void test_admins(void)
{
	struct lb_config *c =
		load("admins: [\"tg:person_7\", \"j:person_7\","
		     " \"k:person_7\", \"-:person_8\"]\n"
		     "bots:\n"
		     "  tg: {adapter: telegram}\n"
		     "  j: {adapter: jsonl}\n"
		     "  k: {adapter: jsonl, trust-sender: true}\n");

	admin(c, true, "tg", "telegram", "7");
	admin(c, false, "tg", "telegram", "77");
	admin(c, false, "tg", "telegram", "9");
	admin(c, false, "tg", "telegram", "");
	admin(c, false, "j", "telegram", "7");
	admin(c, true, "k", "jsonl", "7");
	admin(c, false, "gone", "telegram", "7");
	admin(c, true, "-", "text", "me");
	admin(c, false, "-", "jsonl", "me");
	admin(c, false, "tg", "text", "me");
	admin(c, false, "-", "text", "8");
	lb_config_close(c);
}

int main(void)
{
	lb_autofree char *lang = NULL, *rm = NULL;

	if (!mkdtemp(folder))
		return 99;
	lang = lb_printf("%s/lang", folder);
	setenv("LB_SHARE", folder, 1);
	setenv("USER", "me", 1);
	mkdir(lang, 0700);
	file("lang/en_US.yaml", "plain: only English\ndeep: theirs\n");
	file("lang/fr_FR.yaml",
	     "greet: \"salut {who}, {n} {not} { {\"\nown: not this\n");
	test_notices();
	test_admins();
	rm = lb_printf("rm -rf %s", folder);
	return system(rm) != 0 || tap_end();
}
