/* peer.c - what was asked, and its answers. */
#include "mcp/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "record/scan.h"

enum { LONGEST = 10 /* times its time-out, whatever touches a call */ };

struct lb_peer {
	struct lb_loop *loop;
	const struct lb_peer_events *events;
	void *arg;
	struct lb_map calls; /* by id */
	struct lb_peer_call *first;
	int64_t ids;
	size_t depth; /* of lb_peer_receive() */
	bool is_gone; /* closed inside of it */
};

struct lb_peer_call {
	struct lb_peer *peer;
	struct lb_peer_call *prev, *next;
	int64_t id, timeout_ms, limit; /* limit: mono ms */
	char key[24];
	struct lb_timer timer;
	bool cannot_cancel;
	struct lb_error failed; /* it was not sent: why */
	lb_peer_fn *fn;
	void *arg;
};

struct lb_peer *lb_peer_open(struct lb_loop *loop,
			     const struct lb_peer_events *events, void *arg)
{
	struct lb_peer *peer = lb_alloc(sizeof(*peer));

	*peer = (struct lb_peer){.loop = loop, .events = events, .arg = arg};
	return peer;
}

static void unlink_call(struct lb_peer_call *c)
{
	struct lb_peer *p = c->peer;

	lb_map_remove(&p->calls, c->key);
	*(c->prev ? &c->prev->next : &p->first) = c->next;
	if (c->next)
		c->next->prev = c->prev;
	lb_timer_cancel(p->loop, &c->timer);
}

/* It is gone before who asked is told: he may ask anew, or close. */
static void finish(struct lb_peer_call *c, const struct lb_peer_answer *answer)
{
	lb_peer_fn *fn = c->fn;
	void *arg = c->arg;

	unlink_call(c);
	free(c);
	fn(arg, answer);
}

static void fail(struct lb_peer_call *c, const struct lb_error *why)
{
	struct lb_error copy = *why; /* may be the call's own */
	struct lb_peer_answer answer = {.error = &copy};

	finish(c, &answer);
}

void lb_peer_close(struct lb_peer *peer)
{
	if (!peer)
		return;
	while (peer->first) {
		struct lb_peer_call *c = peer->first;

		unlink_call(c);
		free(c);
	}
	lb_map_release(&peer->calls, NULL);
	if (peer->depth > 0)
		peer->is_gone = true;
	else
		free(peer);
}

static void stray(struct lb_peer *p, const char *text, size_t len,
		  const char *why)
{
	struct lb_error err;

	lb_fail(&err, LB_PROTOCOL, "%s", why);
	p->events->on_noise(p->arg, text, len, &err);
}

struct lb_peer_call *lb_peer_find(const struct lb_peer *peer, const json_t *id)
{
	lb_autofree char *key = id ? lb_rpc_id_key(id) : NULL;
	size_t len = key ? strlen(key) : 0;

	/* Some send our number back as a text. */
	if (len > 2 && *key == '"') {
		key[len - 1] = '\0';
		return lb_map_find(&peer->calls, key + 1);
	}
	return key ? lb_map_find(&peer->calls, key) : NULL;
}

static void on_answer(struct lb_peer *p, const struct lb_rpc_message *m,
		      const char *text, size_t len)
{
	struct lb_peer_call *c = lb_peer_find(p, m->id);
	struct lb_peer_answer answer = {.result = m->result,
					.text = text,
					.len = len};

	if (m->kind == LB_RPC_FAILURE)
		answer.failure = m;
	if (c)
		finish(c, &answer);
	else
		stray(p, text, len, "it answers nothing that was asked");
}

/* A text of ours with a good id and a bad rest: refused, if it was a request. */
static void on_bad(struct lb_peer *p, const struct lb_rpc_message *m,
		   const char *text, size_t len, const struct lb_error *why)
{
	struct lb_error err;

	if (m->id && json_object_get(m->whole, "method"))
		lb_peer_refuse(p, m->id, LB_RPC_INVALID, why->text, &err);
	p->events->on_noise(p->arg, text, len, why);
}

static void one_message(struct lb_peer *p, json_t *take, const char *text,
			size_t len)
{
	struct lb_rpc_message m;
	struct lb_error err;

	if (lb_rpc_read(&m, take, &err) < 0)
		on_bad(p, &m, text, len, &err);
	else if (m.kind == LB_RPC_REQUEST)
		p->events->on_request(p->arg, &m);
	else if (m.kind == LB_RPC_NOTIFICATION)
		p->events->on_notification(p->arg, &m);
	else
		on_answer(p, &m, text, len);
	lb_rpc_release(&m);
}

void lb_peer_receive(struct lb_peer *peer, const char *text, size_t len)
{
	struct lb_error err;
	json_auto_t *value = lb_rpc_parse(text, len, &err);
	json_t *one;
	size_t i;

	if (!value) {
		peer->events->on_noise(peer->arg, text, len, &err);
		return;
	}
	peer->depth++;
	if (!json_is_array(value))
		one_message(peer, json_incref(value), text, len);
	json_array_foreach(value, i, one)
	{
		if (!peer->is_gone)
			one_message(peer, json_incref(one), NULL, 0);
	}
	if (--peer->depth == 0 && peer->is_gone)
		free(peer);
}

void lb_peer_lost(struct lb_peer *peer, int64_t id, const struct lb_error *why)
{
	struct lb_peer_call *c = peer->first, *next;
	int64_t newest = peer->ids;

	peer->depth++;
	for (; c && !peer->is_gone; c = next) {
		next = c->next;
		if (c->id > newest || (id && c->id != id))
			continue;
		fail(c, why);
		/* Who was told may have cancelled others. */
		next = id ? NULL : peer->first;
	}
	if (--peer->depth == 0 && peer->is_gone)
		free(peer);
}

void lb_peer_fail(struct lb_peer *peer, int64_t id,
		  const struct lb_rpc_message *failure)
{
	json_auto_t *number = json_integer(id);
	struct lb_peer_call *c = lb_peer_find(peer, number);
	struct lb_peer_answer answer = {.failure = failure};

	if (c)
		finish(c, &answer);
}

static void tell_cancelled(struct lb_peer_call *c, const char *why)
{
	struct lb_peer *p = c->peer;
	struct lb_error err;

	if (!c->cannot_cancel)
		lb_peer_notify(p, "notifications/cancelled",
			       lb_json_pack("{s:I, s:s}", "requestId",
					    (json_int_t)c->id, "reason",
					    why ? why : "it is not needed"),
			       &err);
	if (p->events->forget)
		p->events->forget(p->arg, c->id);
}

static void on_time(void *arg)
{
	struct lb_peer_call *c = arg;
	struct lb_error err;

	if (c->failed.code != LB_OK) {
		fail(c, &c->failed);
		return;
	}
	tell_cancelled(c, "time-out");
	lb_fail(&err, LB_AGAIN, "no answer within %g s",
		(double)c->timeout_ms / 1000);
	fail(c, &err);
}

void lb_peer_touch(struct lb_peer_call *c)
{
	int64_t at;

	if (c->timeout_ms == INT64_MAX || c->failed.code != LB_OK)
		return;
	at = lb_clock_mono() + c->timeout_ms;
	lb_timer_set(c->peer->loop, &c->timer, at < c->limit ? at : c->limit,
		     on_time, c);
}

static json_t *with_token(json_t *params, int64_t id)
{
	json_t *meta;

	if (!params)
		params = json_object();
	meta = json_object_get(params, "_meta");
	if (!json_is_object(meta)) {
		meta = json_object();
		json_object_set_new(params, "_meta", meta);
	}
	json_object_set_new(meta, "progressToken", json_integer(id));
	return params;
}

static int send_call(struct lb_peer_call *c, const char *method,
		     const json_t *params, struct lb_error *err)
{
	struct lb_peer *p = c->peer;
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *id = json_integer(c->id);

	if (p->calls.n > LB_PEER_CALLS)
		return lb_fail(err, LB_AGAIN,
			       "more than %d requests are under way",
			       LB_PEER_CALLS);
	lb_rpc_put_request(&text, id, method, params);
	return p->events->send(p->arg,
			       &(struct lb_peer_out){text.data, text.len,
						     method, params, c->id},
			       err);
}

struct lb_peer_call *lb_peer_ask(struct lb_peer *p,
				 const struct lb_peer_ask *ask)
{
	struct lb_peer_call *c = lb_alloc(sizeof(*c));
	json_auto_t *params = ask->take_params;
	int64_t now = lb_clock_mono();

	*c = (struct lb_peer_call){
		.peer = p,
		.id = ++p->ids,
		.timeout_ms = ask->timeout_ms,
		.cannot_cancel = ask->cannot_cancel,
		.fn = ask->fn,
		.arg = ask->arg,
		.next = p->first,
	};
	if (c->timeout_ms < INT64_MAX / LONGEST - now)
		c->limit = now + c->timeout_ms * LONGEST;
	else
		c->timeout_ms = c->limit = INT64_MAX;
	snprintf(c->key, sizeof(c->key), "%lld", (long long)c->id);
	if (p->first)
		p->first->prev = c;
	p->first = c;
	lb_map_add(&p->calls, c->key, c);
	if (ask->progress)
		params = with_token(params, c->id);
	lb_peer_touch(c);
	if (send_call(c, ask->method, params, &c->failed) < 0)
		lb_timer_set(p->loop, &c->timer, now, on_time, c);
	return c;
}

int64_t lb_peer_call_id(const struct lb_peer_call *call)
{
	return call->id;
}

void *lb_peer_call_arg(const struct lb_peer_call *call)
{
	return call->arg;
}

void lb_peer_cancel(struct lb_peer_call *call, const char *why)
{
	if (call->failed.code == LB_OK)
		tell_cancelled(call, why);
	lb_peer_forget(call);
}

void lb_peer_forget(struct lb_peer_call *call)
{
	unlink_call(call);
	free(call);
}

static int put(struct lb_peer *p, const struct lb_buf *text, const char *method,
	       const json_t *params, struct lb_error *err)
{
	return p->events->send(p->arg,
			       &(struct lb_peer_out){text->data, text->len,
						     method, params, 0},
			       err);
}

int lb_peer_notify(struct lb_peer *peer, const char *method,
		   json_t *take_params, struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *params = take_params;

	lb_rpc_put_notification(&text, method, params);
	return put(peer, &text, method, params, err);
}

int lb_peer_answer(struct lb_peer *peer, const json_t *id, json_t *take_result,
		   struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *result = take_result;

	lb_rpc_put_result(&text, id, result);
	return put(peer, &text, NULL, NULL, err);
}

int lb_peer_refuse(struct lb_peer *peer, const json_t *id, int64_t code,
		   const char *message, struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};

	lb_rpc_put_failure(&text, id, code, message, NULL);
	return put(peer, &text, NULL, NULL, err);
}

bool lb_peer_result_text(const struct lb_peer_answer *answer, const char **text,
			 size_t *len)
{
	struct lb_members m = {NULL, 0, 0};
	const struct lb_member *result = NULL;

	if (answer->text && lb_utf8_valid(answer->text, answer->len) &&
	    lb_scan(answer->text, answer->len, &m))
		result = lb_member_find(&m, "result");
	if (result) {
		*text = result->value.at;
		*len = result->value.len;
	}
	lb_members_release(&m);
	return result != NULL;
}
