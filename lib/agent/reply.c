/* reply.c - the words in which a turn ends. */
#include <string.h>

#include "agent/turn.h"
#include "base/clock.h"
#include "record/chain.h"

void turn_begin_reply(struct lb_buf *b, const struct lb_record *query)
{
	static const char *const without[] = {
		"time",    "prompt", "user",         "variables", "stream",
		"command", "chain",  "text",         "runner",    "not_before",
		"part",    "final",  "conversation", "failed",    "model",
		"usage",   "rounds", "tools",        "ended",     "passed_over",
		NULL,
	};

	lb_splice(b, query, "reply", without);
	lb_put_int(b, "time", lb_clock_now());
}

/* The text, and the files that come with it; or NULL. */
static void put_text(struct lb_buf *b, const char *text, size_t len,
		     const json_t *files)
{
	json_t *one;
	size_t i;

	lb_buf_puts(b, ",\"chain\":[");
	if (len > 0)
		lb_chain_put_text(b, text, len);
	json_array_foreach((json_t *)(uintptr_t)files, i, one)
	{
		lb_buf_puts(b, i > 0 || len > 0 ? "," : "");
		lb_buf_json(b, one);
	}
	lb_buf_putc(b, ']');
	lb_put_strn(b, "text", text, len);
	lb_put_int(b, "part", 1);
	lb_put_bool(b, "final", true);
}

void turn_fit_reply(struct agent *a, size_t at, const struct lb_record *query)
{
	const struct lb_problem p =
		{"lb-agent", LB_CODE_LIMIT,
		 "the reply would be longer than a line may be", false, -1};

	if (a->pending.len - at <= a->options->max_line + 1)
		return;
	a->pending.len = at;
	lb_put_error(&a->pending, query, &p);
}

void turn_put_said(struct lb_buf *b, const struct lb_record *query,
		   const struct lb_buf *text)
{
	turn_begin_reply(b, query);
	put_text(b, lb_buf_str(text), text->len, NULL);
	lb_put_end(b);
}

/* Who it is of, and why of no other. */
static void put_model(const struct turn *t, struct lb_buf *b)
{
	lb_put_str(b, "model", t->model->label);
	if (t->passed)
		lb_put_json(b, "passed_over", t->passed);
}

/* What it took. */
static void put_effort(const struct turn *t, struct lb_buf *b)
{
	if (t->usage.input >= 0 || t->usage.output >= 0)
		lb_put_usage(b, &t->usage);
	lb_put_int(b, "rounds", t->rounds);
	tally_put(&t->tally, b);
}

void turn_put_reply(struct turn *t, struct lb_buf *b)
{
	turn_begin_reply(b, t->query);
	put_text(b, lb_buf_str(&t->text), t->text.len, t->attach.out);
	put_model(t, b);
	put_effort(t, b);
	if (t->ended)
		lb_put_str(b, "ended", t->ended);
	lb_put_end(b);
}

void turn_put_failed(struct turn *t, enum lb_code code, const char *why)
{
	struct agent *a = agent_of_session(t->session);
	struct lb_buf *b = &a->pending;
	size_t at = b->len;

	turn_begin_reply(b, t->query);
	put_text(b, lb_buf_str(&t->text), t->stream ? t->text.len : 0, NULL);
	lb_buf_puts(b, ",\"failed\":{\"code\":");
	lb_buf_json_str(b, lb_code_name(code), strlen(lb_code_name(code)));
	lb_put_str(b, "message", why);
	lb_buf_putc(b, '}');
	if (t->model)
		put_model(t, b);
	if (t->tally.n > 0)
		put_effort(t, b);
	lb_put_end(b);
	turn_fit_reply(a, at, t->query);
}
