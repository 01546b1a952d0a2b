/* serve-post.c - messages that came by POST, and their answers. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/serve-http-in.h"

enum { PATIENCE_MS = 1000 /* until an answer becomes a stream */ };

struct post {
	struct lb_serve_http *http;
	struct post *next, **link;
	struct session *session;    /* NULL: of the newer era */
	struct lb_serve_caller own; /* then */
	struct lb_serve_way way;
	struct lb_httpd_conn *conn; /* NULL: gone, or its stream has it */
	bool is_taking;             /* answers come before all is known */
	bool is_batch, is_first; /* several messages; the first of a session */
	bool may_stream, streams;
	struct stream *stream; /* of the older era */
	size_t wanted, got;    /* answers */
	struct lb_buf answers; /* a line each, while it is no stream */
	int status;
	struct lb_timer timer;
};

static void free_post(struct post *p)
{
	lb_timer_cancel(p->http->serve->loop, &p->timer);
	if (p->session)
		p->session->posts--;
	else
		lb_serve_caller_close(&p->own);
	if (p->conn)
		lb_httpd_on_gone(p->conn, NULL, NULL);
	lb_buf_release(&p->answers);
	*p->link = p->next;
	if (p->next)
		p->next->link = p->link;
	free(p);
}

static void push(struct post *p, const char *text, size_t len)
{
	lb_autobuf struct lb_buf event = {0};

	if (p->stream) {
		lb_serve_stream_say(p->stream, text, len);
	} else if (p->conn) {
		lb_buf_puts(&event, "data: ");
		lb_buf_put(&event, text, len);
		lb_buf_puts(&event, "\n\n");
		lb_httpd_push(p->conn, event.data, event.len);
	}
}

/* From now on each message leaves at once. False: that cannot be. */
static bool become_stream(struct post *p)
{
	const char *end;

	if (p->streams)
		return true;
	if (!p->may_stream || !p->conn)
		return false;
	p->streams = true;
	if (p->session) {
		p->stream = lb_serve_stream_open(p->session);
		lb_serve_stream_attach(p->stream, p->conn);
		p->conn = NULL;
	} else {
		lb_httpd_stream(p->conn, &lb_serve_events);
	}
	for (const char *at = lb_buf_str(&p->answers);
	     (end = strchr(at, '\n')) != NULL; at = end + 1)
		push(p, at, (size_t)(end - at));
	lb_buf_release(&p->answers);
	return true;
}

static void answer_whole(struct post *p)
{
	lb_autofree char *more =
		p->is_first && p->session
			? lb_printf("Mcp-Session-Id: %s\r\n", p->session->id)
			: NULL;
	struct lb_httpd_reply reply = {.status = p->status,
				       .type = "application/json",
				       .more = more};
	lb_autobuf struct lb_buf text = {0};

	if (p->answers.len == 0) {
		reply.type = NULL;
		reply.status = 202;
	} else {
		p->answers.len--; /* the last line's end */
		for (size_t i = 0; i < p->answers.len; i++)
			if (p->answers.data[i] == '\n')
				p->answers.data[i] = ',';
		lb_buf_puts(&text, p->is_batch ? "[" : "");
		lb_buf_put(&text, p->answers.data, p->answers.len);
		lb_buf_puts(&text, p->is_batch ? "]" : "");
		reply.status = p->is_batch ? 200 : p->status;
	}
	lb_httpd_answer(p->conn, &reply, lb_buf_str(&text), text.len);
	p->conn = NULL;
}

/* All is answered. */
static void finish(struct post *p)
{
	struct session *failed = NULL;

	if (p->is_first && p->session &&
	    p->session->caller.revision == LB_MCP_UNKNOWN)
		failed = p->session;
	if (failed)
		p->is_first = false;
	if (p->stream) {
		lb_serve_stream_end(p->stream);
	} else if (p->conn && p->streams) {
		lb_httpd_end(p->conn);
		p->conn = NULL;
	} else if (p->conn) {
		answer_whole(p);
	}
	if (p->session)
		p->session->used = lb_clock_mono();
	free_post(p);
	if (failed)
		lb_serve_session_close(failed);
}

static void say(void *arg, const char *text, size_t len, bool last, int status)
{
	struct post *p = arg;

	if (!last) {
		if (become_stream(p))
			push(p, text, len);
		return;
	}
	p->got++;
	p->status = status;
	if (text && p->streams) {
		push(p, text, len);
	} else if (text && p->conn) {
		lb_buf_put(&p->answers, text, len);
		lb_buf_putc(&p->answers, '\n');
	}
	if (!p->is_taking && p->got == p->wanted)
		finish(p);
}

static void on_patience(void *arg)
{
	become_stream(arg);
}

/* The caller hung up: in the newer era that takes the request back. */
static void on_gone(void *arg)
{
	struct post *p = arg;

	p->conn = NULL;
	if (!p->session)
		free_post(p);
}

static struct post *add_post(struct lb_serve_http *http,
			     struct session *session,
			     struct lb_httpd_conn *conn)
{
	struct post *p = lb_alloc(sizeof(*p));

	p->http = http;
	p->session = session;
	p->conn = conn;
	p->way = (struct lb_serve_way){say, p};
	p->next = http->posts;
	p->link = &http->posts;
	if (p->next)
		p->next->link = &p->next;
	http->posts = p;
	lb_httpd_on_gone(conn, on_gone, p);
	if (session) {
		session->posts++;
		session->used = lb_clock_mono();
	} else {
		p->own.is_modern = true;
		lb_serve_caller_open(http->serve, &p->own);
	}
	return p;
}

static void take(struct post *p, json_t *take_value)
{
	struct lb_loop *loop = p->http->serve->loop;
	struct lb_serve_caller *caller =
		p->session ? &p->session->caller : &p->own;

	p->is_batch = json_is_array(take_value) &&
		      lb_serve_takes_batch(caller, take_value);
	p->is_taking = true;
	p->wanted = lb_serve_take(caller, take_value, &p->way);
	p->is_taking = false;
	if (p->got == p->wanted)
		finish(p);
	else
		lb_timer_set(loop, &p->timer, lb_clock_mono() + PATIENCE_MS,
			     on_patience, p);
}

/* ---- who it is from ---- */

static bool is_modern(const struct lb_httpd_request *r, const json_t *value)
{
	struct lb_mcp_request_meta meta;

	lb_mcp_read_meta(&meta, json_object_get(value, "params"));
	return meta.version ||
	       lb_mcp_is_modern(lb_mcp_revision(
		       lb_httpd_header(r, "mcp-protocol-version")));
}

static void refuse(struct lb_httpd_conn *conn, const json_t *value, int code,
		   const char *why, const json_t *data)
{
	lb_autobuf struct lb_buf text = {0};
	const json_t *id = json_object_get(value, "id");

	if (!json_is_string(id) && !json_is_integer(id))
		id = NULL;
	lb_rpc_put_failure(&text, id, code, why, data);
	lb_httpd_answer(conn,
			&(struct lb_httpd_reply){.status = 400,
						 .type = "application/json"},
			text.data, text.len);
}

static bool is_initialize(const json_t *value)
{
	const char *method = lb_json_str(value, "method");

	return method && strcmp(method, "initialize") == 0 &&
	       json_object_get(value, "id");
}

/* The session it is of, or a new one; NULL: it is answered already. */
static struct session *session_of(struct lb_serve_http *http,
				  struct lb_httpd_conn *conn,
				  const struct lb_httpd_request *r,
				  const json_t *value)
{
	const char *id = lb_httpd_header(r, "mcp-session-id");
	const char *version = lb_httpd_header(r, "mcp-protocol-version");
	struct session *s = NULL;

	if (version && lb_mcp_revision(version) == LB_MCP_UNKNOWN) {
		json_auto_t *data = lb_mcp_unsupported(version);

		refuse(conn, value, LB_MCP_UNSUPPORTED_VERSION,
		       "MCP-Protocol-Version is none that is spoken here",
		       data);
	} else if (id) {
		s = lb_serve_session_find(http, id);
		if (!s)
			lb_serve_http_refuse(conn, 404, LB_RPC_INVALID,
					     "there is no such session", NULL);
	} else if (!is_initialize(value)) {
		refuse(conn, value, LB_RPC_INVALID,
		       "Mcp-Session-Id is missing: 'initialize' comes first",
		       NULL);
	} else {
		s = lb_serve_session_open(http);
		if (!s)
			lb_serve_http_refuse(conn, 503, LB_RPC_INTERNAL,
					     "there are too many sessions",
					     "Retry-After: 60\r\n");
	}
	return s;
}

void lb_serve_post(struct lb_serve_http *http, struct lb_httpd_conn *conn,
		   const struct lb_httpd_request *r)
{
	struct lb_error err;
	json_t *value = lb_rpc_parse(r->body, r->body_len, &err);
	struct session *s = NULL;
	const char *why = NULL;
	struct post *p;
	bool modern;

	if (!value) {
		lb_serve_http_refuse(conn, 400,
				     err.code == LB_DATA ? LB_RPC_PARSE
							 : LB_RPC_INVALID,
				     err.text, NULL);
		return;
	}
	modern = is_modern(r, value);
	why = modern ? lb_serve_headers(r, value) : NULL;
	if (why)
		refuse(conn, value, LB_MCP_HEADER_MISMATCH, why, NULL);
	else if (!modern)
		s = session_of(http, conn, r, value);
	if (why || (!modern && !s)) {
		json_decref(value);
		return;
	}
	p = add_post(http, s, conn);
	p->is_first = !lb_httpd_header(r, "mcp-session-id");
	p->may_stream = lb_serve_accepts(r, "text/event-stream");
	take(p, value);
}

void lb_serve_posts_close(struct lb_serve_http *http, const struct session *s)
{
	for (struct post *p = http->posts, *next; p; p = next) {
		next = p->next;
		if (s && p->session != s)
			continue;
		if (p->conn && p->streams)
			lb_httpd_end(p->conn);
		else if (p->conn)
			lb_serve_http_refuse(p->conn, s ? 404 : 503,
					     LB_RPC_INTERNAL, "it has ended",
					     NULL);
		p->conn = NULL;
		free_post(p);
	}
}

void lb_serve_posts_tend(struct lb_serve_http *http)
{
	for (struct post *p = http->posts; p; p = p->next)
		if (p->streams && p->conn)
			lb_httpd_push(p->conn, ": \n\n", 4);
}
