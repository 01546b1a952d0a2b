/* answer.c - what a provider says, and whom it is for. */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "provider/names.h"
#include "provider/process.h"
#include "record/record.h"

static void take_list(struct lb_provider_call *c, const json_t *value)
{
	struct lb_provider *p = c->p;
	lb_autobuf struct lb_buf told = {0};
	const json_t *tools = json_object_get(value, "tools");
	json_t *known = lb_map_find(&p->tools, c->pipeline);
	json_auto_t *read =
		lb_tools_read(tools, p->bare ? NULL : p->name, &told);
	const struct lb_provider_answer answer = {.content = read};

	if (told.len > 0)
		lb_complain("provider '%s': %s", p->name, told.data);
	/* What was said before a change is not what holds now. */
	if (!known && c->changes == p->changes)
		lb_map_add(&p->tools, c->pipeline, json_incref(read));
	lb_call_list_known(p, c->pipeline);
	lb_call_finish(c, &answer);
}

/* Once for each run of it: a provider may be noisy for ever. */
static void warn_once(struct lb_provider *p, const char *what, const char *text,
		      size_t len)
{
	if (p->warned)
		return;
	p->warned = true;
	lb_warn("provider '%s': left out: %s%s%.*s", p->name, what,
		len > 0 ? ": " : "", (int)(len > 80 ? 80 : len), text);
}

static void take_failure(struct lb_provider_call *c, const json_t *value)
{
	const json_t *error = json_object_get(value, "error");
	const char *code = lb_json_str(error, "code");
	const char *message = lb_json_str(error, "message");

	if (!c->name) {
		lb_complain("provider '%s' does not list its tools: %s",
			    c->p->name, message ? message : "no reason given");
		lb_call_list_known(c->p, c->pipeline);
	}
	lb_call_finish(c, &(struct lb_provider_answer){
				  .code = code ? code : "tool",
				  .message = message ? message
						     : "no reason given"});
}

/* Neither a result nor a refusal: who wrote it has to read why. */
static void take_none(struct lb_provider_call *c, const json_t *value)
{
	const char *why = "'ok' is neither true nor false";

	if (json_is_true(json_object_get(value, "ok")))
		why = c->name ? "'content' is neither a text nor an array"
			      : "'tools' is no array";
	warn_once(c->p, why, "", 0); /* it may be a person's */
	lb_call_finish(c, &(struct lb_provider_answer){.code = "malformed",
						       .message = why});
}

static void take_answer(struct lb_provider *p, const json_t *value,
			const char *text, size_t len)
{
	const char *id = lb_json_str(value, "id");
	struct lb_provider_call *c = id ? lb_map_find(&p->calls, id) : NULL;
	const json_t *content = json_object_get(value, "content");
	bool good;

	if (!c) {
		warn_once(p, "it answers nothing that was asked", text, len);
		return;
	}
	good = c->name ? json_is_string(content) || json_is_array(content)
		       : json_is_array(json_object_get(value, "tools"));
	if (json_is_true(json_object_get(value, "ok")) && good) {
		if (!c->name) {
			take_list(c, value);
			return;
		}
		p->failures = 0;
		lb_call_finish(c, &(struct lb_provider_answer){
					  .content = content});
	} else if (json_is_false(json_object_get(value, "ok"))) {
		take_failure(c, value);
	} else {
		take_none(c, value);
	}
}

static int take_hello(struct lb_provider *p, const json_t *value,
		      struct lb_error *err)
{
	int64_t version = 0;

	if (!lb_json_int(value, "version", &version) || version != 1)
		return lb_fail(err, LB_PROTOCOL,
			       "it does not speak version 1 of lb-provider(7)");
	lb_timer_cancel(p->loop, &p->timer);
	p->state = READY;
	lb_log(LB_INFO, NULL, "provider '%s' is ready", p->name);
	lb_client_ready(p);
	return 0;
}

int lb_client_line(struct lb_provider *p, const char *text, size_t len,
		   struct lb_error *err)
{
	lb_autobuf struct lb_buf mended = {0};
	json_auto_t *value = lb_record_load(text, len, &mended);
	const char *event;

	if (!json_is_object(value)) {
		warn_once(p, "it is no JSON object", text, len);
		return 0;
	}
	if (p->state == STARTING)
		return take_hello(p, value, err);
	event = lb_json_str(value, "event");
	if (event && strcmp(event, "changed") == 0)
		lb_client_forget(p);
	else if (!event)
		take_answer(p, value, text, len);
	return 0;
}
