/* client.c - a server that is connected: requests, and what comes of them. */
#include "mcp/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/client-in.h"

static void free_request(struct lb_mcp_request *r)
{
	struct lb_mcp_client *c = r->client;

	*(r->prev ? &r->prev->next : &c->first) = r->next;
	*(r->next ? &r->next->prev : &c->last) = r->prev;
	free(r->method);
	json_decref(r->params);
	json_decref(r->headers);
	free(r);
}

static void finish(struct lb_mcp_request *r,
		   const struct lb_peer_answer *answer)
{
	lb_peer_fn *fn = r->fn;
	void *arg = r->arg;

	free_request(r);
	fn(arg, answer);
}

static void fail_request(struct lb_mcp_request *r, const struct lb_error *why)
{
	finish(r, &(struct lb_peer_answer){.error = why});
}

static void send_request(struct lb_mcp_request *r);

/* It wants to know something first: ask again, with the answers. */
static int ask_again(struct lb_mcp_request *r, const json_t *result,
		     struct lb_error *err)
{
	const json_t *wanted = json_object_get(result, "inputRequests");
	const json_t *state = json_object_get(result, "requestState");
	json_t *answers = NULL;

	if (++r->rounds > LB_MCP_ROUNDS)
		return lb_fail(err, LB_PROTOCOL,
			       "it asks for something again and again");
	if (wanted) {
		answers = lb_mcp_input_responses(r->client, wanted, err);
		if (!answers)
			return -1;
	}
	if (!r->params)
		r->params = json_object();
	json_object_del(r->params, "inputResponses");
	json_object_del(r->params, "requestState");
	if (answers)
		json_object_set_new(r->params, "inputResponses", answers);
	if (state)
		json_object_set(r->params, "requestState",
				(json_t *)(uintptr_t)state);
	send_request(r);
	return 0;
}

static void on_answer(void *arg, const struct lb_peer_answer *answer)
{
	struct lb_mcp_request *r = arg;
	const char *type = lb_json_str(answer->result, "resultType");
	struct lb_error err;

	r->call = NULL;
	if (!type || strcmp(type, "input_required") != 0)
		finish(r, answer);
	else if (ask_again(r, answer->result, &err) < 0)
		fail_request(r, &err);
}

static void send_request(struct lb_mcp_request *r)
{
	struct lb_mcp_client *c = r->client;
	json_t *params = r->params ? json_copy(r->params) : NULL;
	json_t *meta = json_object_get(params, "_meta");

	/* The copy is shallow, and _meta is about to be added to. */
	if (meta)
		json_object_set_new(params, "_meta", json_copy(meta));
	c->headers = r->headers;
	r->call = lb_peer_ask(c->peer,
			      &(struct lb_peer_ask){
				      .method = r->method,
				      .take_params =
					      lb_mcp_params(c->revision, params,
							    c->capabilities),
				      .timeout_ms = r->timeout_ms,
				      .progress = r->progress,
				      .fn = on_answer,
				      .arg = r,
			      });
	c->headers = NULL;
}

struct lb_mcp_request *lb_mcp_client_ask(struct lb_mcp_client *client,
					 const struct lb_mcp_ask *ask)
{
	struct lb_mcp_request *r = lb_alloc(sizeof(*r));

	*r = (struct lb_mcp_request){
		.client = client,
		.prev = client->last,
		.method = lb_strdup(ask->method),
		.params = ask->take_params,
		.headers = ask->headers ? json_deep_copy(ask->headers) : NULL,
		.timeout_ms = ask->timeout_ms,
		.progress = ask->progress,
		.fn = ask->fn,
		.arg = ask->arg,
	};
	*(client->last ? &client->last->next : &client->first) = r;
	client->last = r;
	if (client->state == LB_MCP_IS_READY)
		send_request(r);
	return r;
}

void lb_mcp_request_cancel(struct lb_mcp_request *request, const char *why)
{
	if (request->call)
		lb_peer_cancel(request->call, why);
	free_request(request);
}

static void on_turn(void *arg)
{
	struct lb_mcp_client *c = arg;
	struct lb_error why = c->gone;

	while (c->first) {
		struct lb_mcp_request *r = c->first;

		if (r->call)
			lb_peer_forget(r->call);
		r->call = NULL;
		fail_request(r, &why);
	}
	if (c->how.events->on_gone)
		c->how.events->on_gone(c->how.arg, c->gone_in, &why);
}

void lb_mcp_fail(struct lb_mcp_client *c, enum lb_mcp_phase phase,
		 const struct lb_error *why)
{
	if (c->state == LB_MCP_IS_GONE)
		return;
	c->state = LB_MCP_IS_GONE;
	c->gone_in = phase;
	c->gone = *why;
	lb_timer_cancel(c->loop, &c->patience);
	lb_timer_set(c->loop, &c->turn, lb_clock_mono(), on_turn, c);
}

void lb_mcp_is_ready(struct lb_mcp_client *c)
{
	bool renewed = c->state == LB_MCP_IS_RENEWING;

	lb_timer_cancel(c->loop, &c->patience);
	c->state = LB_MCP_IS_READY;
	for (struct lb_mcp_request *r = c->first; r; r = r->next)
		if (!r->call)
			send_request(r);
	if (!renewed && c->how.events->on_ready)
		c->how.events->on_ready(c->how.arg);
}

/* ---- the transport ---- */

static void on_message(void *arg, const char *text, size_t len)
{
	struct lb_mcp_client *c = arg;

	/* What stands behind the end in one read is behind the end. */
	if (c->state != LB_MCP_IS_GONE)
		lb_peer_receive(c->peer, text, len);
}

/* Its session is over: 404, or a 400 that says so. */
static bool is_expired(const struct lb_mcp_refusal *refusal)
{
	return refusal && refusal->session &&
	       (refusal->status == 404 ||
		(refusal->status == 400 &&
		 strcasestr(refusal->body, "session")));
}

static struct lb_mcp_request *find(struct lb_mcp_client *c, int64_t id)
{
	struct lb_mcp_request *r = c->first;

	while (r && !(r->call && lb_peer_call_id(r->call) == id))
		r = r->next;
	return r;
}

/* HTTP refused it with an answer in JSON-RPC. */
static bool answered_all_the_same(struct lb_mcp_client *c,
				  const struct lb_mcp_refusal *refusal)
{
	struct lb_rpc_message m;
	struct lb_error err;
	json_t *value = refusal ? lb_rpc_parse(refusal->body,
					       strlen(refusal->body), &err)
				: NULL;
	bool is;

	if (!value)
		return false;
	is = lb_rpc_read(&m, value, &err) == 0 && m.kind == LB_RPC_FAILURE;
	/* What needs a key, or has to wait, is not about the request. */
	is = is && refusal->status < 500 && refusal->status != 401 &&
	     refusal->status != 403 && refusal->status != 429;
	if (is)
		lb_peer_fail(c->peer, refusal->id, &m);
	lb_rpc_release(&m);
	return is;
}

static void on_words(void *arg, const char *text, size_t len)
{
	struct lb_mcp_client *c = arg;

	if (c->how.events->on_words)
		c->how.events->on_words(c->how.arg, text, len);
}

static void on_unanswered(void *arg, int64_t id,
			  const struct lb_mcp_refusal *refusal,
			  const struct lb_error *why)
{
	struct lb_mcp_client *c = arg;
	struct lb_mcp_request *r = find(c, id);

	c->reached = c->reached || refusal;
	if (id == 0) { /* a notification: nobody waits for it */
		on_words(c, why->text, strlen(why->text));
		return;
	}
	if (!r && lb_mcp_handshake_refused(c, refusal, why))
		return;
	if (r && !r->renewed && is_expired(refusal) &&
	    !lb_mcp_is_modern(c->revision)) {
		r->renewed = true;
		lb_peer_forget(r->call);
		r->call = NULL;
		if (c->state == LB_MCP_IS_READY)
			lb_mcp_renew(c);
		return;
	}
	if (!answered_all_the_same(c, refusal))
		lb_peer_lost(c->peer, id, why);
}

static void on_noise(void *arg, const char *text, size_t len,
		     const struct lb_error *why)
{
	struct lb_mcp_client *c = arg;
	struct lb_error err = *why;

	if (c->how.events->on_noise)
		c->how.events->on_noise(c->how.arg, text, len, why);
	if (!c->how.strict)
		return;
	lb_fail(&err, LB_PROTOCOL, "it wrote what is no message: %s",
		why->text);
	lb_mcp_fail(c,
		    c->state == LB_MCP_IS_READY ? LB_MCP_RUNTIME : LB_MCP_INIT,
		    &err);
}

static void on_transport_gone(void *arg, enum lb_mcp_phase phase,
			      const struct lb_error *why)
{
	struct lb_mcp_client *c = arg;

	if (lb_mcp_handshake_lost(c, phase))
		return;
	lb_mcp_fail(c, phase, why);
}

static bool is_awaited(void *arg, int64_t id)
{
	const struct lb_mcp_client *c = arg;
	json_auto_t *number = json_integer(id);

	return lb_peer_find(c->peer, number) != NULL;
}

const struct lb_mcp_transport_events lb_mcp_client_hears = {
	.is_awaited = is_awaited,
	.on_message = on_message,
	.on_unanswered = on_unanswered,
	.on_words = on_words,
	.on_noise = on_noise,
	.on_gone = on_transport_gone,
};

/* ---- the peer ---- */

static int peer_send(void *arg, const struct lb_peer_out *out,
		     struct lb_error *err)
{
	struct lb_mcp_client *c = arg;
	struct lb_peer_out all = *out;

	all.headers = c->headers;
	if (!c->t || c->state == LB_MCP_IS_GONE)
		return lb_fail(err, LB_AGAIN, "it is not connected");
	return lb_mcp_send(c->t, &all, err);
}

static void peer_forget(void *arg, int64_t id)
{
	struct lb_mcp_client *c = arg;

	if (c->t)
		lb_mcp_forget(c->t, id);
}

static const struct lb_peer_events peer_events = {
	.send = peer_send,
	.forget = peer_forget,
	.on_request = lb_mcp_on_request,
	.on_notification = lb_mcp_on_notification,
	.on_noise = on_noise,
};

struct lb_mcp_client *lb_mcp_client_open(struct lb_loop *loop,
					 const struct lb_mcp_client_how *how)
{
	struct lb_mcp_client *c = lb_alloc(sizeof(*c));

	*c = (struct lb_mcp_client){.loop = loop, .how = *how};
	if (c->how.probe_ms == 0)
		c->how.probe_ms = LB_MCP_PROBE_MS;
	if (c->how.init_ms == 0)
		c->how.init_ms = how->launch->server->startup_ms;
	c->peer = lb_peer_open(loop, &peer_events, c);
	c->capabilities = lb_mcp_own_capabilities(c);
	lb_mcp_connect(c);
	return c;
}

void lb_mcp_client_close(struct lb_mcp_client *c, int64_t until)
{
	if (!c)
		return;
	c->state = LB_MCP_IS_GONE;
	lb_timer_cancel(c->loop, &c->turn);
	lb_timer_cancel(c->loop, &c->patience);
	lb_mcp_transport_close(c->t, until);
	lb_peer_close(c->peer);
	lb_buf_release(&c->said);
	while (c->first)
		free_request(c->first);
	json_decref(c->capabilities);
	json_decref(c->theirs);
	json_decref(c->info);
	free(c->instructions);
	free(c);
}

void lb_mcp_client_end(struct lb_mcp_client *c)
{
	if (c->t)
		lb_mcp_end(c->t);
}

bool lb_mcp_client_is_ending(const struct lb_mcp_client *c)
{
	return lb_mcp_is_ending(c->t);
}
