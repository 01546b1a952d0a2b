/*
 * http-exchange.c - one request by HTTP: its answer is a message or a stream of
 * them. Where a stream breaks before the answer, it is taken up again behind the
 * last event that had an id.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mcp/http-in.h"

enum {
	RETRY_MS = 1000,
	LEAST_MS = 200, /* whatever a server says: else it has us go round */
	MAX_RETRY_MS = 30 * 1000,
	MAX_RESUMES = 5, /* in a row that brought nothing */
};

/* What waited may go, unless it waits for another, too. */
static void let_go(struct lb_exchange *of)
{
	struct lb_http_way *h = of->h;

	of->holds = false;
	for (struct lb_exchange *e = h->first; e; e = e->next)
		if (e->holds)
			return;
	h->held = false;
	for (struct lb_exchange *e = h->first; e; e = e->next)
		if (!e->call && !e->holds && e->what == LB_POST)
			lb_timer_set(h->t.loop, &e->timer, lb_clock_mono(),
				     lb_mcp_exchange_start, e);
}

void lb_exchange_drop(struct lb_exchange *e)
{
	struct lb_http_way *h = e->h;

	if (e->holds)
		let_go(e);
	if (e->call)
		lb_http_cancel(e->call);
	lb_timer_cancel(h->t.loop, &e->timer);
	*(e->prev ? &e->prev->next : &h->first) = e->next;
	if (e->next)
		e->next->prev = e->prev;
	lb_buf_release(&e->text);
	lb_words_release(&e->headers);
	free(e->session);
	lb_sse_release(&e->sse);
	lb_buf_release(&e->body);
	lb_buf_release(&e->last_id);
	free(e);
}

struct lb_exchange *lb_exchange_make(struct lb_http_way *h, int what,
				     int64_t id)
{
	struct lb_exchange *e = lb_alloc(sizeof(*e));

	*e = (struct lb_exchange){.h = h, .next = h->first, .id = id};
	e->what = what;
	if (h->first)
		h->first->prev = e;
	h->first = e;
	if (h->session)
		e->session = lb_strdup(h->session);
	return e;
}

/* Is there something that its stream could still bring? */
static bool is_awaited(const struct lb_exchange *e)
{
	const struct lb_http_way *h = e->h;

	if (e->what == LB_LISTEN)
		return true;
	return e->id != 0 && h->t.events->is_awaited(h->t.arg, e->id);
}

/* Nothing will come of it. */
static void give_up(struct lb_exchange *e, const struct lb_error *why,
		    bool refused)
{
	struct lb_http_way *h = e->h;
	lb_autofree char *session = lb_steal(&e->session);
	lb_autofree char *body = lb_buf_take(&e->body);
	struct lb_error copy = *why;
	struct lb_mcp_refusal refusal = {
		.id = e->id,
		.status = e->status,
		.body = body ? body : "",
		.session = session,
	};
	bool matters = e->what != LB_LISTEN && e->what != LB_DELETE;

	lb_exchange_drop(e);
	if (matters)
		h->t.events->on_unanswered(h->t.arg, refusal.id,
					   refused ? &refusal : NULL, &copy);
}

/* Take it up again, behind the last event that had an id. */
static void resume(struct lb_exchange *e)
{
	int64_t wait = e->sse.retry_ms > 0 ? e->sse.retry_ms : RETRY_MS;

	if (e->what == LB_POST)
		e->what = LB_RESUME;
	e->resumes++;
	if (e->what == LB_LISTEN && e->sse.retry_ms == 0)
		wait <<= e->resumes;
	if (wait < LEAST_MS)
		wait = LEAST_MS;
	if (wait > MAX_RETRY_MS)
		wait = MAX_RETRY_MS;
	lb_sse_release(&e->sse);
	e->sse = (struct lb_sse){.max_event = e->h->place.max_line,
				 .retry_ms = e->sse.retry_ms};
	lb_timer_set(e->h->t.loop, &e->timer, lb_clock_mono() + wait,
		     lb_mcp_exchange_start, e);
}

static int on_event(void *arg, const struct lb_sse_event *event,
		    struct lb_error *err)
{
	struct lb_exchange *e = arg;
	struct lb_http_way *h = e->h;

	(void)err;
	if (*event->id) {
		lb_buf_reset(&e->last_id);
		lb_buf_puts(&e->last_id, event->id);
	}
	e->resumes = 0;
	if (event->len > 0 && strcmp(event->name, "message") == 0)
		h->t.events->on_message(h->t.arg, event->data, event->len);
	return 0;
}

static void on_head(void *arg, struct lb_http_call *call, int status)
{
	struct lb_exchange *e = arg;
	const char *session = lb_http_header(call, "Mcp-Session-Id");
	const char *to = lb_http_header(call, "Location");

	e->status = status;
	e->is_stream =
		status == 200 && lb_mcp_is_type(call, "text/event-stream");
	if (e->what == LB_LISTEN && e->holds)
		let_go(e);
	e->is_json = lb_mcp_is_type(call, "application/json");
	if (e->starts_session && status >= 200 && status < 300) {
		free(e->h->session);
		e->h->session = session && strlen(session) <= LB_MCP_MAX_SESSION
					? lb_strdup(session)
					: NULL;
		e->h->listened = false;
	}
	if (status < 300 || status >= 400 || status == 304 || !to)
		return;
	lb_buf_reset(&e->body);
	e->broken.code = LB_OK;
	if (++e->redirects > LB_MCP_MAX_REDIRECTS) {
		lb_fail(&e->broken, LB_PROTOCOL, "it redirects for ever");
	} else {
		char *url = lb_mcp_same_place(e->h->place.url, to, &e->broken);

		if (url) {
			free(e->h->place.url);
			e->h->place.url = url;
			e->redirected = true;
		}
	}
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct lb_exchange *e = arg;
	struct lb_http_way *h = e->h;

	if (e->is_stream &&
	    lb_sse_feed(&e->sse, data, len, on_event, e, &e->broken) < 0) {
		if (e->broken.code == LB_DATA) /* no error of JSON-RPC */
			e->broken.code = LB_PROTOCOL;
		return -1;
	}
	if (e->is_stream)
		return 0;
	if (e->status >= 300 && e->body.len + len > LB_MCP_BODY_SHOWN)
		len = e->body.len < LB_MCP_BODY_SHOWN
			      ? LB_MCP_BODY_SHOWN - e->body.len
			      : 0;
	if (e->body.len + len > h->place.max_line)
		return lb_fail(&e->broken, LB_PROTOCOL,
			       "its answer has more than %zu bytes",
			       h->place.max_line);
	lb_buf_put(&e->body, data, len);
	return 0;
}

/* The end of a stream, for a reason, or (NULL) for good. */
static void stream_ended(struct lb_exchange *e, const struct lb_error *why)
{
	struct lb_error err;

	lb_sse_finish(&e->sse, on_event, e, &err);
	if (!is_awaited(e)) {
		lb_exchange_drop(e);
		return;
	}
	if (why && e->resumes < MAX_RESUMES && !e->h->ending &&
	    (e->last_id.len > 0 || e->what == LB_LISTEN)) {
		resume(e);
		return;
	}
	if (why && why->code != LB_OK)
		err = *why;
	else
		lb_fail(&err, LB_PROTOCOL,
			"its event stream ended without the answer");
	give_up(e, &err, false);
}

/* What one message as a body is. */
static void body_ended(struct lb_exchange *e)
{
	struct lb_http_way *h = e->h;
	struct lb_error err;
	lb_autofree char *text = NULL;
	size_t len = e->body.len;
	int64_t id = e->id;

	/* What a notification is answered with is nothing. */
	if (len > 0 && e->is_json && e->id != 0) {
		text = lb_buf_take(&e->body);
		lb_exchange_drop(e);
		h->t.events->on_message(h->t.arg, text, len);
		if (id && h->t.events->is_awaited(h->t.arg, id)) {
			lb_fail(&err, LB_PROTOCOL,
				"its answer is to nothing "
				"that was asked");
			h->t.events->on_unanswered(h->t.arg, id, NULL, &err);
		}
		return;
	}
	if (!is_awaited(e) || e->what == LB_LISTEN) {
		if (e->holds && e->what == LB_POST)
			lb_http_way_listen(h);
		lb_exchange_drop(e);
		return;
	}
	lb_fail(&err, LB_PROTOCOL, "HTTP %d without an answer in it%s",
		e->status,
		len > 0 ? " (neither JSON nor an event stream)" : "");
	give_up(e, &err, false);
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct lb_exchange *e = arg;
	struct lb_error err = {.code = LB_OK};
	bool failed = lb_mcp_http_error(end, lb_clock_mono() - e->began,
					&e->h->place, &err) < 0;

	e->call = NULL;
	if (e->redirected)
		lb_mcp_exchange_start(e);
	else if (e->broken.code != LB_OK)
		give_up(e, &e->broken, false);
	else if (e->is_stream ||
		 (failed && end->status == 0 &&
		  (e->what == LB_LISTEN || e->what == LB_RESUME)))
		stream_ended(e, &err);
	else if (failed && e->what == LB_RESUME)
		stream_ended(e, NULL);
	else if (failed)
		give_up(e, &err, end->cause == LB_HTTP_DONE);
	else
		body_ended(e);
}

static const struct lb_http_events http_events = {
	.on_head = on_head,
	.on_data = on_data,
	.on_end = on_end,
};

void lb_mcp_exchange_start(void *arg)
{
	static const char *const methods[] = {
		[LB_POST] = "POST",
		[LB_LISTEN] = "GET",
		[LB_RESUME] = "GET",
		[LB_DELETE] = "DELETE",
	};
	struct lb_exchange *e = arg;
	struct lb_http_way *h = e->h;
	lb_autowords struct lb_words headers = {.n = 0};
	struct lb_http_request request = {
		.method = methods[e->what],
		.url = h->place.url,
		.body = e->what == LB_POST ? e->text.data : NULL,
		.body_len = e->text.len,
		.connect_ms = h->place.connect_ms,
		.max_body = SIZE_MAX,
		.once = e->once,
	};
	struct lb_error err;

	for (size_t i = 0; i < h->place.headers.n; i++)
		lb_words_add(&headers, lb_strdup(h->place.headers.at[i]));
	for (size_t i = 0; i < e->headers.n; i++)
		lb_words_add(&headers, lb_strdup(e->headers.at[i]));
	if (e->session)
		lb_words_add(&headers,
			     lb_printf("Mcp-Session-Id: %s", e->session));
	if (e->last_id.len > 0)
		lb_words_add(&headers,
			     lb_printf("Last-Event-ID: %s", e->last_id.data));
	request.headers = (const char *const *)lb_words_list(&headers);
	e->status = 0;
	e->is_stream = e->is_json = e->redirected = false;
	lb_buf_reset(&e->body);
	e->sse.max_event = h->place.max_line;
	e->began = lb_clock_mono();
	e->call = lb_http_start(h->place.http, &request, &http_events, e, &err);
	if (!e->call)
		give_up(e, &err, false);
}
