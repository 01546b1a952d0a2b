/*
 * test-aggregate - which messages become one, and when they go out. TAP.
 *
 * A row is a script of steps, blanks between:
 *     @MS        it is that time
 *     G/S:text   a message in group G of sender S; ids are 1, 2, ...
 *     G/S~text   the same with the id of the message before
 *     G!         another record of that session
 *     end        all goes out
 * and what it writes, the times between: ID=text (a line break shown as |),
 * ID>INTO for a drop, !G for another record.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "pipeline/aggregate.h"
#include "record/chain.h"
#include "record/load.h"
#include "tap.h"

static const struct {
	const char *what, *settings, *script, *wanted;
} rows[] = {
	{"messages of one sender become one, when nothing more came for a "
	 "while",
	 "", "@0 a/7:one @900 a/7:two @1900 a/7:three @3399 @3400",
	 "@0 @900 @1900 @3399 @3400 2>1 3>1 1=one|two|three"},
	{"one that stays alone passes unchanged", "", "@0 a/7:one @1500",
	 "@0 @1500 1=one"},
	{"the delay is the pipeline's", "delay: 10, ",
	 "@0 a/7:one @9999 @10000", "@0 @9999 @10000 1=one"},
	{"people in a group are told apart", "",
	 "@0 a/7:one a/8:two a/7:three end", "@0 3>1 1=one|three 2=two"},
	{"or not, where the pipeline says so", "by: session, ",
	 "@0 a/7:one a/8:two end", "@0 2>1 1=one|two"},
	{"nobody is kept waiting by one who goes on and on", "",
	 "@0 a/7:one @1000 a/8:hey a/7:two @1400 a/7:three @1500 @2499 @2500",
	 "@0 @1000 @1400 @1500 3>1 4>1 1=one|two|three @2499 @2500 2=hey"},
	{"ten are one, and go out at once", "",
	 "@0 a/7:1 a/7:2 a/7:3 a/7:4 a/7:5 a/7:6 a/7:7 a/7:8 a/7:9 @1 a/7:10 "
	 "@2 "
	 "a/7:11 @1502",
	 "@0 @1 2>1 3>1 4>1 5>1 6>1 7>1 8>1 9>1 10>1 1=1|2|3|4|5|6|7|8|9|10 "
	 "@2 @1502 11=11"},
	{"sessions do not wait for each other", "",
	 "@0 a/7:one @100 b/7:two @1500 @1600",
	 "@0 @100 @1500 1=one @1600 2=two"},
	{"other records of the session do not overtake, those of others pass",
	 "", "@0 a/7:one a! b! a/7:two @1500", "@0 !b @1500 2>1 1=one|two !a"},
	{"a command does not wait, and what waits goes out before it", "",
	 "@0 a/7:one b/7:other a/7:!help @1500",
	 "@0 1=one 3=!help @1500 2=other"},
	{"a command in two characters, too", "",
	 "@0 a/7:one a/7:\xef\xbc\x81help", "@0 1=one 2=\xef\xbc\x81help"},
	{"a message that only begins like a command waits", "",
	 "@0 a/7:!wow a/7:two end", "@0 2>1 1=!wow|two"},
	{"the same message once more does not go into itself", "",
	 "@0 a/7:one a/7~one end", "@0 1=one 1=one"},
	{"the end brings out all", "", "@0 a/7:one b/7:two a/7:three c! end",
	 "@0 !c 2=two 3>1 1=one|three"},
	{"without the key everything passes", "enabled: false, ",
	 "@0 a/7:one a/7:two a!", "@0 1=one 2=two !a"},
};

static int id;

static void put_line(struct lb_buf *b, const char *step)
{
	size_t group = strcspn(step, "/!");
	const char *sender = step + group + 1;
	size_t len = strcspn(sender, ":~");

	if (step[group] == '!') {
		lb_buf_printf(b,
			      "{\"kind\":\"status\",\"session\":"
			      "\"tg/group_%.*s\"}",
			      (int)group, step);
		return;
	}
	id += sender[len] == ':';
	lb_buf_printf(b,
		      "{\"kind\":\"message\",\"id\":\"%d\",\"bot\":\"tg\","
		      "\"launcher_type\":\"group\",\"launcher_id\":\"%.*s\","
		      "\"sender_id\":\"%.*s\",\"chain\":[{\"type\":\"Plain\","
		      "\"text\":\"%s\"}]}",
		      id, (int)group, step, (int)len, sender, sender + len + 1);
}

static void show_line(struct lb_buf *b, const char *text, size_t len)
{
	lb_autobuf struct lb_buf mended = {0}, said = {0};
	json_error_t why;
	json_auto_t *o = lb_load(&text, &len, &mended, &why);
	const char *kind = lb_json_str(o, "kind");
	const char *into = lb_json_str(o, "into");

	lb_buf_putc(b, ' ');
	if (strcmp(kind, "status") == 0) {
		lb_buf_printf(b, "!%s", lb_json_str(o, "session") + 9);
		return;
	}
	lb_buf_puts(b, lb_json_str(o, "id"));
	if (strcmp(kind, "drop") == 0) {
		lb_buf_printf(b, ">%s", into);
		return;
	}
	lb_chain_text(json_object_get(o, "chain"), &said);
	for (size_t i = 0; i < said.len; i++)
		if (said.data[i] == '\n')
			said.data[i] = '|';
	lb_buf_printf(b, "=%s", lb_buf_str(&said));
}

static int show(void *arg, const char *text, size_t len, struct lb_error *err)
{
	(void)err;
	while (len > 0) {
		size_t n =
			(size_t)((const char *)memchr(text, '\n', len) - text);

		show_line(arg, text, n);
		text += n + 1;
		len -= n + 1;
	}
	return 0;
}

static void run(struct lb_aggregate *a, struct lb_out *out, const char *script,
		struct lb_buf *b)
{
	lb_autofree char *copy = lb_strdup(script);
	char *save = NULL;
	struct lb_error err;
	int64_t now = 0;

	id = 0;
	for (char *step = strtok_r(copy, " ", &save); step;
	     step = strtok_r(NULL, " ", &save)) {
		lb_autobuf struct lb_buf text = {0};
		struct lb_line line = {.number = 1, .ended = true};

		if (*step == '@') {
			now = strtoll(step + 1, NULL, 10);
			lb_buf_printf(b, "%s%s", b->len ? " " : "", step);
			lb_aggregate_turn(a, now);
		} else if (strcmp(step, "end") == 0) {
			lb_aggregate_flush(a);
		} else {
			put_line(&text, step);
			line.text = text.data;
			line.len = text.len;
			if (lb_aggregate_line(a, &line, now, &err) < 0)
				lb_buf_printf(b, " (%s)", err.text);
		}
		lb_out_flush(out, &err);
	}
}

static struct lb_config *load(const char *settings)
{
	char path[] = "/tmp/lb-test-aggregate-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	struct lb_config *config;
	struct lb_error err;

	if (!f)
		exit(99);
	fprintf(f,
		"pipelines: {default: {trigger: {message-aggregation: "
		"{%s%s}}}}",
		settings, strstr(settings, "enabled") ? "" : "enabled: true");
	fclose(f);
	config = lb_config_load(path, &err);
	unlink(path);
	if (!config)
		printf("# %s\n", err.text);
	return config ? config : (exit(99), NULL);
}

/* More than may be held passes, and what waits goes out before it. */
static void test_bounds(void)
{
	lb_autobuf struct lb_buf got = {0}, script = {0};
	struct lb_config *config = load("");
	struct lb_out *out = lb_out_to(show, &got);
	struct lb_error err;
	struct lb_aggregate *a = lb_aggregate_open(config, out, 700, &err);
	char *p;

	/* what they are in one line is too long */
	run(a, out, "@0 a/7:one a/7:two a/7:three end", &got);
	tap_same("@0 2>1 1=one|two 3=three", lb_buf_str(&got),
		 "no line is longer than it may be");
	lb_aggregate_close(a);
	a = lb_aggregate_open(config, out, 1 << 20, &err);
	lb_buf_puts(&script, "@0");
	for (int i = 0; i < LB_AGGREGATE_WAITING + 1; i++)
		lb_buf_printf(&script, " %d/7:x", i);
	lb_buf_reset(&got);
	run(a, out, lb_buf_str(&script), &got);
	lb_out_flush(out, &err);
	tap_same("@0 1001=x", lb_buf_str(&got),
		 "beyond what may wait a message passes");
	lb_aggregate_flush(a);
	lb_out_flush(out, &err);
	p = lb_buf_str(&got) ? got.data : NULL;
	size_t n = 0;

	while (p && (p = strstr(p, "=x"))) {
		p++;
		n++;
	}
	tap_ok(n == LB_AGGREGATE_WAITING + 1, "and none of them is lost");
	tap_ok(lb_aggregate_due(a) == -1, "nothing waits then");
	lb_aggregate_close(a);
	lb_out_close(out);
	lb_config_close(config);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		lb_autobuf struct lb_buf got = {0};
		struct lb_error err;
		struct lb_config *config = load(rows[i].settings);
		struct lb_out *out = lb_out_to(show, &got);
		struct lb_aggregate *a =
			lb_aggregate_open(config, out, 1 << 20, &err);

		run(a, out, rows[i].script, &got);
		tap_same(rows[i].wanted, lb_buf_str(&got), rows[i].what);
		lb_aggregate_close(a);
		lb_out_close(out);
		lb_config_close(config);
	}
	test_bounds();
	return tap_end();
}
