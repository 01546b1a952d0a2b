/* serve-session.c - callers of the older era, and their streams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "mcp/serve-http-in.h"

enum {
	KEPT_EVENTS = 1000,   /* of a session, to be had again */
	KEPT_BYTES = 2 << 20, /* and their bytes */
	RETRY_MS = 1000,      /* until a caller connects again */
};

const struct lb_httpd_reply lb_serve_events = {
	.status = 200,
	.type = "text/event-stream",
	.more = "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n",
};

/* ---- what is kept ---- */

static void drop_event(struct stream *t)
{
	struct event *e = t->events;

	t->events = e->next;
	if (!t->events)
		t->end = &t->events;
	t->session->bytes -= e->len;
	t->session->n_events--;
	free(e);
}

static void free_stream(struct stream **at)
{
	struct stream *t = *at;

	*at = t->next;
	while (t->events)
		drop_event(t);
	free(t);
}

/* The oldest of what is done; else the oldest there is. */
static void drop_oldest(struct session *s)
{
	struct stream **first = NULL;

	for (struct stream **at = &s->streams; *at; at = &(*at)->next) {
		if (!(*at)->events)
			continue;
		if (!first)
			first = at;
		if ((*at)->is_done) {
			first = at;
			break;
		}
	}
	if (!first)
		return;
	drop_event(*first);
	if (!(*first)->events && (*first)->is_done)
		free_stream(first);
}

static void keep(struct stream *t, const char *text, size_t len)
{
	struct session *s = t->session;
	struct event *e = lb_alloc(sizeof(*e) + len);

	e->number = t->last;
	e->len = len;
	memcpy(e->text, text, len);
	*t->end = e;
	t->end = &e->next;
	s->bytes += len;
	s->n_events++;
	/* One alone stays, however long it is. */
	while (s->n_events > 1 &&
	       (s->n_events > KEPT_EVENTS || s->bytes > KEPT_BYTES))
		drop_oldest(s);
}

/* ---- streams ---- */

static struct stream *add_stream(struct session *s, uint64_t number)
{
	struct stream *t = lb_alloc(sizeof(*t)), **at = &s->streams;

	t->session = s;
	t->number = number;
	t->end = &t->events;
	while (*at)
		at = &(*at)->next;
	*at = t;
	return t;
}

struct stream *lb_serve_stream_open(struct session *s)
{
	return add_stream(s, ++s->n_streams);
}

static void on_gone(void *arg)
{
	struct stream *t = arg;

	t->conn = NULL;
	t->session->used = lb_clock_mono();
}

static void put_event(struct stream *t, const char *before, const char *text,
		      size_t len)
{
	lb_autobuf struct lb_buf line = {0};

	lb_buf_printf(&line,
		      "id: %llu-%llu\n%sdata: ", (unsigned long long)t->number,
		      (unsigned long long)t->last, before);
	lb_buf_put(&line, text, len);
	lb_buf_puts(&line, "\n\n");
	keep(t, line.data, line.len);
	if (t->conn)
		lb_httpd_push(t->conn, line.data, line.len);
}

void lb_serve_stream_attach(struct stream *t, struct lb_httpd_conn *conn)
{
	if (t->conn) {
		lb_httpd_on_gone(t->conn, NULL, NULL);
		lb_httpd_end(t->conn);
	}
	t->conn = conn;
	lb_httpd_on_gone(conn, on_gone, t);
	lb_httpd_stream(conn, &lb_serve_events);
	/* An event with nothing in it, so that one who is cut off at once has
	 * something to go on from; older callers do not expect it. */
	if (t->last == 0 && t->session->caller.revision >= LB_MCP_2025_11_25) {
		lb_autofree char *retry =
			lb_printf("retry: %d\n", (int)RETRY_MS);

		t->last++;
		put_event(t, retry, "", 0);
	}
}

void lb_serve_stream_say(struct stream *t, const char *text, size_t len)
{
	t->last++;
	put_event(t, "", text, len);
}

void lb_serve_stream_end(struct stream *t)
{
	t->is_done = true;
	if (t->conn) {
		lb_httpd_on_gone(t->conn, NULL, NULL);
		lb_httpd_end(t->conn);
	}
	t->conn = NULL;
}

static struct stream *find_stream(const struct session *s, uint64_t number)
{
	for (struct stream *t = s->streams; t; t = t->next)
		if (t->number == number)
			return t;
	return NULL;
}

void lb_serve_session_general(struct session *s, struct lb_httpd_conn *conn)
{
	lb_serve_stream_attach(find_stream(s, 0), conn);
}

bool lb_serve_stream_resume(struct session *s, const char *event,
			    struct lb_httpd_conn *conn)
{
	unsigned long long number, last;
	struct stream *t;
	int used = 0;

	if (strspn(event, "0123456789-") != strlen(event) ||
	    strlen(event) > 40 ||
	    sscanf(event, "%llu-%llu%n", &number, &last, &used) != 2 ||
	    event[used])
		return false;
	t = find_stream(s, number);
	if (!t || last > t->last)
		return false;
	lb_serve_stream_attach(t, conn);
	for (const struct event *e = t->events; e; e = e->next)
		if (e->number > last && t->conn)
			lb_httpd_push(t->conn, e->text, e->len);
	if (t->is_done)
		lb_serve_stream_end(t);
	return true;
}

/* ---- sessions ---- */

/* What concerns no request. */
static void say_general(void *arg, const char *text, size_t len, bool last,
			int status)
{
	(void)last;
	(void)status;
	lb_serve_stream_say(find_stream(arg, 0), text, len);
}

struct session *lb_serve_session_find(const struct lb_serve_http *http,
				      const char *id)
{
	for (struct session *s = http->sessions; s; s = s->next)
		if (strcmp(s->id, id) == 0)
			return s;
	return NULL;
}

static bool is_used(const struct session *s)
{
	if (s->posts > 0 || s->caller.n_asks > 0)
		return true;
	for (const struct stream *t = s->streams; t; t = t->next)
		if (t->conn)
			return true;
	return false;
}

/* Of those that nobody uses, the one of which that is true the longest. */
static struct session *find_idle(const struct lb_serve_http *http)
{
	struct session *idle = NULL;

	for (struct session *s = http->sessions; s; s = s->next)
		if (!is_used(s) && (!idle || s->used < idle->used))
			idle = s;
	return idle;
}

struct session *lb_serve_session_open(struct lb_serve_http *http)
{
	struct session *s = NULL;

	if (http->n_sessions >= http->settings.sessions) {
		s = find_idle(http);
		if (!s)
			return NULL;
		lb_serve_session_close(s);
	}
	s = lb_alloc(sizeof(*s));
	s->http = http;
	s->used = lb_clock_mono();
	snprintf(s->id, sizeof(s->id), "%016llx%016llx",
		 (unsigned long long)lb_random(),
		 (unsigned long long)lb_random());
	s->caller.notes = (struct lb_serve_way){say_general, s};
	add_stream(s, 0);
	lb_serve_caller_open(http->serve, &s->caller);
	s->next = http->sessions;
	s->link = &http->sessions;
	if (s->next)
		s->next->link = &s->next;
	http->sessions = s;
	http->n_sessions++;
	return s;
}

void lb_serve_session_close(struct session *s)
{
	lb_serve_caller_close(&s->caller);
	lb_serve_posts_close(s->http, s);
	while (s->streams) {
		lb_serve_stream_end(s->streams);
		free_stream(&s->streams);
	}
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	s->http->n_sessions--;
	free(s);
}

void lb_serve_sessions_tend(struct lb_serve_http *http)
{
	int64_t old = lb_clock_mono() - http->settings.idle_ms;

	for (struct session *s = http->sessions, *next; s; s = next) {
		next = s->next;
		if (!is_used(s) && s->used <= old) {
			lb_serve_session_close(s);
			continue;
		}
		for (struct stream *t = s->streams; t; t = t->next)
			if (t->conn)
				lb_httpd_push(t->conn, ": \n\n", 4);
	}
}
