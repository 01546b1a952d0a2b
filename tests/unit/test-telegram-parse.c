/*
 * test-telegram-parse - updates become records. TAP.
 *
 * Each tests/data/telegram/NAME.update.json must become NAME.records.jsonl;
 * with --write DIR those are written anew, to be read before they count.
 */
#include <glob.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "platform/telegram.h"
#include "tap.h"

static char username[] = "lb_bot";
static const struct lb_telegram_self self = {99, username, false};

static struct lb_telegram_parse begin(void)
{
	return (struct lb_telegram_parse){
		.self = &self,
		.bot = "main",
		.state = "/state",
		.now = 1767225700000,
	};
}

static json_t *load(const char *path)
{
	json_t *update = json_load_file(path, 0, NULL);

	if (!update)
		fprintf(stderr, "cannot read '%s'\n", path);
	return update;
}

/* NAME.update.json to NAME.records.jsonl; caller frees. */
static char *golden(const char *path)
{
	return lb_printf("%.*s.records.jsonl",
			 (int)(strlen(path) - strlen(".update.json")), path);
}

static void write_golden(const char *path, const struct lb_buf *records)
{
	lb_autofree char *to = golden(path);
	FILE *f = fopen(to, "w");

	if (f) {
		fputs(lb_buf_str(records), f);
		fclose(f);
	}
}

static void test_file(const char *path, bool write)
{
	lb_autofree char *to = golden(path), *want = NULL;
	json_auto_t *update = load(path);
	struct lb_telegram_parse p = begin(), again = begin();
	struct lb_error err;
	size_t len;

	tap_ok(update && lb_telegram_parse(&p, update, &err) == 0, path);
	if (write)
		write_golden(path, &p.records);
	if (lb_path_read(to, 1 << 20, &want, &len, &err) < 0)
		want = lb_strdup(err.text);
	tap_same(want, lb_buf_str(&p.records), to);
	/* Tomorrow it is the same event. */
	again.now += 86400000;
	lb_telegram_parse(&again, update, &err);
	if (strstr(lb_buf_str(&p.records), "\"id\"")) {
		const char *a = strstr(p.records.data, "\"id\"");
		const char *b = strstr(lb_buf_str(&again.records), "\"id\"");

		tap_ok(b && strncmp(a, b, 40) == 0, "its id stays");
	}
	lb_telegram_parse_release(&p);
	lb_telegram_parse_release(&again);
}

/* Updates that are none. */
static const struct {
	const char *update, *error;
} bad[] = {
	{"{}", "an update without update_id"},
	{"[1]", "an update without update_id"},
	{"{\"update_id\":\"1\"}", "an update without update_id"},
	{"{\"update_id\":1,\"message\":{\"message_id\":1}}",
	 "update 1: message: field 'chat' has no id"},
	{"{\"update_id\":1,\"message\":{\"chat\":{\"id\":1.5}}}",
	 "update 1: message: field 'chat' has no id"},
	{"{\"update_id\":1,\"edited_message\":{\"chat\":{\"id\":5}}}",
	 "update 1: edited_message: field 'message_id' is missing"},
	{"{\"update_id\":1,\"message\":{\"message_id\":1,\"from\":{},"
	 "\"chat\":{\"id\":5}}}",
	 "update 1: message: nobody has sent it"},
	{"{\"update_id\":1,\"callback_query\":{}}",
	 "update 1: callback_query: field 'id' is missing"},
};

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_auto_t *update = json_loads(bad[i].update, 0, NULL);
		struct lb_telegram_parse p = begin();
		struct lb_error err = {0};

		tap_ok(lb_telegram_parse(&p, update, &err) < 0 &&
			       err.code == LB_DATA,
		       bad[i].update);
		tap_same(bad[i].error, err.text, "what it says");
		tap_ok(p.records.len == 0, "nothing came of it");
		lb_telegram_parse_release(&p);
	}
}

static void parse_named(struct lb_telegram_parse *p, const char *folder,
			const char *name)
{
	lb_autofree char *path = lb_printf("%s/%s.update.json", folder, name);
	json_auto_t *update = load(path);
	struct lb_error err;

	lb_telegram_parse(p, update, &err);
}

/* What stands beside the records. */
static void test_beside(const char *folder)
{
	struct lb_telegram_parse p = begin();

	parse_named(&p, folder, "album-part");
	tap_same("13579", p.album ? p.album : "none", "its album");
	tap_ok(p.n_files == 1 && strcmp(p.files[0].ref, "a1") == 0 &&
		       p.files[0].size == 5 &&
		       strstr(p.records.data, p.files[0].path),
	       "its file");
	lb_telegram_parse_release(&p);
	parse_named(&p, folder, "document-too-large");
	tap_ok(p.n_files == 1 && !p.files[0].path &&
		       p.files[0].size == 3000000000,
	       "a file that is too large has no path");
	lb_telegram_parse_release(&p);
	parse_named(&p, folder, "document-of-unknown-size");
	tap_ok(p.n_files == 1 && p.files[0].path && p.files[0].size == -1,
	       "one whose size is not said has");
	lb_telegram_parse_release(&p);
	parse_named(&p, folder, "callback");
	tap_same("4382bfdwdsb323b2d9", p.callback ? p.callback : "none",
		 "a callback to answer");
	lb_telegram_parse_release(&p);
	p.bots = true;
	parse_named(&p, folder, "another-bot");
	tap_ok(p.records.len > 0, "bots may count");
	lb_telegram_parse_release(&p);
	parse_named(&p, folder, "ourselves");
	tap_ok(p.records.len == 0, "we never do");
	lb_telegram_parse_release(&p);
}

int main(int argc, char **argv)
{
	const char *source = getenv("srcdir");
	bool write = argc == 3 && strcmp(argv[1], "--write") == 0;
	lb_autofree char *folder = write ? lb_strdup(argv[2])
					 : lb_printf("%s/tests/data/telegram",
						     source ? source : ".");
	lb_autofree char *pattern = lb_printf("%s/*.update.json", folder);
	glob_t found;

	tap_ok(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 50,
	       "there are golden files");
	for (size_t i = 0; i < found.gl_pathc; i++)
		test_file(found.gl_pathv[i], write);
	globfree(&found);
	test_bad();
	test_beside(folder);
	return tap_end();
}
