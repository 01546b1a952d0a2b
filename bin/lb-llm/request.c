/* request.c - one request record on its way to its response. */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "work.h"

void entry_free(struct entry *e)
{
	lb_failover_cancel(e->asked);
	lb_buf_release(&e->line);
	lb_record_release(&e->record);
	ask_release(&e->ask);
	json_decref(e->messages);
	json_decref(e->options);
	free(e->text);
	free(e);
}

struct entry *entry_add(struct work *w)
{
	struct entry *e = lb_alloc(sizeof(*e));

	e->work = w;
	*w->end = e;
	w->end = &e->next;
	w->held++;
	return e;
}

void entry_fail(struct entry *e, enum lb_code code, const char *why)
{
	const struct lb_problem p = {"lb-llm", code, why,
				     lb_code_is_passing(code), -1};

	lb_put_error(&e->line, &e->record, &p);
	e->done = true;
}

static void on_over(void *arg)
{
	static const char *const without[] = {
		"messages", "prompt", "system",      "options",
		"tools",    "stream", "text",        "usage",
		"finish",   "model",  "passed_over", NULL,
	};
	struct entry *e = arg;

	e->work->in_flight--;
	e->asked = NULL;
	e->done = true;
	if (e->ask.failed) {
		entry_fail(e, e->ask.code, e->ask.message);
		return;
	}
	lb_splice(&e->line, &e->record, "response", without);
	ask_put(&e->line, &e->ask);
	lb_put_end(&e->line);
}

struct lb_model *entry_model(struct entry *e, enum lb_model_use use,
			     struct lb_error *err)
{
	struct work *w = e->work;
	const char *spec = lb_json_str(e->record.json, "model");
	lb_autofree char *key = NULL;
	struct lb_model *m;

	if (!spec)
		spec = w->how->model ? w->how->model : "";
	key = lb_printf("%d %s", (int)use, spec);
	m = lb_map_find(&w->models, key);
	if (m)
		return m;
	m = lb_model_open_for(w->how->config, use, spec, err);
	if (m)
		lb_map_add(&w->models, key, m);
	return m;
}

json_t *entry_options(const struct entry *e)
{
	json_t *options = json_deep_copy(e->work->how->options);
	const json_t *own = json_object_get(e->record.json, "options");

	if (json_is_object(own))
		lb_json_merge(options, own);
	return options;
}

/* `messages`, or `system` and `prompt`. */
static json_t *messages_of(const json_t *o)
{
	json_t *messages = json_object_get(o, "messages");
	json_t *prompt = json_object_get(o, "prompt");
	json_t *system = json_object_get(o, "system");

	if (json_is_array(messages))
		return json_incref(messages);
	messages = json_array();
	if (json_is_string(system))
		json_array_append_new(messages,
				      lb_json_pack("{s:s, s:O}", "role",
						   "system", "content",
						   system));
	if (json_is_string(prompt))
		json_array_append_new(messages,
				      lb_json_pack("{s:s, s:O}", "role", "user",
						   "content", prompt));
	return messages;
}

void entry_show(struct entry *e, json_t *take, const struct lb_error *err)
{
	if (!take) {
		entry_fail(e, lb_code_of(err), err->text);
		return;
	}
	lb_buf_json(&e->line, take);
	lb_buf_putc(&e->line, '\n');
	json_decref(take);
	e->done = true;
}

/* Who is asked in turn, the same for all that name that model. */
static const struct lineup *lineup_of(struct entry *e)
{
	struct work *w = e->work;
	bool named = w->how->model || lb_json_str(e->record.json, "model");
	lb_autofree char *key = lb_printf("%d %s", (int)named, e->model->label);
	struct lineup *l = lb_map_find(&w->lineups, key);

	if (l)
		return l;
	l = lb_alloc(sizeof(*l));
	lineup_behind(l, w->how->config, e->model, named, &w->how->patience);
	lb_map_add(&w->lineups, key, l);
	return l;
}

static void start(struct entry *e)
{
	struct work *w = e->work;
	struct lb_error err;

	if (w->how->dry_run) {
		entry_show(e, lb_llm_dry_run(e->model, &e->request, &err),
			   &err);
		return;
	}
	w->in_flight++;
	e->asked = ask_start(&e->ask, lineup_of(e), w->loop, w->llm,
			     &e->request, &err);
	if (e->asked)
		return;
	w->in_flight--;
	entry_fail(e, lb_code_of(&err), err.text);
}

void entry_ask(struct entry *e)
{
	struct work *w = e->work;
	const json_t *o = e->record.json;
	struct lb_error err;

	if (entry_is_vectors(e)) {
		entry_vectors(e);
		return;
	}
	e->options = entry_options(e);
	e->ask.usage = (struct lb_usage){-1, -1, -1};
	e->ask.on_over = on_over;
	e->ask.arg = e;
	e->messages = messages_of(o);
	if (json_array_size(e->messages) == 0) {
		entry_fail(e, LB_CODE_USAGE,
			   "a request needs 'messages', 'prompt', 'input' "
			   "or 'documents'");
		return;
	}
	e->model = entry_model(e, LB_FOR_CHAT, &err);
	if (!e->model) {
		entry_fail(e, lb_code_of(&err), err.text);
		return;
	}
	e->request = (struct lb_llm_request){
		.messages = e->messages,
		.tools = json_object_get(o, "tools"),
		.options = e->options,
		.stream = lb_json_bool(o, "stream", false),
		.strict = w->how->strict,
	};
	start(e);
}
