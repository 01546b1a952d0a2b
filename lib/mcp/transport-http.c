/*
 * transport-http.c - streamable HTTP: a request a message, whose answer is one
 * message or a stream of them. Where a stream breaks before the answer, it is
 * taken up again behind the last event that had an id. In the older era a server
 * may give us a session, and has a stream of its own for what nobody asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/remote.h"

enum {
	RETRY_MS = 1000,
	MAX_RETRY_MS = 30 * 1000,
	MAX_RESUMES = 5, /* in a row that brought nothing */
};

struct exchange;

struct http {
	struct lb_mcp_transport t;
	struct lb_mcp_place place;
	enum lb_mcp_revision revision;
	char *session;
	bool ending;
	bool held;     /* `initialized` is on its way: requests come after it */
	bool listened; /* its own stream was asked for in this session */
	struct exchange *first;
};

struct exchange {
	struct http *h;
	struct exchange *prev, *next;
	struct lb_http_call *call; /* NULL: between two tries */
	int64_t id;                /* of the request; 0: of none */
	enum { POST, LISTEN, RESUME, DELETE } what;
	struct lb_buf text; /* what is sent */
	struct lb_words headers;
	char *session; /* in which it was sent */
	struct lb_sse sse;
	struct lb_buf body, last_id;
	int status, resumes, redirects;
	bool is_stream, is_json, starts_session, redirected;
	bool once;  /* to be done twice by nobody */
	bool holds; /* what comes after it waits for its end */
	int64_t began;
	struct lb_timer timer;
	struct lb_error broken; /* by what it said */
};

static void start(void *arg);

/* What waited may go. */
static void let_go(struct http *h)
{
	h->held = false;
	for (struct exchange *e = h->first; e; e = e->next)
		if (!e->call && !e->holds && e->what == POST)
			lb_timer_set(h->t.loop, &e->timer, lb_clock_mono(),
				     start, e);
}

static void drop(struct exchange *e)
{
	struct http *h = e->h;

	if (e->holds)
		let_go(h);
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

static struct exchange *make(struct http *h, int what, int64_t id)
{
	struct exchange *e = lb_alloc(sizeof(*e));

	*e = (struct exchange){.h = h, .next = h->first, .id = id};
	e->what = what;
	if (h->first)
		h->first->prev = e;
	h->first = e;
	if (h->session)
		e->session = lb_strdup(h->session);
	return e;
}

/* Is there something that its stream could still bring? */
static bool is_awaited(const struct exchange *e)
{
	const struct http *h = e->h;

	if (e->what == LISTEN)
		return true;
	return e->id != 0 && h->t.events->is_awaited(h->t.arg, e->id);
}

/* Nothing will come of it. */
static void give_up(struct exchange *e, const struct lb_error *why,
		    bool refused)
{
	struct http *h = e->h;
	lb_autofree char *session = lb_steal(&e->session);
	lb_autofree char *body = lb_buf_take(&e->body);
	struct lb_error copy = *why;
	struct lb_mcp_refusal refusal = {
		.id = e->id,
		.status = e->status,
		.body = body ? body : "",
		.session = session,
	};
	bool matters = e->what != LISTEN && e->what != DELETE;

	drop(e);
	if (matters)
		h->t.events->on_unanswered(h->t.arg, refusal.id,
					   refused ? &refusal : NULL, &copy);
}

/* Take it up again, behind the last event that had an id. */
static void resume(struct exchange *e)
{
	int64_t wait = e->sse.retry_ms > 0 ? e->sse.retry_ms : RETRY_MS;

	if (e->what == POST)
		e->what = RESUME;
	e->resumes++;
	if (e->what == LISTEN && e->sse.retry_ms == 0)
		wait <<= e->resumes;
	if (wait > MAX_RETRY_MS)
		wait = MAX_RETRY_MS;
	lb_sse_release(&e->sse);
	e->sse = (struct lb_sse){.max_event = e->h->place.max_line,
				 .retry_ms = e->sse.retry_ms};
	lb_timer_set(e->h->t.loop, &e->timer, lb_clock_mono() + wait, start, e);
}

static void listen_to(struct http *h);

static int on_event(void *arg, const struct lb_sse_event *event,
		    struct lb_error *err)
{
	struct exchange *e = arg;
	struct http *h = e->h;

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
	struct exchange *e = arg;
	const char *session = lb_http_header(call, "Mcp-Session-Id");
	const char *to = lb_http_header(call, "Location");

	e->status = status;
	e->is_stream =
		status == 200 && lb_mcp_is_type(call, "text/event-stream");
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
	struct exchange *e = arg;
	struct http *h = e->h;

	if (e->is_stream)
		return lb_sse_feed(&e->sse, data, len, on_event, e, &e->broken);
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
static void stream_ended(struct exchange *e, const struct lb_error *why)
{
	struct lb_error err;

	lb_sse_finish(&e->sse, on_event, e, &err);
	if (!is_awaited(e)) {
		drop(e);
		return;
	}
	if (why && e->resumes < MAX_RESUMES && !e->h->ending &&
	    (e->last_id.len > 0 || e->what == LISTEN)) {
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
static void body_ended(struct exchange *e)
{
	struct http *h = e->h;
	struct lb_error err;
	lb_autofree char *text = NULL;
	size_t len = e->body.len;
	int64_t id = e->id;

	if (len > 0 && e->is_json) {
		text = lb_buf_take(&e->body);
		drop(e);
		h->t.events->on_message(h->t.arg, text, len);
		if (id && h->t.events->is_awaited(h->t.arg, id)) {
			lb_fail(&err, LB_PROTOCOL,
				"its answer is to nothing "
				"that was asked");
			h->t.events->on_unanswered(h->t.arg, id, NULL, &err);
		}
		return;
	}
	if (!is_awaited(e) || e->what == LISTEN) {
		bool began = e->holds;

		drop(e);
		if (began)
			listen_to(h);
		return;
	}
	lb_fail(&err, LB_PROTOCOL, "HTTP %d without an answer in it%s",
		e->status,
		len > 0 ? " (neither JSON nor an event stream)" : "");
	give_up(e, &err, false);
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct exchange *e = arg;
	struct lb_error err = {.code = LB_OK};
	bool failed = lb_mcp_http_error(end, lb_clock_mono() - e->began,
					&e->h->place, &err) < 0;

	e->call = NULL;
	if (e->redirected)
		start(e);
	else if (e->broken.code != LB_OK)
		give_up(e, &e->broken, false);
	else if (e->is_stream || (failed && end->status == 0 &&
				  (e->what == LISTEN || e->what == RESUME)))
		stream_ended(e, &err);
	else if (failed && e->what == RESUME)
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

static void start(void *arg)
{
	static const char *const methods[] = {
		[POST] = "POST",
		[LISTEN] = "GET",
		[RESUME] = "GET",
		[DELETE] = "DELETE",
	};
	struct exchange *e = arg;
	struct http *h = e->h;
	lb_autowords struct lb_words headers = {.n = 0};
	struct lb_http_request request = {
		.method = methods[e->what],
		.url = h->place.url,
		.body = e->what == POST ? e->text.data : NULL,
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

static void put_version(struct exchange *e, const char *revision)
{
	lb_words_add(&e->headers,
		     lb_printf("MCP-Protocol-Version: %s", revision));
}

/* A value as a header may hold it. */
static char *header_value(const char *text)
{
	lb_autobuf struct lb_buf coded = {0};
	size_t len = strlen(text);
	bool plain = len > 0 && !strchr(" \t", text[0]) &&
		     !strchr(" \t", text[len - 1]) &&
		     !(strncmp(text, "=?base64?", 9) == 0 && len > 11 &&
		       strcmp(text + len - 2, "?=") == 0);

	for (size_t i = 0; plain && i < len; i++)
		plain = (text[i] >= 0x20 && text[i] < 0x7f) || text[i] == '\t';
	if (plain)
		return lb_strdup(text);
	lb_base64_encode(&coded, text, len);
	return lb_printf("=?base64?%s?=", lb_buf_str(&coded));
}

/* The newer era has in headers what those on the way shall know. */
static void put_headers(struct exchange *e, const struct lb_peer_out *out,
			const char *revision)
{
	const char *name = lb_json_str(out->params, "name"), *key;
	json_t *text;

	if (!name)
		name = lb_json_str(out->params, "uri");
	put_version(e, revision);
	lb_words_add(&e->headers, lb_printf("Mcp-Method: %s", out->method));
	if (name) {
		lb_autofree char *value = header_value(name);

		lb_words_add(&e->headers, lb_printf("Mcp-Name: %s", value));
	}
	json_object_foreach((json_t *)(uintptr_t)out->headers, key, text)
	{
		lb_autofree char *value = header_value(json_string_value(text));

		lb_words_add(&e->headers, lb_printf("%s: %s", key, value));
	}
}

static bool is_method(const struct lb_peer_out *out, const char *method)
{
	return out->method && strcmp(out->method, method) == 0;
}

/* What the server wants to say by itself. */
static void listen_to(struct http *h)
{
	struct exchange *e;

	if (h->listened || !h->session || lb_mcp_is_modern(h->revision))
		return;
	h->listened = true;
	e = make(h, LISTEN, 0);
	lb_words_add(&e->headers, lb_strdup("Accept: text/event-stream"));
	if (h->revision >= LB_MCP_2025_06_18)
		put_version(e, lb_mcp_revision_name(h->revision));
	lb_timer_set(h->t.loop, &e->timer, lb_clock_mono(), start, e);
}

static int http_send(struct lb_mcp_transport *t, const struct lb_peer_out *out,
		     struct lb_error *err)
{
	struct http *h = (struct http *)t;
	const char *modern = lb_json_str(json_object_get(out->params, "_meta"),
					 LB_MCP_META_VERSION);
	struct exchange *e;

	(void)err;
	/* There, closing its stream is how a request is cancelled. */
	if (is_method(out, "notifications/cancelled") &&
	    lb_mcp_is_modern(h->revision))
		return 0;
	e = make(h, POST, out->id);
	lb_buf_put(&e->text, out->text, out->len);
	lb_words_add(&e->headers, lb_strdup("Content-Type: application/json"));
	lb_words_add(&e->headers,
		     lb_strdup("Accept: application/json, text/event-stream"));
	if (modern)
		put_headers(e, out, modern);
	else if (h->revision >= LB_MCP_2025_06_18 &&
		 !is_method(out, "initialize"))
		put_version(e, lb_mcp_revision_name(h->revision));
	e->starts_session = is_method(out, "initialize");
	e->once = is_method(out, "tools/call");
	e->holds = is_method(out, "notifications/initialized");
	if (e->holds || !h->held)
		lb_timer_set(t->loop, &e->timer, lb_clock_mono(), start, e);
	h->held = h->held || e->holds;
	return 0;
}

static void http_forget(struct lb_mcp_transport *t, int64_t id)
{
	struct http *h = (struct http *)t;

	for (struct exchange *e = h->first, *next; e; e = next) {
		next = e->next;
		if (e->id == id && id != 0)
			drop(e);
	}
}

static void http_settle(struct lb_mcp_transport *t,
			enum lb_mcp_revision revision)
{
	struct http *h = (struct http *)t;

	h->revision = revision;
	if (revision != LB_MCP_UNKNOWN)
		return;
	free(h->session);
	h->session = NULL;
	for (struct exchange *e = h->first, *next; e; e = next) {
		next = e->next;
		if (e->what == LISTEN)
			drop(e);
	}
}

static void http_end(struct lb_mcp_transport *t)
{
	struct http *h = (struct http *)t;
	struct exchange *e;

	if (h->ending)
		return;
	h->ending = true;
	while (h->first)
		drop(h->first);
	if (!h->session)
		return;
	e = make(h, DELETE, 0);
	if (h->revision >= LB_MCP_2025_06_18)
		put_version(e, lb_mcp_revision_name(h->revision));
	start(e);
}

static bool http_is_ending(const struct lb_mcp_transport *t)
{
	const struct http *h = (const struct http *)t;

	return h->ending && h->first;
}

static void http_close(struct lb_mcp_transport *t, int64_t until)
{
	struct http *h = (struct http *)t;

	(void)until;
	while (h->first)
		drop(h->first);
	lb_mcp_place_release(&h->place);
	free(h->session);
	free(h);
}

static const struct lb_mcp_transport_kind http_kind = {
	.send = http_send,
	.forget = http_forget,
	.settle = http_settle,
	.end = http_end,
	.is_ending = http_is_ending,
	.close = http_close,
};

struct lb_mcp_transport *lb_mcp_http_open(
	struct lb_loop *loop, const struct lb_mcp_remote *remote,
	const struct lb_mcp_transport_events *events, void *arg)
{
	struct http *h = lb_alloc(sizeof(*h));

	h->t = (struct lb_mcp_transport){&http_kind, loop, events, arg};
	lb_mcp_place_copy(&h->place, remote);
	return &h->t;
}
