/*
 * test-telegram-render - chains become calls. TAP.
 *
 * Each tests/data/telegram/NAME.reply.json must become NAME.calls.jsonl; with
 * --write DIR those are written anew, to be read before they count.
 */
#include <glob.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "platform/telegram.h"
#include "record/record.h"
#include "tap.h"
#include "telegram-html.h"

static void put_call(struct lb_buf *out, const struct lb_telegram_call *call)
{
	lb_buf_printf(out, "{\"method\":\"%s\"", call->method);
	lb_put_json(out, "params", call->params);
	for (size_t i = 0; i < call->n_uploads; i++) {
		const struct lb_telegram_upload *u = &call->uploads[i];
		json_auto_t *o =
			lb_json_pack("{s:s,s:s*,s:s,s:I,s:I}", "field",
				     u->field, "path", u->path, "name", u->name,
				     "bytes", (json_int_t)u->bytes.len, "max",
				     (json_int_t)u->max);

		lb_put_json(out, u->path ? "upload" : "upload_bytes", o);
	}
	if (call->plain)
		lb_put_str(out, "plain", call->plain);
	lb_buf_puts(out, "}\n");
}

/* What Telegram would say to it. */
static bool is_fine(const struct lb_telegram_call *call)
{
	const char *text = call->text_field
				   ? lb_json_str(call->params, call->text_field)
				   : NULL;
	long units, most = text && strcmp(call->text_field, "caption") == 0
				   ? 1024
				   : 4096;

	if (!call->text_field)
		return true;
	units = text ? html_units(text, strlen(text)) : -1;
	return units > 0 && units <= most && call->plain &&
	       call->plain[strspn(call->plain, " \n")] != '\0' &&
	       lb_text_units(call->plain, strlen(call->plain), LB_UNIT_UTF16) <=
		       (size_t)most &&
	       json_object_get(call->params, "parse_mode");
}

/* NAME.reply.json to NAME.calls.jsonl; caller frees. */
static char *golden(const char *path)
{
	return lb_printf("%.*s.calls.jsonl",
			 (int)(strlen(path) - strlen(".reply.json")), path);
}

static void write_golden(const char *path, const struct lb_buf *calls)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(lb_buf_str(calls), f);
		fclose(f);
	}
}

static void test_file(const char *path, bool write)
{
	lb_autofree char *to = golden(path), *want = NULL;
	json_auto_t *reply = json_load_file(path, 0, NULL);
	lb_autobuf struct lb_buf got = {0};
	struct lb_telegram_calls calls = {0};
	struct lb_telegram_chat chat;
	struct lb_error err;
	bool fine = true;
	size_t len;

	tap_ok(lb_telegram_chat(reply, &chat, &err) == 0 &&
		       lb_telegram_render(json_object_get(reply, "chain"),
					  &chat, lb_limits_find("telegram"),
					  &calls, &err) == 0,
	       path);
	for (size_t i = 0; i < calls.n; i++) {
		put_call(&got, &calls.at[i]);
		fine = fine && is_fine(&calls.at[i]);
	}
	if (write)
		write_golden(to, &got);
	if (lb_path_read(to, 1 << 20, &want, &len, &err) < 0)
		want = lb_strdup(err.text);
	tap_same(want, lb_buf_str(&got), to);
	tap_ok(fine, "Telegram takes it");
	lb_telegram_calls_release(&calls);
}

#define NONE(target)                                                           \
	"target '" target "' is none of Telegram: person:NUMBER, "             \
	"group:-NUMBER[/TOPIC] or group:@NAME"

static const struct {
	const char *record;
	int64_t id, thread, reply_to;
	const char *error, *name;
} chats[] = {
	{"{\"target\":\"person:7\"}", 7, 0, 0, NULL},
	{"{\"target\":\"group:-100\"}", -100, 0, 0, NULL},
	{"{\"target\":\"group:-100/42\",\"reply_to\":{\"chat\":\"5\"}}", -100,
	 42, 0, NULL},
	{"{\"reply_to\":{\"chat\":\"-100\",\"message\":\"9\",\"thread\":\"1\"}"
	 ",\"launcher_id\":\"5\"}",
	 -100, 1, 9, NULL},
	{"{\"reply_to\":{\"chat\":\"-100\",\"message\":\"x\"}}", -100, 0, 0,
	 NULL},
	{"{\"launcher_id\":\"-100#42\"}", -100, 42, 0, NULL},
	{"{\"launcher_id\":\"7\"}", 7, 0, 0, NULL},
	{"{\"reply_to\":{\"chat\":\"9007199254740993\",\"message\":\"1\"}}",
	 9007199254740993, 0, 1, NULL},
	{"{\"target\":\"group:@ann_news\"}", 0, 0, 0, NULL, "@ann_news"},
	{"{\"target\":\"group:@A1/42\",\"launcher_id\":\"5\"}", 0, 42, 0, NULL,
	 "@A1"},
	{"{\"target\":\"user:7\"}", 0, 0, 0, NONE("user:7"), NULL},
	{"{\"target\":\"group:\"}", 0, 0, 0, NONE("group:"), NULL},
	{"{\"target\":\"group:-100/x\"}", 0, 0, 0, NONE("group:-100/x"), NULL},
	{"{\"target\":\"person:99999999999999999999\"}", 0, 0, 0,
	 NONE("person:99999999999999999999"), NULL},
	{"{\"target\":\"group:abc\"}", 0, 0, 0, NONE("group:abc"), NULL},
	{"{\"target\":\"group:7\"}", 0, 0, 0, NONE("group:7"), NULL},
	{"{\"target\":\"person:-100\"}", 0, 0, 0, NONE("person:-100"), NULL},
	{"{\"target\":\"person:7/3\"}", 0, 0, 0, NONE("person:7/3"), NULL},
	{"{\"target\":\"person:@ann\"}", 0, 0, 0, NONE("person:@ann"), NULL},
	{"{\"target\":\"group:@\"}", 0, 0, 0, NONE("group:@"), NULL},
	{"{\"target\":\"group:@7up\"}", 0, 0, 0, NONE("group:@7up"), NULL},
	{"{\"target\":\"group:@a-b\"}", 0, 0, 0, NONE("group:@a-b"), NULL},
	{"{\"target\":\"group:@ann/\"}", 0, 0, 0, NONE("group:@ann/"), NULL},
	{"{\"target\":\"group:@ann/x\"}", 0, 0, 0, NONE("group:@ann/x"), NULL},
	{"{\"target\":\"group:@"
	 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}",
	 0, 0, 0,
	 NONE("group:@"
	      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	      "a"),
	 NULL},
	{"{\"launcher_id\":\"ann\"}", 0, 0, 0,
	 "the record names no chat of Telegram"},
	{"{\"launcher_id\":\"0\"}", 0, 0, 0,
	 "the record names no chat of Telegram"},
	{"{}", 0, 0, 0, "the record names no chat of Telegram"},
};

static void test_chats(void)
{
	for (size_t i = 0; i < sizeof(chats) / sizeof(chats[0]); i++) {
		json_auto_t *record = json_loads(chats[i].record, 0, NULL);
		struct lb_telegram_chat c;
		struct lb_error err = {0};
		int r = lb_telegram_chat(record, &c, &err);

		if (chats[i].error)
			tap_same(chats[i].error, r < 0 ? err.text : "none",
				 chats[i].record);
		else
			tap_ok(r == 0 && c.id == chats[i].id &&
				       c.thread == chats[i].thread &&
				       c.reply_to == chats[i].reply_to &&
				       strcmp(c.name, chats[i].name
							      ? chats[i].name
							      : "") == 0,
			       chats[i].record);
	}
}

static void test_limit(void)
{
	json_auto_t *chain = lb_json_pack("[{s:s,s:s}]", "type", "Plain",
					  "text", "\xf0\x9f\x99\x82");
	struct lb_limits limits = *lb_limits_find("telegram");
	struct lb_telegram_chat chat = {.id = 1};
	struct lb_telegram_calls calls;
	struct lb_error err = {0};

	limits.text = 1;
	tap_ok(lb_telegram_render(chain, &chat, &limits, &calls, &err) < 0 &&
		       err.code == LB_CONFIG && calls.n == 0,
	       "a limit that holds no character");
	lb_telegram_calls_release(&calls);
}

/* What a fuzzer found: pieces of which nothing is seen. Telegram refuses such
 * a message. */
static void test_unseen(void)
{
	static const struct {
		const char *chain;
		size_t limit, calls;
	} rows[] = {
		{"[{\"type\":\"Plain\",\"text\":\"\\u0001\\u007f\\r\"}]", 40,
		 0},
		{"[{\"type\":\"\\u0001x\"}]", 40, 1},
		{"[{\"type\":\"At\",\"target\":\"7\",\"display\":\" \"}]", 40,
		 0},
		{"[{\"type\":\"Plain\",\"text\":\"***\"}]", 40, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_limits limits = *lb_limits_find("telegram");
		struct lb_telegram_chat chat = {.id = 1};
		struct lb_telegram_calls calls = {0};
		json_auto_t *chain = json_loads(rows[i].chain, 0, NULL);
		struct lb_error err;

		limits.text = rows[i].limit;
		tap_ok(lb_telegram_render(chain, &chat, &limits, &calls,
					  &err) == 0 &&
			       calls.n == rows[i].calls,
		       rows[i].chain);
		lb_telegram_calls_release(&calls);
	}
}

int main(int argc, char **argv)
{
	const char *source = getenv("srcdir");
	bool write = argc == 3 && strcmp(argv[1], "--write") == 0;
	lb_autofree char *folder = write ? lb_strdup(argv[2])
					 : lb_printf("%s/tests/data/telegram",
						     source ? source : ".");
	lb_autofree char *pattern = lb_printf("%s/*.reply.json", folder);
	glob_t found;

	tap_ok(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 20,
	       "there are golden files");
	for (size_t i = 0; i < found.gl_pathc; i++)
		test_file(found.gl_pathv[i], write);
	globfree(&found);
	test_chats();
	test_limit();
	test_unseen();
	return tap_end();
}
