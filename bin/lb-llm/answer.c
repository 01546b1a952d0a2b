/* answer.c - asking, and what is done with the answer. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "chat.h"
#include "record/record.h"

void chat_release(struct chat *c)
{
	json_decref(c->options);
	json_decref(c->schema);
	json_decref(c->fresh);
	json_decref(c->messages);
	lb_regex_close(c->quiet);
	lineup_close(&c->models);
	lb_store_close(c->store);
	lb_config_close(c->config);
	lb_out_close(c->out);
	lb_buf_release(&c->tail);
	ask_release(&c->ask);
}

/* What c->tail holds of a whole line, or all of it. */
static void print_tail(struct chat *c, bool all)
{
	const char *end =
		all || c->terminal
			? lb_buf_str(&c->tail) + c->tail.len
			: memrchr(lb_buf_str(&c->tail), '\n', c->tail.len);
	size_t len = end ? (size_t)(end - lb_buf_str(&c->tail)) : 0;
	struct lb_error err;

	len += end && !all && !c->terminal; /* the line end too */
	lb_out_put(c->out, lb_buf_str(&c->tail), len);
	lb_buf_shift(&c->tail, len);
	if (lb_out_flush(c->out, &err) < 0 && lb_out_left(c->out))
		lb_die_of_sigpipe();
}

/*
 * Text to standard output: as it comes on a terminal, without what that would
 * obey; else by lines, so that of several who write to one file or pipe each
 * line stays whole.
 */
static void print(struct chat *c, const char *text, size_t len)
{
	if (len == 0)
		return;
	c->ended_line = text[len - 1] == '\n';
	if (c->terminal)
		lb_text_visible(&c->tail, text, len);
	else
		lb_buf_put(&c->tail, text, len);
	print_tail(c, false);
}

static void on_text(void *arg, const char *text, size_t len)
{
	print(arg, text, len);
}

static void end_line(struct chat *c)
{
	if (c->ask.text.len > 0 && !c->ended_line)
		print(c, "\n", 1);
}

/* Is the answer to be printed as it comes? */
static bool flows(const struct chat *c)
{
	return !c->as_json && !c->schema && !c->quiet;
}

/*
 * Nothing here answers a call, which the options alone can have asked for, and
 * no model takes one back that is not answered: it is in the record of --json,
 * and not in the conversation. Nor is what the provider kept with it.
 */
static void tell_calls(const struct chat *c)
{
	const json_t *call = json_array_get(c->ask.calls, 0);

	if (call && !c->as_json)
		lb_warn("the model calls '%s', which nothing here answers; "
			"--json prints it",
			lb_json_str(call, "name"));
}

static json_t *answer_of(const struct chat *c)
{
	return lb_json_pack("{s:s, s:o, s:O*}", "role", "assistant", "content",
			    lb_json_text(lb_buf_str(&c->ask.text),
					 c->ask.text.len),
			    "keep", c->ask.calls ? NULL : c->ask.keep);
}

/* A history that cannot be kept is no reason to lose the answer. */
static void remember(struct chat *c)
{
	json_auto_t *turn = json_copy(c->fresh);
	struct lb_error err;
	const char *name = c->session ? c->session : "last";

	/* What was said for the schema's sake is not part of what was said. */
	if (c->schema)
		json_array_remove(turn, json_array_size(turn) - 2);

	if (!c->keep || c->ask.text.len == 0)
		return;
	json_array_append_new(turn, answer_of(c));
	if (!c->store)
		c->store = history_open(&err);
	if (!c->store || history_add(c->store, name, !c->session, turn,
				     !c->ask.failed, &err) < 0)
		lb_warn("the conversation is not kept: %s", err.text);
}

static void print_record(struct chat *c)
{
	lb_autobuf struct lb_buf b = {0};

	lb_put_begin(&b, "response");
	ask_put(&b, &c->ask);
	lb_put_end(&b);
	print(c, b.data, b.len);
}

/* What came of a failed answer is in its error record. */
static void print_failure(struct chat *c)
{
	lb_autobuf struct lb_buf b = {0};

	lb_put_begin(&b, "error");
	lb_put_str(&b, "stage", "lb-llm");
	lb_put_str(&b, "code", lb_code_name(c->ask.code));
	lb_put_str(&b, "message", c->ask.message);
	lb_put_bool(&b, "retryable", lb_code_is_passing(c->ask.code));
	ask_put(&b, &c->ask);
	lb_put_end(&b);
	print(c, b.data, b.len);
}

/* The answer is here: what of it is printed? */
static void show(struct chat *c)
{
	const struct lb_buf *text = &c->ask.text;

	if (c->quiet &&
	    lb_regex_search(c->quiet, lb_buf_str(text), text->len, NULL))
		return;
	if (c->as_json) {
		print_record(c);
		return;
	}
	if (!flows(c))
		print(c, lb_buf_str(text), text->len);
	end_line(c);
}

int chat_run(struct chat *c)
{
	struct lb_error err;

	c->out = lb_out_open(STDOUT_FILENO);
	c->terminal = isatty(STDOUT_FILENO);
	if (flows(c))
		c->ask.on_text = on_text;
	c->ask.arg = c;
	if (ask_models(&c->ask, &c->models, &c->request, c->timeout_ms, &err) <
	    0)
		return lb_report(&err);
	if (c->schema && keep_to_schema(c, &err) < 0)
		return lb_report(&err);
	if (c->ask.failed && c->as_json)
		print_failure(c);
	else if (c->ask.failed && flows(c))
		end_line(c);
	else if (!c->ask.failed)
		show(c);
	print_tail(c, true);
	tell_calls(c);
	remember(c);
	if (c->want_usage)
		tell_usage(&c->ask.usage);
	if (lb_out_flush(c->out, &err) < 0)
		return lb_report(&err);
	if (!c->ask.failed)
		return LB_OK;
	if (lb_stop_signal())
		lb_stop_raise();
	lb_complain("%s: %s", lb_code_name(c->ask.code), c->ask.message);
	return lb_code_exit(c->ask.code);
}
