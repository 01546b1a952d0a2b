/*
 * offline - the built-in model: no network, no key, the same answer each
 * time. It says what it is, and plays failures on request:
 *
 *     offline            says what it is and what it was told
 *     offline:text=TEXT  answers TEXT
 *     offline:stream     the usual answer, word by word
 *     offline:tools      does what the user says, see offline-tools.c
 *     offline:timeout    nothing, then a time-out (after a second at most)
 *     offline:auth  offline:rate-limit  offline:malformed
 *     offline:truncated  some text, then the stream is cut
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"
#include "llm/offline-tools.h"
#include "llm/protocol.h"

enum { WORD_MS = 15, MAX_SILENCE = 1000, MAX_ECHO = 2000 };

struct play {
	struct lb_timer timer; /* first: it is cancelled with the call */
	struct lb_llm_call *call;
	struct lb_buf answer;
	size_t at;
	int64_t step_ms; /* between words; 0: all at once */
	int64_t tokens_in;
	const struct failure *failure; /* at the end; or NULL */
	struct lb_scripted script;     /* of offline:tools */
	size_t rounds;                 /* answers before this one */
};

static const struct failure {
	const char *name;
	enum lb_code code;
	int status;
	const char *message;
	bool partial; /* after half of the answer */
} failures[] = {
	{"timeout", LB_CODE_TIMEOUT, 0, "no answer in time", false},
	{"auth", LB_CODE_AUTH, 401, "the key was refused", false},
	{"rate-limit", LB_CODE_RATE, 429, "too many requests", false},
	{"malformed", LB_CODE_MALFORMED, 0, "the answer is not a JSON object",
	 false},
	{"truncated", LB_CODE_TRUNCATED, 0,
	 "the stream ended before the answer did", true},
};

static void put_content(struct lb_buf *out, const json_t *content)
{
	const json_t *part;
	size_t i;

	if (json_is_string(content))
		lb_buf_puts(out, json_string_value(content));
	json_array_foreach(content, i, part)
	{
		const char *text = lb_json_str(part, "text");

		if (text)
			lb_buf_puts(out, text);
	}
}

/* What the user said last, and how many messages there were. */
static void compose(struct play *p, const json_t *messages)
{
	lb_autobuf struct lb_buf said = {0};
	const json_t *message;
	size_t i, turns = 0;

	json_array_foreach(messages, i, message)
	{
		const char *role = lb_json_str(message, "role");

		if (!role || strcmp(role, "user") != 0)
			continue;
		turns++;
		lb_buf_reset(&said);
		put_content(&said, json_object_get(message, "content"));
		p->tokens_in += (int64_t)said.len / 4 + 1;
	}
	lb_buf_printf(&p->answer,
		      "This is the offline model: no network, no AI. "
		      "You said (message %zu): %.*s\n"
		      "For real answers set OPENAI_API_KEY, or LB_MODEL to "
		      "provider/model.",
		      turns,
		      (int)lb_utf8_cut(lb_buf_str(&said), said.len, MAX_ECHO),
		      lb_buf_str(&said));
}

/* The end of the word at p->at. */
static size_t word_end(const struct play *p)
{
	size_t at = p->at;

	if (p->step_ms == 0)
		return p->answer.len;
	while (at < p->answer.len && p->answer.data[at] != ' ')
		at++;
	return at < p->answer.len ? at + 1 : at;
}

/* No two calls of a conversation share an id. */
static void emit_calls(struct play *p)
{
	const json_t *call;
	size_t i;

	json_array_foreach(p->script.calls, i, call)
	{
		const char *text = lb_json_str(call, "arguments");
		char id[48];

		snprintf(id, sizeof(id), "call_%zu_%zu", p->rounds, i);
		lb_call_emit(p->call,
			     &(struct lb_llm_event){.kind = LB_LLM_TOOL_CALL,
						    .call_id = id,
						    .name = lb_json_str(call,
									"name"),
						    .text = text,
						    .len = strlen(text)});
	}
}

static void finish(struct play *p)
{
	const struct failure *f = p->failure;
	struct lb_llm_event last = {.kind = LB_LLM_END,
				    .finish =
					    json_array_size(p->script.calls) > 0
						    ? "tool_calls"
						    : "stop"};
	struct lb_usage usage = {p->tokens_in, (int64_t)p->answer.len / 4 + 1,
				 0};

	if (p->script.finish.len > 0)
		last.finish = p->script.finish.data;
	if (f)
		last = (struct lb_llm_event){.kind = LB_LLM_FAILED,
					     .code = f->code,
					     .status = f->status,
					     .message = f->message};
	else {
		emit_calls(p);
		lb_call_emit(p->call,
			     &(struct lb_llm_event){.kind = LB_LLM_USAGE,
						    .usage = usage});
	}
	lb_call_emit(p->call, &last); /* p is gone now */
}

static void step(void *arg)
{
	struct play *p = arg;
	size_t end = word_end(p), from = p->at;

	p->at = end;
	if (end > from)
		lb_call_emit(p->call, &(struct lb_llm_event){
					      .kind = LB_LLM_TEXT,
					      .text = p->answer.data + from,
					      .len = end - from,
				      });
	if (end == p->answer.len)
		finish(p);
	else
		lb_timer_set(lb_call_loop(p->call), &p->timer,
			     lb_clock_mono() + p->step_ms, step, p);
}

static void set_part(struct play *p, const struct lb_llm_request *request)
{
	const char *how = lb_call_model(p->call)->name;

	if (strncmp(how, "text=", 5) == 0) {
		lb_buf_puts(&p->answer, how + 5);
	} else if (strcmp(how, "tools") == 0) {
		lb_offline_script(&p->script, request->messages);
		lb_buf_put(&p->answer, lb_buf_str(&p->script.text),
			   p->script.text.len);
		p->rounds = json_array_size(request->messages);
		p->tokens_in = (int64_t)p->rounds;
	} else
		compose(p, request->messages);
	if (strcmp(how, "stream") == 0)
		p->step_ms = WORD_MS;
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (strcmp(how, failures[i].name) == 0)
			p->failure = &failures[i];
	if (p->failure)
		p->answer.len =
			lb_utf8_cut(lb_buf_str(&p->answer), p->answer.len,
				    p->failure->partial ? p->answer.len / 2
							: 0);
}

static void release(void *state)
{
	struct play *p = state;

	lb_buf_release(&p->answer);
	lb_scripted_release(&p->script);
}

bool lb_offline_knows(const char *name)
{
	bool known = !*name || strcmp(name, "stream") == 0 ||
		     strcmp(name, "tools") == 0 ||
		     strncmp(name, "text=", 5) == 0;

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		known |= strcmp(name, failures[i].name) == 0;
	return known;
}

static void play(struct lb_llm_call *call, const struct lb_llm_request *request)
{
	struct play *p = lb_call_state(call, sizeof(*p), release);
	int64_t first = lb_call_model(call)->first_byte_ms, wait = 0;

	p->call = call;
	set_part(p, request);
	if (p->failure && p->failure->code == LB_CODE_TIMEOUT)
		wait = first > 0 && first < MAX_SILENCE ? first : MAX_SILENCE;
	lb_timer_set(lb_call_loop(call), &p->timer, lb_clock_mono() + wait,
		     step, p);
}

const struct lb_protocol lb_offline = {
	.name = "offline",
	.play = play,
};
