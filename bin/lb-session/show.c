/* lb-session show */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session.h"

static bool json, all;

const struct lb_opt show_options[] = {
	{'a', "all", .help = "show conversations no longer in use too",
	 .flag = &all},
	{.name = "json",
	 .help = "write a line of JSON for each turn",
	 .flag = &json},
	{0},
};

/* The text of a message: its content, or that of its text parts. */
static void put_content(struct lb_buf *out, const json_t *content)
{
	const json_t *part;
	size_t i;

	if (json_is_string(content))
		lb_buf_put(out, json_string_value(content),
			   json_string_length(content));
	json_array_foreach(content, i, part)
	{
		const char *text = lb_json_str(part, "text");
		const char *type = lb_json_str(part, "type");

		if (i)
			lb_buf_putc(out, ' ');
		if (text)
			lb_buf_puts(out, text);
		else
			lb_buf_printf(out, "[%s]", type ? type : "?");
	}
}

/* What the model calls, a line each. */
static void put_calls(struct lb_buf *out, const json_t *calls)
{
	const json_t *call;
	size_t i;

	json_array_foreach(calls, i, call)
	{
		const json_t *function = json_object_get(call, "function");
		const char *name = lb_json_str(function, "name");
		const char *arguments = lb_json_str(function, "arguments");

		lb_buf_printf(out, "\n  calls %s: %s", name ? name : "?",
			      arguments ? arguments : "");
	}
}

static void print_visible(const struct lb_buf *raw)
{
	lb_autobuf struct lb_buf text = {0};

	lb_text_visible(&text, lb_buf_str(raw), raw->len);
	puts(lb_buf_str(&text));
}

static int print_turn(void *arg, const json_t *turn)
{
	lb_autobuf struct lb_buf text = {0};
	const json_t *messages = json_object_get(turn, "messages"), *m;
	char when[LB_CLOCK_TEXT];
	int64_t time = 0;
	size_t i;

	(void)arg;
	lb_json_int(turn, "time", &time);
	lb_clock_text(time, when);
	lb_buf_printf(&text, "\n%s%s", when,
		      lb_json_bool(turn, "complete", true) ? "" : " (cut off)");
	json_array_foreach(messages, i, m)
	{
		const char *role = lb_json_str(m, "role");

		const char *name = lb_json_str(m, "name");

		lb_buf_printf(&text, "\n%s%s%s: ", role ? role : "?",
			      name ? " " : "", name ? name : "");
		put_content(&text, json_object_get(m, "content"));
		put_calls(&text, json_object_get(m, "tool_calls"));
	}
	if (!messages || json_is_null(messages))
		lb_buf_puts(&text, "\n(this turn cannot be read)");
	print_visible(&text);
	return ferror(stdout);
}

static int print_conversation(struct lb_store *store, const json_t *c,
			      struct lb_error *err)
{
	lb_autobuf struct lb_buf head = {0};
	int64_t id = 0;

	lb_buf_printf(&head, "== %s, pipeline %s%s", lb_json_str(c, "session"),
		      lb_json_str(c, "pipeline"),
		      lb_json_bool(c, "in_use", false) ? ""
						       : ", no longer in use");
	print_visible(&head);
	lb_json_int(c, "conversation", &id);
	return lb_conversation_turns(store, id, print_turn, NULL, err);
}

/* 1 when there was something to show. */
static int show(struct lb_store *store, const char *name, struct lb_error *err)
{
	bool known = false, people = !json && isatty(STDOUT_FILENO);
	json_auto_t *list =
		session_conversations(store, name, all, &known, err);
	const json_t *c;
	size_t i;

	if (!list)
		return -1;
	if (!known)
		return session_unknown(name, err);
	if (json_array_size(list) == 0)
		lb_warn("no conversation of '%s' is in use; --all shows the "
			"earlier ones",
			name);
	json_array_foreach(list, i, c)
	{
		int r = people ? print_conversation(store, c, err)
			       : session_write_turns(store, c, err);

		if (r < 0)
			return -1;
	}
	return json_array_size(list) > 0;
}

int show_verb(int argc, char **argv)
{
	lb_autofree char *name = session_name(argv[0]);
	struct lb_error err;
	struct lb_store *store;
	int got = session_store(&store, &err);

	(void)argc;
	if (got == 0)
		got = session_unknown(name, &err);
	else if (got > 0)
		got = show(store, name, &err);
	lb_store_close(store);
	if (got < 0)
		return lb_report(&err);
	return got > 0 ? LB_OK : LB_NO;
}
