/* calls.c - the calls of a round, all at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/turn.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "llm/schema.h"
#include "record/load.h"

/*
 * Names that a model is told when it calls a tool that is none; how deep
 * arguments nest, as what takes them wraps them; bytes of those that are none.
 */
enum { MAX_NAMED = 50, MAX_DEPTH = 256, MAX_BAD = 4096 };

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

static void settle(struct work *w, json_t *result, bool failed)
{
	struct turn *t = w->turn;

	w->asked = NULL;
	w->result = result;
	w->failed = failed;
	w->ms = lb_clock_mono() - w->began;
	if (--t->left == 0)
		turn_called(t);
}

static void refuse(struct work *w, const char *text)
{
	settle(w, result_error(w->turn, w, text), true);
}

static void on_answer(void *arg, const struct lb_provider_answer *answer)
{
	struct work *w = arg;
	struct turn *t = w->turn;
	lb_autobuf struct lb_buf text = {0};
	json_t *result;
	bool failed = !answer->content;

	w->asked = NULL;
	if (failed) {
		lb_buf_printf(&text, "%s: %s", answer->code, answer->message);
		result = result_error(t, w, lb_buf_str(&text));
	} else {
		result = result_of(w, answer->content);
		if (active_is_by(w->source, w->own))
			active_note(t, answer->content);
	}
	if (repeat_note(t, w->key,
			failed ? json_object_get(result, "content")
			       : answer->content)) {
		json_decref(result);
		failed = true;
		result = result_error(t, w,
				      "the same call had the same result each "
				      "time before, and is not worth making "
				      "again: use the result, try something "
				      "else, or answer");
	}
	settle(w, result, failed);
}

static void refuse_unknown(struct work *w)
{
	const struct toolset *set = &w->turn->tools;
	lb_autobuf struct lb_buf text = {0};

	lb_buf_printf(&text, "there is no tool '%.64s'; there %s", w->name,
		      set->n > 0 ? "are: " : "are none");
	for (size_t i = 0; i < set->n && i < MAX_NAMED; i++)
		lb_buf_printf(&text, "%s%s", i ? ", " : "", set->at[i].name);
	refuse(w, lb_buf_str(&text));
}

/* Any value; new, or NULL and why it is none that is taken. */
static json_t *load(const char *text, json_error_t *why)
{
	json_t *value = NULL;
	const char *fault = NULL;

	if (lb_has_too_many(text, strlen(text)))
		fault = "too many values";
	else
		value = json_loads(text, JSON_ALLOW_NUL | JSON_DECODE_ANY, why);
	if (value && lb_json_is_deep(value, MAX_DEPTH))
		fault = "nested too deep";
	if (!fault)
		return value;
	json_decref(value);
	*why = (json_error_t){.line = 1, .column = 1};
	snprintf(why->text, sizeof(why->text), "%s", fault);
	return NULL;
}

/*
 * What the model meant: an object, or NULL and it was told. Nothing runs with
 * arguments that are guessed; none at all are {}.
 */
static bool read_arguments(struct work *w, const char *text)
{
	lb_autobuf struct lb_buf why = {0};
	json_error_t bad;

	if (!text[strspn(text, " \t\r\n")] || strcmp(text, "null") == 0)
		text = "{}";
	w->arguments = load(text, &bad);
	if (json_is_object(w->arguments))
		return true;
	if (!w->arguments)
		lb_buf_printf(&why,
			      "the arguments are not valid JSON (%s, line %d, "
			      "column %d); the tool was not run. Call it again "
			      "with all of them.",
			      bad.text, bad.line, bad.column);
	else
		lb_buf_puts(&why, "the arguments are not a JSON object; the "
				  "tool was not run.");
	json_decref(w->arguments);
	w->arguments = NULL;
	w->turn->bad_call = true;
	lb_warn("call '%s' of tool '%.64s' is not run: %s", w->id, w->name,
		lb_buf_str(&why));
	refuse(w, lb_buf_str(&why));
	return false;
}

/* Do they fit the tool's schema? Else the model was told. */
static bool check_arguments(struct work *w, const struct tool *tool)
{
	const json_t *schema =
		lb_json_path(tool->entry, "spec.function.parameters");
	lb_autobuf struct lb_buf why = {0};
	struct lb_error err;

	if (lb_schema_check(schema, w->arguments, &err) == 0)
		return true;
	lb_buf_printf(&why,
		      "the arguments do not fit: %s; the tool was not run",
		      err.text);
	refuse(w, lb_buf_str(&why));
	return false;
}

/* How long it may take: as configured, within what the turn has left. */
static int64_t timeout_of(const struct turn *t)
{
	int64_t ms = lb_config_ms(agent_of(t)->options->config,
				  "tools.call-timeout");
	int64_t left =
		t->clock.slot ? t->clock.at - lb_clock_mono() : INT64_MAX;

	if (ms <= 0 || ms > INT32_MAX)
		ms = INT32_MAX; /* none */
	return left < ms ? left : ms;
}

static void call_provider(struct work *w, const struct tool *tool)
{
	struct turn *t = w->turn;
	const struct asker who = turn_asker(t);
	const struct lb_subject of = lb_record_subject(t->query);
	json_auto_t *context = asker_context(&who);

	lb_log(LB_INFO, &of, "calls '%s'", tool->name);
	w->asked = lb_provider_start(tool->provider,
				     &(struct lb_provider_request){
					     .name = tool->own,
					     .arguments = w->arguments,
					     .context = context,
					     .timeout_ms = timeout_of(t),
				     },
				     on_answer, w);
}

static void read_result(struct work *w)
{
	lb_autofree char *why = NULL;
	json_t *result = result_read(w->turn, w->arguments, &why);

	if (!result) {
		refuse(w, why);
		return;
	}
	w->source = "lb";
	settle(w, result_of(w, result), false);
	json_decref(result);
}

/* Rights are looked at once more: the list is what the model was shown. */
static bool may(const struct turn *t, const struct tool *tool)
{
	const struct asker who = turn_asker(t);
	struct lb_grants g;

	asker_grants(&g, agent_of(t), &who);
	return lb_grants_allow(&g, tool->name, tool->own);
}

static void begin(struct work *w, const char *arguments)
{
	struct turn *t = w->turn;
	const struct tool *tool = toolset_find(&t->tools, w->name);
	bool ours =
		!tool && strcmp(w->name, READ_RESULT) == 0 && result_was_cut(t);
	lb_autobuf struct lb_buf why = {0};

	if (!ours && (!tool || !may(t, tool))) {
		refuse_unknown(w);
		return;
	}
	if (tool) {
		w->source = lb_provider_name(tool->provider);
		w->own = tool->own;
	}
	if (!read_arguments(w, arguments) ||
	    (tool && !check_arguments(w, tool)))
		return;
	if (ours) {
		read_result(w);
		return;
	}
	if (!active_allows(t, tool, w->arguments, &why)) {
		refuse(w, lb_buf_str(&why));
		return;
	}
	w->key = repeat_key(w->name, w->arguments);
	if (repeat_is_over(t, w->key)) {
		t->stop = "repeat";
		refuse(w, "the same call again: it is not made any more");
		return;
	}
	call_provider(w, tool);
}

/* In the history stands JSON: what was none is kept in some. */
static void mend_arguments(json_t *call)
{
	json_t *function = json_object_get(call, "function");
	const char *text = lb_json_str(function, "arguments");
	json_error_t why;
	json_auto_t *value = load(text, &why);
	lb_autobuf struct lb_buf mended = {0};

	if (json_is_object(value))
		return;
	if (!text[strspn(text, " \t\r\n")] || strcmp(text, "null") == 0) {
		lb_buf_puts(&mended, "{}");
	} else {
		lb_buf_puts(&mended, "{\"truncated\":true,\"text\":");
		lb_buf_json_str(&mended, text,
				lb_utf8_cut(text, strlen(text), MAX_BAD));
		lb_buf_putc(&mended, '}');
	}
	json_object_set_new(function, "arguments",
			    lb_json_text(mended.data, mended.len));
}

void calls_run(struct turn *t)
{
	json_auto_t *calls = json_incref(t->calls);
	size_t n = json_array_size(calls);

	turn_put_message(t);
	t->works = lb_alloc(n * sizeof(*t->works));
	t->n_works = t->left = n;
	t->calls = json_incref(calls); /* what the works borrow from */
	for (size_t i = 0; i < n; i++) {
		json_t *call = json_array_get(calls, i);
		const json_t *function = json_object_get(call, "function");
		lb_autofree char *text =
			lb_strdup(lb_json_str(function, "arguments"));
		struct work *w = &t->works[i];

		w->turn = t;
		w->id = lb_json_str(call, "id");
		w->name = lb_json_str(function, "name");
		w->began = lb_clock_mono();
		mend_arguments(call);
		begin(w, text);
	}
}

void calls_cancel(struct turn *t, const char *why)
{
	for (size_t i = 0; i < t->n_works; i++) {
		struct work *w = &t->works[i];

		if (w->asked)
			lb_provider_cancel(w->asked);
		w->asked = NULL;
		if (!w->result) {
			w->result = result_error(t, w, why);
			w->failed = true;
			w->ms = lb_clock_mono() - w->began;
		}
	}
	t->left = 0;
}

void calls_gather(struct turn *t)
{
	if (t->n_works == 0)
		return;
	for (size_t i = 0; i < t->n_works; i++) {
		tally_add(t, &t->works[i]);
		json_array_append(t->made, t->works[i].result);
	}
	calls_release(t);
	json_decref(t->calls);
	t->calls = NULL;
}

void calls_release(struct turn *t)
{
	for (size_t i = 0; i < t->n_works; i++) {
		json_decref(t->works[i].arguments);
		json_decref(t->works[i].result);
		free(t->works[i].key);
	}
	free(t->works);
	t->works = NULL;
	t->n_works = t->left = 0;
}
