/*
 * transport-sse.c - HTTP and SSE, as it was until 2024-11-05: an event stream
 * that first says where messages are to be posted, and then brings the answers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mcp/remote.h"

enum { MAX_WAITING = 64 << 20 };

struct post;

struct sse {
	struct lb_mcp_transport t;
	struct lb_mcp_place place;
	struct lb_http_call *stream;
	struct lb_sse events;
	char *endpoint; /* NULL: not known yet */
	struct post *first, **end;
	size_t waiting; /* bytes of what is to be posted */
	int status;
	bool is_stream;
	int64_t began;
	struct lb_timer timer;
	struct lb_error broken;
};

struct post {
	struct sse *s;
	struct post *next;
	struct lb_http_call *call;
	int64_t id, began;
	struct lb_buf text, body;
};

static void drop(struct post *p)
{
	struct sse *s = p->s;
	struct post **at = &s->first;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	if (s->end == &p->next)
		s->end = at;
	s->waiting -= p->text.len;
	if (p->call)
		lb_http_cancel(p->call);
	lb_buf_release(&p->text);
	lb_buf_release(&p->body);
	free(p);
}

static void gone(struct sse *s, enum lb_mcp_phase phase,
		 const struct lb_error *why)
{
	struct lb_error copy = *why;

	while (s->first)
		drop(s->first);
	s->t.events->on_gone(s->t.arg, phase, &copy);
}

/* ---- what is posted ---- */

static int post_data(void *arg, const char *data, size_t len)
{
	struct post *p = arg;

	if (p->body.len + len <= LB_MCP_BODY_SHOWN)
		lb_buf_put(&p->body, data, len);
	return 0;
}

static void post_end(void *arg, const struct lb_http_end *end)
{
	struct post *p = arg;
	struct sse *s = p->s;
	struct lb_error err;
	lb_autofree char *body = NULL;
	struct lb_mcp_refusal refusal = {.id = p->id, .status = end->status};
	bool failed = lb_mcp_http_error(end, lb_clock_mono() - p->began,
					&s->place, &err) < 0;

	p->call = NULL;
	body = lb_buf_take(&p->body);
	refusal.body = body ? body : "";
	drop(p);
	if (failed)
		s->t.events->on_unanswered(s->t.arg, refusal.id,
					   end->cause == LB_HTTP_DONE ? &refusal
								      : NULL,
					   &err);
}

static const struct lb_http_events post_events = {
	.on_data = post_data,
	.on_end = post_end,
};

static void post(struct post *p)
{
	struct sse *s = p->s;
	lb_autowords struct lb_words headers = {.n = 0};
	struct lb_http_request request = {
		.method = "POST",
		.url = s->endpoint,
		.body = p->text.data,
		.body_len = p->text.len,
		.connect_ms = s->place.connect_ms,
		.max_body = SIZE_MAX,
		.once = true,
	};
	int64_t id = p->id;
	struct lb_error err;

	for (size_t i = 0; i < s->place.headers.n; i++)
		lb_words_add(&headers, lb_strdup(s->place.headers.at[i]));
	lb_words_add(&headers, lb_strdup("Content-Type: application/json"));
	request.headers = (const char *const *)lb_words_list(&headers);
	p->began = lb_clock_mono();
	p->call = lb_http_start(s->place.http, &request, &post_events, p, &err);
	if (p->call)
		return;
	drop(p);
	s->t.events->on_unanswered(s->t.arg, id, NULL, &err);
}

static void post_all(struct sse *s)
{
	for (struct post *p = s->first, *next; p; p = next) {
		next = p->next;
		if (!p->call)
			post(p);
	}
}

/* ---- the stream ---- */

static int on_event(void *arg, const struct lb_sse_event *event,
		    struct lb_error *err)
{
	struct sse *s = arg;

	if (strcmp(event->name, "endpoint") == 0) {
		free(s->endpoint);
		s->endpoint = lb_mcp_same_place(s->place.url, event->data, err);
		if (!s->endpoint)
			return -1;
		post_all(s);
	} else if (strcmp(event->name, "message") == 0 && event->len > 0) {
		s->t.events->on_message(s->t.arg, event->data, event->len);
	}
	return 0;
}

static void stream_head(void *arg, struct lb_http_call *call, int status)
{
	struct sse *s = arg;

	s->status = status;
	s->is_stream =
		status == 200 && lb_mcp_is_type(call, "text/event-stream");
}

static int stream_data(void *arg, const char *data, size_t len)
{
	struct sse *s = arg;

	if (!s->is_stream)
		return 0;
	if (lb_sse_feed(&s->events, data, len, on_event, s, &s->broken) == 0)
		return 0;
	if (s->broken.code == LB_DATA) /* no error of JSON-RPC */
		s->broken.code = LB_PROTOCOL;
	return -1;
}

static void stream_end(void *arg, const struct lb_http_end *end)
{
	struct sse *s = arg;
	struct lb_error err = s->broken;
	bool failed = err.code != LB_OK ||
		      lb_mcp_http_error(end, lb_clock_mono() - s->began,
					&s->place, &err) < 0;

	s->stream = NULL;
	if (!failed && s->is_stream)
		lb_fail(&err, LB_AGAIN, "it closed its event stream");
	else if (!failed)
		lb_fail(&err, LB_PROTOCOL, "it answers with no event stream");
	gone(s,
	     s->endpoint        ? LB_MCP_RUNTIME
	     : end->status != 0 ? LB_MCP_INIT
				: LB_MCP_RELAY_CONNECT,
	     &err);
}

static const struct lb_http_events stream_events = {
	.on_head = stream_head,
	.on_data = stream_data,
	.on_end = stream_end,
};

static void start(void *arg)
{
	struct sse *s = arg;
	lb_autowords struct lb_words headers = {.n = 0};
	struct lb_http_request request = {
		.url = s->place.url,
		.connect_ms = s->place.connect_ms,
		.first_byte_ms = s->place.connect_ms,
		.idle_ms = s->place.idle_ms,
		.max_body = SIZE_MAX,
	};
	struct lb_error err;

	for (size_t i = 0; i < s->place.headers.n; i++)
		lb_words_add(&headers, lb_strdup(s->place.headers.at[i]));
	lb_words_add(&headers, lb_strdup("Accept: text/event-stream"));
	request.headers = (const char *const *)lb_words_list(&headers);
	s->began = lb_clock_mono();
	s->stream =
		lb_http_start(s->place.http, &request, &stream_events, s, &err);
	if (!s->stream)
		gone(s, LB_MCP_RELAY_CONNECT, &err);
}

static int sse_send(struct lb_mcp_transport *t, const struct lb_peer_out *out,
		    struct lb_error *err)
{
	struct sse *s = (struct sse *)t;
	struct post *p;

	if (s->waiting + out->len > MAX_WAITING)
		return lb_fail(err, LB_AGAIN, "it does not take more");
	p = lb_alloc(sizeof(*p));
	*p = (struct post){.s = s, .id = out->id};
	lb_buf_put(&p->text, out->text, out->len);
	s->waiting += out->len;
	*s->end = p;
	s->end = &p->next;
	if (s->endpoint)
		post(p);
	return 0;
}

static void sse_close(struct lb_mcp_transport *t, int64_t until)
{
	struct sse *s = (struct sse *)t;

	(void)until;
	while (s->first)
		drop(s->first);
	if (s->stream)
		lb_http_cancel(s->stream);
	lb_timer_cancel(t->loop, &s->timer);
	lb_sse_release(&s->events);
	lb_mcp_place_release(&s->place);
	free(s->endpoint);
	free(s);
}

static const struct lb_mcp_transport_kind sse_kind = {
	.send = sse_send,
	.close = sse_close,
};

struct lb_mcp_transport *lb_mcp_sse_open(
	struct lb_loop *loop, const struct lb_mcp_remote *remote,
	const struct lb_mcp_transport_events *events, void *arg)
{
	struct sse *s = lb_alloc(sizeof(*s));

	s->t = (struct lb_mcp_transport){&sse_kind, loop, events, arg};
	s->end = &s->first;
	lb_mcp_place_copy(&s->place, remote);
	s->events.max_event = remote->max_line;
	lb_timer_set(loop, &s->timer, lb_clock_mono(), start, s);
	return &s->t;
}
