/* pool.c - servers that live long. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "mcp/pool-in.h"
#include "mcp/status.h"

enum { END_MS = 500 };

static void begin_next(struct lb_mcp_pool *p);
static void begin(void *arg);

void lb_mcp_member_keep(const struct lb_mcp_member *m, json_t *take)
{
	json_object_set_new(take, "pid", json_integer((json_int_t)getpid()));
	lb_mcp_status_keep(m->pool->how.state, m->server.name, take);
}

static void changed(const struct lb_mcp_member *m)
{
	m->pool->how.on_changed(m->pool->how.arg);
}

/* How long until it is tried again. */
static int64_t pause_of(const struct lb_mcp_member *m)
{
	if (m->phase == LB_MCP_BOX_UNAVAILABLE)
		return LB_MCP_BOX_MS;
	return m->retries <= 3 ? 1000 << m->retries : LB_MCP_RETRY_MS;
}

static void forget_client(struct lb_mcp_member *m)
{
	if (m->listing)
		lb_mcp_listing_cancel(m->listing);
	if (m->ping)
		lb_mcp_request_cancel(m->ping, NULL);
	m->listing = NULL;
	m->ping = NULL;
	lb_mcp_member_unlisten(m);
	lb_timer_cancel(m->pool->loop, &m->timer);
	lb_timer_cancel(m->pool->loop, &m->gone);
	lb_timer_cancel(m->pool->loop, &m->again);
}

static void complain(const struct lb_mcp_member *m)
{
	lb_autofree char *when =
		m->phase == LB_MCP_BOX_UNAVAILABLE
			? lb_strdup("begins as soon as there is a sandbox")
			: lb_printf("is tried again in %lld s",
				    (long long)pause_of(m) / 1000);

	lb_complain("MCP server '%s': %s (%s); it %s", m->server.name,
		    m->why.text, lb_mcp_phase_name(m->phase), when);
}

static void fail(struct lb_mcp_member *m, enum lb_mcp_phase phase,
		 const struct lb_error *why)
{
	bool had = m->tools != NULL,
	     waits = m->phase == phase && phase == LB_MCP_BOX_UNAVAILABLE;

	m->phase = phase;
	m->why = *why;
	forget_client(m);
	if (phase != LB_MCP_BOX_UNAVAILABLE)
		m->retries++;
	lb_mcp_client_close(m->client, lb_clock_mono());
	m->client = NULL;
	m->state = LB_MCP_WAITS;
	m->tried = true;
	json_decref(m->tools);
	m->tools = NULL;
	lb_mcp_member_keep(m, lb_mcp_status_error(phase, why, m->retries));
	if (!waits)
		complain(m);
	lb_timer_set(m->pool->loop, &m->timer, lb_clock_mono() + pause_of(m),
		     begin, m);
	lb_mcp_calls_fail(m, why, true);
	if (had)
		changed(m);
	begin_next(m->pool);
}

static void on_failed(void *arg)
{
	struct lb_mcp_member *m = arg;
	struct lb_error why = m->failed;

	fail(m, m->failed_in, &why);
}

/* The same for who is in the midst of an answer of its client. */
static void fail_soon(struct lb_mcp_member *m, enum lb_mcp_phase phase,
		      const struct lb_error *why)
{
	m->failed = *why;
	m->failed_in = phase;
	lb_timer_set(m->pool->loop, &m->gone, lb_clock_mono(), on_failed, m);
}

/* ---- its health ---- */

static void ping(void *arg);

static void on_pong(void *arg, const struct lb_peer_answer *answer)
{
	struct lb_mcp_member *m = arg;

	m->ping = NULL;
	if (answer->error)
		fail_soon(m, LB_MCP_RUNTIME, answer->error);
	else /* also an error of its own: it lives */
		lb_timer_set(m->pool->loop, &m->timer,
			     lb_clock_mono() + LB_MCP_PING_MS, ping, m);
}

static void ping(void *arg)
{
	struct lb_mcp_member *m = arg;

	m->ping = lb_mcp_client_ask(m->client,
				    &(struct lb_mcp_ask){
					    .method = "ping",
					    .timeout_ms = m->server.timeout_ms,
					    .fn = on_pong,
					    .arg = m,
				    });
}

/* ---- what it offers ---- */

static void list_again(struct lb_mcp_member *m);

static void on_list(void *arg, const struct lb_peer_answer *answer)
{
	struct lb_mcp_member *m = arg;
	json_t *tools;
	bool first = m->state == LB_MCP_LISTS, same;

	m->listing = NULL;
	m->listed = lb_clock_mono();
	if (answer->error && first) {
		fail_soon(m, LB_MCP_INIT, answer->error);
		return;
	}
	if (!answer->result) {
		lb_warn("MCP server '%s': its tools cannot be listed: %s",
			m->server.name,
			answer->error ? answer->error->text
				      : answer->failure->message);
		tools = m->tools ? json_incref(m->tools) : json_array();
	} else {
		tools = lb_mcp_tools_usable(m, json_object_get(answer->result,
							       "tools"));
	}
	same = m->tools && json_equal(m->tools, tools);
	json_decref(m->tools);
	m->tools = tools;
	m->state = LB_MCP_SERVES;
	m->retries = 0;
	m->late = false;
	m->phase = LB_MCP_NO_PHASE;
	lb_mcp_member_keep(m, lb_mcp_status_connected(m->client, tools));
	if (first) {
		m->tried = true;
		if (!lb_mcp_is_modern(lb_mcp_client_revision(m->client)))
			lb_timer_set(m->pool->loop, &m->timer,
				     lb_clock_mono() + LB_MCP_PING_MS, ping, m);
		lb_mcp_calls_go(m);
		begin_next(m->pool);
	}
	if (!same)
		changed(m);
	if (m->stale)
		list_again(m);
}

static void list(struct lb_mcp_member *m)
{
	m->stale = false;
	lb_timer_cancel(m->pool->loop, &m->again);
	m->listing = lb_mcp_client_list(m->client, "tools",
					m->server.startup_ms, on_list, m);
}

static void on_again(void *arg)
{
	list(arg);
}

/* One that has others at each look would have us do nothing else, and all who
 * wait for a list wait on. */
static void list_again(struct lb_mcp_member *m)
{
	int64_t at = m->listed + LB_MCP_LIST_MS;

	m->stale = true;
	if (at <= lb_clock_mono())
		list(m);
	else if (m->again.slot == 0)
		lb_timer_set(m->pool->loop, &m->again, at, on_again, m);
}

/* ---- the client's events ---- */

static void on_ready(void *arg)
{
	struct lb_mcp_member *m = arg;

	m->state = LB_MCP_LISTS;
	lb_mcp_member_listen(m); /* before: no change is missed */
	list(m);
}

static void on_gone(void *arg, enum lb_mcp_phase phase,
		    const struct lb_error *why)
{
	fail(arg, phase, why);
}

static void on_changed(void *arg, const char *what)
{
	struct lb_mcp_member *m = arg;

	if (strcmp(what, "tools") != 0)
		return;
	if (m->listing || m->state != LB_MCP_SERVES)
		m->stale = true;
	else
		list_again(m);
}

static void on_words(void *arg, const char *text, size_t len)
{
	struct lb_mcp_member *m = arg;

	lb_log_file_put(m->log, text, len);
	lb_log(LB_INFO, NULL, "%s: %.*s", m->server.name, (int)len, text);
}

static void on_log(void *arg, int level, const char *logger, const char *text)
{
	struct lb_mcp_member *m = arg;
	lb_autofree char *line = lb_printf("%s%s%.2000s", logger ? logger : "",
					   logger ? ": " : "", text);

	lb_log_file_put(m->log, line, strlen(line));
	lb_log(level >= 4 ? LB_INFO : LB_DEBUG, NULL, "%s: %s", m->server.name,
	       line);
}

static void on_noise(void *arg, const char *text, size_t len,
		     const struct lb_error *why)
{
	struct lb_mcp_member *m = arg;

	if (text)
		lb_log_file_put(m->log, text, len < 4096 ? len : 4096);
	if (!m->noisy)
		lb_warn("MCP server '%s' writes what is no message, which is "
			"left out (%s); 'lb-mcp logs %s' has it",
			m->server.name, why->text, m->server.name);
	m->noisy = true;
}

static const struct lb_mcp_events client_events = {
	.on_ready = on_ready,
	.on_gone = on_gone,
	.on_changed = on_changed,
	.on_log = on_log,
	.on_words = on_words,
	.on_noise = on_noise,
};

static size_t under_way(const struct lb_mcp_pool *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->members[i]->state == LB_MCP_BEGINS ||
		     p->members[i]->state == LB_MCP_LISTS;
	return n;
}

static void begin(void *arg)
{
	struct lb_mcp_member *m = arg;

	if (under_way(m->pool) >= LB_MCP_AT_ONCE)
		return; /* begin_next() comes back to it */
	m->state = LB_MCP_BEGINS;
	/* Without a sandbox a start is but a look whether there is one. */
	if (m->phase != LB_MCP_BOX_UNAVAILABLE)
		lb_mcp_member_keep(m, lb_mcp_status_connecting(m->retries));
	m->client = lb_mcp_client_open(m->pool->loop,
				       &(struct lb_mcp_client_how){
					       .launch = &m->launch,
					       .era = m->era,
					       .log_level = -1,
					       .elicit = m->server.elicitation,
					       .events = &client_events,
					       .arg = m,
				       });
}

static void begin_next(struct lb_mcp_pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->members[i]->state == LB_MCP_WAITS &&
		    p->members[i]->timer.slot == 0)
			lb_timer_set(p->loop, &p->members[i]->timer,
				     lb_clock_mono(), begin, p->members[i]);
}

struct lb_mcp_pool *lb_mcp_pool_open(struct lb_loop *loop,
				     const struct lb_mcp_pool_how *how,
				     struct lb_error *err)
{
	struct lb_mcp_pool *p = lb_alloc(sizeof(*p));
	const char *name;
	json_t *entity;

	*p = (struct lb_mcp_pool){
		.loop = loop,
		.how = *how,
		.guard = lb_guard_open(err),
		.opened = lb_clock_mono(),
	};
	if (!p->guard) {
		free(p);
		return NULL;
	}
	json_object_foreach((json_t *)(uintptr_t)how->servers, name, entity)
	{
		if (lb_mcp_pool_wants(p, name, entity) &&
		    lb_mcp_pool_add(p, name, entity, err) < 0)
			lb_complain("%s", err->text);
	}
	begin_next(p);
	return p;
}

static void close_member(struct lb_mcp_member *m)
{
	forget_client(m);
	lb_mcp_calls_forget(m);
	lb_mcp_client_close(m->client, lb_clock_mono() + END_MS);
	lb_log_file_close(m->log);
	lb_mcp_server_release(&m->server);
	json_decref(m->tools);
	free(m);
}

void lb_mcp_pool_close(struct lb_mcp_pool *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) /* all at once, then each */
		if (p->members[i]->client)
			lb_mcp_client_end(p->members[i]->client);
	for (size_t i = 0; i < p->n; i++)
		close_member(p->members[i]);
	if (p->http)
		lb_http_close(p->http);
	lb_guard_close(p->guard);
	free(p);
}

bool lb_mcp_pool_is_settled(const struct lb_mcp_pool *p)
{
	if (lb_clock_mono() - p->opened >= LB_MCP_WAIT_MS)
		return true;
	for (size_t i = 0; i < p->n; i++)
		if (!p->members[i]->tried)
			return false;
	return true;
}
