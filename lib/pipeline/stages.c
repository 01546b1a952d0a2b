#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "pipeline/pipeline.h"
#include "pipeline/prompt.h"
#include "record/chain.h"

const struct lb_stage lb_stages[] = {
	{"accept", lb_stage_accept},
	{"route", lb_stage_route},
	{"stopped", lb_stage_stopped},
	{"respond", lb_stage_respond},
	{"command", lb_stage_command},
	{"prepare", lb_stage_prepare},
	{NULL, NULL},
};

static struct lb_flow *flow_open(const char *name, const json_t *config)
{
	struct lb_flow *flow = lb_alloc(sizeof(*flow));
	const char *runner =
		json_string_value(lb_json_path(config, "ai.runner.runner"));

	flow->name = lb_strdup(name);
	flow->runner = lb_strdup(runner ? runner : "local-agent");
	lb_prompt_make(&flow->prompt, config);
	flow->quotes = lb_json_bool(lb_json_path(config, "trigger.misc"),
				    "combine-quote-message", true);
	flow->speakers = lb_json_bool(lb_json_path(config, "ai.local-agent"),
				      "speakers", true);
	return flow;
}

const struct lb_flow *lb_flow_find(struct lb_pipeline *p, const char *name)
{
	const json_t *config;

	for (struct lb_flow *f = p->flows; f; f = f->next)
		if (strcmp(f->name, name) == 0)
			return f;
	config = lb_config_pipeline(p->config, name);
	if (!config)
		return NULL;
	struct lb_flow *flow = flow_open(name, config);

	flow->next = p->flows;
	p->flows = flow;
	return flow;
}

void lb_flows_release(struct lb_pipeline *p)
{
	while (p->flows) {
		struct lb_flow *flow = p->flows;

		p->flows = flow->next;
		free(flow->name);
		free(flow->runner);
		lb_buf_release(&flow->prompt);
		free(flow);
	}
}

void lb_message_release(struct lb_message *m)
{
	lb_buf_release(&m->session);
	lb_buf_release(&m->text);
	lb_buf_release(&m->content);
	lb_buf_release(&m->command);
	lb_buf_release(&m->answer);
	lb_buf_release(&m->reason);
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

static void put_query(struct lb_buf *b, const struct lb_message *m)
{
	static const char *const set[] = {
		"session",   "pipeline", "runner",  "prompt",     "user",
		"variables", "stream",   "command", "not_before", NULL,
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

static void start(struct lb_message *m, struct lb_pipeline *p,
		  const struct lb_record *r)
{
	struct lb_message fresh = {
		.pipeline = p,
		.record = r,
		.session = m->session,
		.text = m->text,
		.content = m->content,
		.command = m->command,
		.answer = m->answer,
		.reason = m->reason,
	};

	*m = fresh;
	lb_buf_reset(&m->session);
	lb_buf_reset(&m->text);
	lb_buf_reset(&m->content);
	lb_buf_reset(&m->command);
	lb_buf_reset(&m->answer);
	lb_buf_reset(&m->reason);
}

enum lb_verdict lb_message_run(struct lb_message *m, struct lb_pipeline *p,
			       const struct lb_record *r, struct lb_buf *out)
{
	enum lb_verdict verdict = LB_PASS;
	struct lb_error err;

	start(m, p, r);
	for (const struct lb_stage *s = lb_stages; s->name; s++) {
		m->stage = s->name;
		verdict = s->run(m, &err);
		if (verdict != LB_PASS)
			break;
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
