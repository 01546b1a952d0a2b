/* pool-tools.c - whose a tool is, and calls. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/param-headers.h"
#include "mcp/pool-in.h"
#include "mcp/status.h"

/* A call waits so long for a server that is being begun, ms. */
enum { PATIENCE_MS = 30 * 1000 };

const char *lb_mcp_member_name(const struct lb_mcp_member *member)
{
	return member->server.name;
}

struct lb_mcp_member *lb_mcp_pool_find(const struct lb_mcp_pool *p,
				       const char *name)
{
	for (size_t i = 0; name && i < p->n; i++)
		if (strcmp(p->members[i]->server.name, name) == 0)
			return p->members[i];
	return NULL;
}

struct lb_mcp_member *lb_mcp_pool_owner(const struct lb_mcp_pool *p,
					const char *name, const char **tool)
{
	struct lb_mcp_member *best = NULL;
	size_t longest = 0;

	/* Names may have "__" in them: the longest that fits is meant. */
	for (size_t i = 0; i < p->n; i++) {
		const char *server = p->members[i]->server.name;
		size_t len = strlen(server);

		if (len <= longest || strncmp(name, server, len) != 0 ||
		    strncmp(name + len, "__", 2) != 0)
			continue;
		longest = len;
		best = p->members[i];
	}
	*tool = best ? name + longest + 2 : NULL;
	return best;
}

static const json_t *find_tool(const struct lb_mcp_member *m, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach(m->tools, i, one)
	{
		const char *is = lb_json_str(one, "name");

		if (is && strcmp(is, name) == 0)
			return one;
	}
	return NULL;
}

bool lb_mcp_pool_has_resources(const struct lb_mcp_pool *p, lb_mcp_may_fn *may,
			       const void *arg)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct lb_mcp_member *m = p->members[i];

		if (m->state == LB_MCP_SERVES &&
		    (!may || may(arg, m->server.name)) &&
		    json_object_get(lb_mcp_client_capabilities(m->client),
				    "resources"))
			return true;
	}
	return false;
}

/* ---- calls ---- */

static void free_call(struct lb_mcp_pool_call *c)
{
	struct lb_mcp_member *m = c->member;

	*(c->prev ? &c->prev->next : &m->first) = c->next;
	*(c->next ? &c->next->prev : &m->last) = c->prev;
	lb_timer_cancel(m->pool->loop, &c->timer);
	free(c->method);
	json_decref(c->params);
	json_decref(c->headers);
	free(c);
}

static void finish(struct lb_mcp_pool_call *c,
		   const struct lb_peer_answer *answer)
{
	lb_peer_fn *fn = c->fn;
	void *arg = c->arg;

	free_call(c);
	fn(arg, answer);
}

static void fail(struct lb_mcp_pool_call *c, const struct lb_error *why)
{
	finish(c, &(struct lb_peer_answer){.error = why});
}

/* Its time was over: that is how the server is, until it answers again. */
static void note(struct lb_mcp_member *m, const struct lb_error *why)
{
	static const char *const keys[] = {"error_phase", "error_message",
					   "error_code"};
	json_t *status = lb_mcp_status_connected(m->client, m->tools);
	json_auto_t *error = NULL;

	if (why)
		error = lb_mcp_status_error(LB_MCP_TOOL_CALL, why, 0);
	m->late = why != NULL;
	for (size_t i = 0; error && i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set(status, keys[i],
				json_object_get(error, keys[i]));
	lb_mcp_member_keep(m, status);
}

static void on_answer(void *arg, const struct lb_peer_answer *answer)
{
	struct lb_mcp_pool_call *c = arg;

	c->request = NULL;
	if ((answer->error || c->member->late) &&
	    c->member->state == LB_MCP_SERVES &&
	    strcmp(c->method, "tools/call") == 0)
		note(c->member, answer->error);
	finish(c, answer);
}

static void add_headers(struct lb_mcp_pool_call *c)
{
	struct lb_mcp_member *m = c->member;
	const char *name = lb_json_str(c->params, "name");
	const json_t *tool = name ? find_tool(m, name) : NULL;

	if (m->server.mode != LB_MCP_STDIO && tool)
		c->headers =
			lb_mcp_param_headers(json_object_get(tool,
							     "inputSchema"),
					     json_object_get(c->params,
							     "arguments"));
}

static void go(struct lb_mcp_pool_call *c)
{
	int64_t left = c->deadline - lb_clock_mono();
	json_t *params = c->params;

	lb_timer_cancel(c->member->pool->loop, &c->timer);
	add_headers(c);
	c->params = NULL;
	c->request =
		lb_mcp_client_ask(c->member->client,
				  &(struct lb_mcp_ask){
					  .method = c->method,
					  .take_params = params,
					  .timeout_ms = left > 1 ? left : 1,
					  .progress = true,
					  .headers = c->headers,
					  .fn = on_answer,
					  .arg = c,
				  });
}

static void too_late(void *arg)
{
	struct lb_mcp_pool_call *c = arg;
	struct lb_error err;

	if (c->member->why.code != LB_OK)
		lb_fail(&err, LB_AGAIN, "it is not there: %s",
			c->member->why.text);
	else
		lb_fail(&err, LB_AGAIN, "it is not ready yet");
	fail(c, &err);
}

struct lb_mcp_pool_call *lb_mcp_member_ask(struct lb_mcp_member *m,
					   const struct lb_mcp_pool_ask *ask)
{
	struct lb_mcp_pool_call *c = lb_alloc(sizeof(*c));
	int64_t now = lb_clock_mono(), ms = ask->timeout_ms, wait;

	if (m->server.call_ms < ms)
		ms = m->server.call_ms;
	*c = (struct lb_mcp_pool_call){
		.member = m,
		.prev = m->last,
		.method = lb_strdup(ask->method),
		.params = ask->take_params,
		.timeout_ms = ms,
		.deadline = ms < INT64_MAX - now ? now + ms : INT64_MAX,
		.fn = ask->fn,
		.arg = ask->arg,
	};
	*(m->last ? &m->last->next : &m->first) = c;
	m->last = c;
	if (m->state == LB_MCP_SERVES) {
		go(c);
		return c;
	}
	/* One that failed is not waited for, one that begins is. */
	wait = m->state == LB_MCP_WAITS && m->tried ? 0
	       : ms < PATIENCE_MS                   ? ms
						    : PATIENCE_MS;
	lb_timer_set(m->pool->loop, &c->timer, now + wait, too_late, c);
	return c;
}

void lb_mcp_pool_cancel(struct lb_mcp_pool_call *call)
{
	if (call->request)
		lb_mcp_request_cancel(call->request, "the user does not wait");
	free_call(call);
}

void lb_mcp_calls_go(struct lb_mcp_member *m)
{
	for (struct lb_mcp_pool_call *c = m->first, *next; c; c = next) {
		next = c->next;
		if (!c->request)
			go(c);
	}
}

void lb_mcp_calls_fail(struct lb_mcp_member *m, const struct lb_error *why,
		       bool those_that_wait)
{
	struct lb_mcp_pool_call *last = m->last;

	/* Who is told may ask anew: what comes behind is not of now. */
	while (m->first && (those_that_wait || m->first->request)) {
		struct lb_mcp_pool_call *c = m->first;
		bool was_last = c == last;

		fail(c, why);
		if (was_last)
			break;
	}
}

void lb_mcp_calls_forget(struct lb_mcp_member *m)
{
	while (m->first) {
		if (m->first->request)
			lb_mcp_request_cancel(m->first->request, NULL);
		free_call(m->first);
	}
}
