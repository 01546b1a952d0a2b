#include "provider/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "provider/process.h"
#include "record/record.h"

static void free_call(struct lb_provider_call *c)
{
	struct lb_provider *p = c->p;

	if (c->state == SENT)
		lb_map_remove(&p->calls, c->id);
	*(c->prev ? &c->prev->next : &p->first) = c->next;
	*(c->next ? &c->next->prev : &p->last) = c->prev;
	lb_timer_cancel(p->loop, &c->timer);
	free(c->name);
	free(c->pipeline);
	json_decref(c->arguments);
	json_decref(c->context);
	free(c->why);
	free(c);
}

/* Its end: tell who asked, and forget it. */
void lb_call_finish(struct lb_provider_call *c,
		    const struct lb_provider_answer *answer)
{
	lb_provider_fn *fn = c->fn;
	void *arg = c->arg;
	struct lb_provider_answer last = *answer;
	lb_autofree char *why = lb_steal(&c->why);

	if (why)
		last.message = why;
	free_call(c);
	if (fn)
		fn(arg, &last);
}

static void on_settled(void *arg)
{
	struct lb_provider_call *c = arg;
	struct lb_provider_answer answer = {.code = c->code};

	if (!c->code)
		answer.content = lb_provider_tools(c->p, c->pipeline);
	if (!c->code && !answer.content) {
		answer.code = "changed";
		answer.message = "its tools are not known now";
	}
	lb_call_finish(c, &answer);
}

/* It ends as soon as the loop turns; code NULL: with the list that is known. */
static void settle(struct lb_provider_call *c, const char *code,
		   const char *why)
{
	if (c->state == SENT)
		lb_map_remove(&c->p->calls, c->id);
	c->state = SETTLED;
	c->code = code;
	free(c->why);
	c->why = why ? lb_strdup(why) : NULL;
	lb_timer_set(c->p->loop, &c->timer, lb_clock_mono(), on_settled, c);
}

static void does_not_end(void *arg)
{
	const struct lb_provider_call *c = arg;

	lb_process_break(c->p, "it does not end a call that was cancelled");
}

/* Have the provider end it: it has two seconds. */
static void tell_to_end(struct lb_provider_call *c)
{
	char line[64];
	struct lb_error err;
	int len = snprintf(line, sizeof(line),
			   "{\"op\":\"cancel\",\"id\":\"%s\"}\n", c->id);

	c->fn = NULL;
	if (lb_process_send(c->p, line, (size_t)len, &err) < 0)
		lb_log(LB_DEBUG, NULL, "provider '%s': %s", c->p->name,
		       err.text);
	lb_timer_set(c->p->loop, &c->timer, lb_clock_mono() + c->p->cancel_ms,
		     does_not_end, c);
}

static void too_late(void *arg)
{
	struct lb_provider_call *c = arg;
	lb_provider_fn *fn = c->fn;
	void *of = c->arg;
	const struct lb_provider_answer answer =
		{.code = "timeout", .message = "there was no answer in time"};

	if (!c->name && c->state == SENT)
		lb_complain("provider '%s' does not list its tools in time",
			    c->p->name);
	if (c->state != SENT)
		free_call(c);
	else
		tell_to_end(c);
	if (fn)
		fn(of, &answer);
}

void lb_provider_cancel(struct lb_provider_call *c)
{
	if (c->state == SENT && c->name)
		tell_to_end(c);
	else if (c->state == SENT)
		c->fn = NULL; /* others may wait for the same list */
	else
		free_call(c);
}

static void put_request(struct lb_buf *b, const struct lb_provider_call *c)
{
	json_auto_t *context = json_copy(c->context);
	int64_t left = c->deadline - lb_clock_mono();

	if (!context)
		context = json_object();
	json_object_set_new(context, "deadline_ms",
			    json_integer(left > 0 ? left : 0));
	lb_buf_printf(b, "{\"op\":\"%s\",\"id\":\"%s\"",
		      c->name ? "call" : "list", c->id);
	if (c->name) {
		lb_put_str(b, "name", c->name);
		lb_put_json(b, "arguments", c->arguments);
	}
	lb_put_json(b, "context", context);
	lb_put_end(b);
}

/* A list of the same pipeline that is asked for already. */
static bool is_asked(const struct lb_provider_call *c)
{
	for (const struct lb_provider_call *o = c->p->first; o; o = o->next)
		if (!o->name && !c->name && o->state == SENT &&
		    strcmp(o->pipeline, c->pipeline) == 0)
			return true;
	return false;
}

static void send_call(struct lb_provider_call *c)
{
	lb_autobuf struct lb_buf line = {0};
	struct lb_error err;

	if (is_asked(c))
		return; /* it ends with that one */
	put_request(&line, c);
	if (line.len > c->p->max_line) {
		settle(c, "limit", "the call is longer than a line may be");
	} else if (lb_process_send(c->p, line.data, line.len, &err) < 0) {
		settle(c, "tool", err.text);
	} else {
		c->state = SENT;
		c->changes = c->p->changes;
		lb_map_add(&c->p->calls, c->id, c);
	}
	json_decref(c->arguments);
	json_decref(c->context);
	c->arguments = c->context = NULL;
}

void lb_client_ready(struct lb_provider *p)
{
	for (struct lb_provider_call *c = p->first, *next; c; c = next) {
		next = c->next;
		if (c->state == WAITING)
			send_call(c);
	}
}

void lb_client_forget(struct lb_provider *p)
{
	struct lb_map old = p->tools;

	p->tools = (struct lb_map){0};
	p->changes++;
	lb_map_release(&old, (void (*)(void *))json_decref);
	if (p->changed)
		p->changed(p->changed_arg);
}

void lb_client_lost(struct lb_provider *p, const char *why)
{
	lb_autofree char *text = lb_printf("provider '%s': %s", p->name, why);

	lb_client_forget(p);
	for (struct lb_provider_call *c = p->first, *next; c; c = next) {
		next = c->next;
		if (!c->fn)
			free_call(c);
		else if (c->state != SETTLED)
			settle(c, "tool", text);
	}
}

static struct lb_provider_call *add_call(struct lb_provider *p,
					 const json_t *context,
					 int64_t timeout_ms, lb_provider_fn *fn,
					 void *arg)
{
	struct lb_provider_call *c = lb_alloc(sizeof(*c));

	c->p = p;
	c->prev = p->last;
	*(p->last ? &p->last->next : &p->first) = c;
	p->last = c;
	snprintf(c->id, sizeof(c->id), "%llu", (unsigned long long)++p->ids);
	c->context = json_incref((json_t *)(uintptr_t)context);
	c->deadline = lb_clock_mono() + timeout_ms;
	c->fn = fn;
	c->arg = arg;
	lb_timer_set(p->loop, &c->timer, c->deadline, too_late, c);
	return c;
}

/* Now, as soon as it runs, or never. */
static void ask(struct lb_provider_call *c)
{
	int64_t wait = lb_process_need(c->p);
	lb_autofree char *why = NULL;

	if (c->p->state == READY) {
		send_call(c);
	} else if (wait < 0 || wait > PATIENCE_MS) {
		why = lb_printf("provider '%s' does not run", c->p->name);
		settle(c, "tool", why);
	}
}

struct lb_provider_call *lb_provider_start(
	struct lb_provider *p, const struct lb_provider_request *request,
	lb_provider_fn *fn, void *arg)
{
	struct lb_provider_call *c =
		add_call(p, request->context, request->timeout_ms, fn, arg);

	c->name = lb_strdup(request->name);
	c->arguments = json_incref((json_t *)(uintptr_t)request->arguments);
	ask(c);
	return c;
}

struct lb_provider_call *lb_provider_list(struct lb_provider *p,
					  const char *pipeline,
					  const json_t *context,
					  int64_t timeout_ms,
					  lb_provider_fn *fn, void *arg)
{
	struct lb_provider_call *c = add_call(p, context, timeout_ms, fn, arg);

	c->pipeline = lb_strdup(pipeline);
	ask(c);
	return c;
}

const json_t *lb_provider_tools(const struct lb_provider *p,
				const char *pipeline)
{
	return lb_map_find(&p->tools, pipeline);
}

/* All who wait for the same list get it. */
void lb_call_list_known(struct lb_provider *p, const char *pipeline)
{
	for (struct lb_provider_call *c = p->first; c; c = c->next)
		if (!c->name && c->state == WAITING &&
		    strcmp(c->pipeline, pipeline) == 0)
			settle(c, NULL, NULL);
}

static char **copy_texts(const char *const *texts)
{
	size_t n = 0;
	char **out;

	while (texts[n])
		n++;
	out = lb_alloc((n + 1) * sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[i] = lb_strdup(texts[i]);
	return out;
}

static void free_texts(char **texts)
{
	for (size_t i = 0; texts[i]; i++)
		free(texts[i]);
	free(texts);
}

struct lb_provider *lb_provider_open(struct lb_loop *loop,
				     const struct lb_provider_how *how)
{
	struct lb_provider *p = lb_alloc(sizeof(*p));

	p->loop = loop;
	p->name = lb_strdup(how->name);
	p->argv = copy_texts(how->argv);
	p->env = copy_texts(how->env);
	p->guard = how->guard;
	p->bare = how->bare;
	p->max_line = how->max_line ? how->max_line : LB_LINE_MAX;
	p->hello_ms = how->hello_ms ? how->hello_ms : HELLO_MS;
	p->cancel_ms = how->cancel_ms ? how->cancel_ms : CANCEL_MS;
	p->changed = how->changed;
	p->changed_arg = how->arg;
	p->in = p->out = p->log = p->watch = -1;
	return p;
}

const char *lb_provider_name(const struct lb_provider *p)
{
	return p->name;
}

void lb_provider_close(struct lb_provider *p, int64_t until)
{
	if (!p)
		return;
	lb_provider_end(p);
	p->changed = NULL;
	lb_process_stop(p, until);
	while (p->first)
		free_call(p->first);
	lb_map_release(&p->calls, NULL);
	lb_map_release(&p->tools, (void (*)(void *))json_decref);
	free_texts(p->argv);
	free_texts(p->env);
	free(p->name);
	free(p);
}
