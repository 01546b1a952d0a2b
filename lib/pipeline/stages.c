#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"
#include "config/notice.h"
#include "pipeline/prompt.h"
#include "pipeline/stages.h"
#include "record/chain.h"

const struct lb_stage lb_stages[] = {
	{"accept", lb_stage_accept},   {"route", lb_stage_route},
	{"stopped", lb_stage_stopped}, {"respond", lb_stage_respond},
	{"access", lb_stage_access},   {"limit", lb_stage_limit},
	{"filter", lb_stage_filter},   {"command", lb_stage_command},
	{"prepare", lb_stage_prepare}, {NULL, NULL},
};

void lb_message_release(struct lb_message *m)
{
	json_decref(m->cut);
	lb_buf_release(&m->session);
	lb_buf_release(&m->form);
	lb_buf_release(&m->keys);
	lb_buf_release(&m->text);
	lb_buf_release(&m->content);
	lb_buf_release(&m->command);
	lb_buf_release(&m->answer);
	lb_buf_release(&m->reason);
	lb_buf_release(&m->trace);
}

static void put_variables(struct lb_buf *b, const struct lb_message *m)
{
	lb_buf_puts(b, ",\"variables\":{\"launcher_type\":");
	lb_buf_json_str(b, m->launcher_type, strlen(m->launcher_type));
	lb_put_str(b, "launcher_id", m->launcher_id);
	lb_put_str(b, "sender_id", m->sender_id);
	lb_put_str(b, "session_id",
		   lb_buf_str(&m->session) + strlen(m->bot) + 1);
	lb_put_int(b, "msg_create_time", m->time / 1000);
	lb_put_str(b, "group_name", m->group_name);
	lb_put_str(b, "sender_name", m->sender_name);
	lb_put_strn(b, "user_message_text", lb_buf_str(&m->text), m->text.len);
	lb_buf_putc(b, '}');
}

/* The one it belongs to, where that is not the session's. */
static void put_conversation(struct lb_buf *b, const struct lb_message *m)
{
	lb_autobuf struct lb_buf name = {0};

	if (lb_conversation_name(&name, m, m->flow->shared))
		lb_put_strn(b, "conversation", name.data, name.len);
}

static void put_query(struct lb_buf *b, const struct lb_message *m)
{
	static const char *const set[] = {
		"session",    "pipeline",     "runner", "prompt",
		"user",       "variables",    "stream", "command",
		"not_before", "conversation", NULL,
	};

	lb_splice(b, m->record, "query", set);
	lb_put_strn(b, "session", m->session.data, m->session.len);
	lb_put_str(b, "pipeline", m->flow->name);
	lb_put_str(b, "runner", m->flow->runner);
	lb_buf_puts(b, ",\"prompt\":");
	lb_prompt_put(b, &m->flow->prompt, m);
	lb_buf_puts(b, ",\"user\":{\"role\":\"user\",\"content\":");
	lb_buf_put(b, m->content.data, m->content.len);
	lb_buf_putc(b, '}');
	put_variables(b, m);
	lb_put_bool(b, "stream", m->stream);
	put_conversation(b, m);
	if (m->command.len > 0)
		lb_put_raw(b, "command", m->command.data, m->command.len);
	if (m->not_before > 0)
		lb_put_int(b, "not_before", m->not_before);
	lb_put_end(b);
}

static void put_answer(struct lb_buf *b, const struct lb_message *m)
{
	static const char *const set[] = {
		"time", "session", "pipeline", "chain",      "text",
		"part", "final",   "failed",   "not_before", NULL,
	};

	lb_splice(b, m->record, "reply", set);
	lb_put_int(b, "time", lb_clock_now());
	lb_put_strn(b, "session", m->session.data, m->session.len);
	if (m->flow)
		lb_put_str(b, "pipeline", m->flow->name);
	lb_buf_puts(b, ",\"chain\":");
	lb_chain_put_plain(b, lb_buf_str(&m->answer), m->answer.len);
	lb_put_strn(b, "text", lb_buf_str(&m->answer), m->answer.len);
	lb_put_int(b, "part", 1);
	lb_put_bool(b, "final", true);
	lb_put_end(b);
}

void lb_message_begin(struct lb_message *m, struct lb_pipeline *p,
		      const struct lb_record *r)
{
	struct lb_message fresh = {
		.pipeline = p,
		.record = r,
		.session = m->session,
		.form = m->form,
		.keys = m->keys,
		.text = m->text,
		.content = m->content,
		.command = m->command,
		.answer = m->answer,
		.reason = m->reason,
		.trace = m->trace,
	};

	json_decref(m->cut);
	*m = fresh;
	lb_buf_reset(&m->session);
	lb_buf_reset(&m->form);
	lb_buf_reset(&m->trace);
	lb_buf_reset(&m->text);
	lb_buf_reset(&m->content);
	lb_buf_reset(&m->command);
	lb_buf_reset(&m->answer);
	lb_buf_reset(&m->reason);
}

const struct lb_buf *lb_message_form(struct lb_message *m)
{
	if (!m->has_form) {
		lb_buf_reset(&m->form);
		lb_chain_text(m->chain, &m->form);
		m->has_form = true;
	}
	return &m->form;
}

enum lb_verdict lb_because(struct lb_message *m, enum lb_verdict verdict,
			   const char *fmt, ...)
{
	char text[LB_ERROR_TEXT];
	va_list args;

	if (verdict == LB_PASS && !m->pipeline->explain)
		return verdict;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	lb_buf_reset(&m->reason);
	lb_utf8_clean(&m->reason, text, strlen(text));
	return verdict;
}

enum lb_verdict lb_refuse(struct lb_message *m, const char *notice,
			  const char *why)
{
	lb_notice_put(&m->answer, m->pipeline->config, notice,
		      (const char *)NULL);
	return lb_because(m, m->answer.len > 0 ? LB_ANSWER : LB_DROP, "%s",
			  why);
}

enum lb_verdict lb_message_run(struct lb_message *m, struct lb_pipeline *p,
			       const struct lb_record *r, struct lb_buf *out)
{
	enum lb_verdict verdict = LB_PASS;
	struct lb_error err;

	lb_message_begin(m, p, r);
	for (const struct lb_stage *s = lb_stages; s->name; s++) {
		m->stage = s->name;
		lb_buf_reset(&m->reason);
		verdict = s->run(m, &err);
		if (verdict != LB_PASS)
			break;
		if (p->explain && m->reason.len > 0)
			lb_buf_printf(&m->trace, "%s: %s; ", s->name,
				      m->reason.data);
	}
	if (verdict == LB_PASS) {
		put_query(out, m);
	} else if (verdict == LB_ANSWER) {
		put_answer(out, m);
	} else if (verdict == LB_DROP) {
		lb_put_drop(out, r, m->stage, lb_buf_str(&m->reason));
	} else {
		const struct lb_problem why = {m->stage, lb_code_of(&err),
					       err.text, false, -1};

		lb_buf_reset(&m->reason);
		lb_buf_puts(&m->reason, err.text);
		lb_put_error(out, r, &why);
	}
	return verdict;
}
