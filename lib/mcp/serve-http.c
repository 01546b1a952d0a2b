#include "mcp/serve-http.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "mcp/serve-http-in.h"

enum {
	SESSIONS = 64,
	IDLE_MS = 30 * 60 * 1000,
	TEND_MS = 15 * 1000, /* a stream that is silent says that it lives */
};

void lb_serve_http_refuse(struct lb_httpd_conn *conn, int status, int code,
			  const char *why, const char *more)
{
	lb_autobuf struct lb_buf text = {0};
	const struct lb_httpd_reply reply = {.status = status,
					     .type = "application/json",
					     .more = more};

	lb_log(LB_INFO, NULL, "refused with %d: %s", status, why);
	lb_rpc_put_failure(&text, NULL, code, why, NULL);
	lb_httpd_answer(conn, &reply, text.data, text.len);
}

/* The session of a GET or DELETE; NULL: it is answered already. */
static struct session *session_of(const struct lb_serve_http *http,
				  struct lb_httpd_conn *conn,
				  const struct lb_httpd_request *r)
{
	const char *id = lb_httpd_header(r, "mcp-session-id");
	const char *version = lb_httpd_header(r, "mcp-protocol-version");
	struct session *s = id ? lb_serve_session_find(http, id) : NULL;

	if (lb_mcp_is_modern(lb_mcp_revision(version)))
		lb_serve_http_refuse(conn, 405, LB_RPC_INVALID,
				     "that version has POST alone",
				     "Allow: POST\r\n");
	else if (!id)
		lb_serve_http_refuse(conn, 400, LB_RPC_INVALID,
				     "Mcp-Session-Id is missing", NULL);
	else if (!s)
		lb_serve_http_refuse(conn, 404, LB_RPC_INVALID,
				     "there is no such session", NULL);
	else
		return s;
	return NULL;
}

static void take_get(struct lb_serve_http *http, struct lb_httpd_conn *conn,
		     const struct lb_httpd_request *r)
{
	const char *event = lb_httpd_header(r, "last-event-id");
	struct session *s;

	if (!lb_serve_accepts(r, "text/event-stream")) {
		lb_serve_http_refuse(conn, 406, LB_RPC_INVALID,
				     "Accept has no text/event-stream", NULL);
		return;
	}
	s = session_of(http, conn, r);
	if (!s)
		return;
	s->used = lb_clock_mono();
	if (!event)
		lb_serve_session_general(s, conn);
	else if (!lb_serve_stream_resume(s, event, conn))
		lb_serve_http_refuse(conn, 400, LB_RPC_INVALID,
				     "there is no such event to go on from",
				     NULL);
}

static void take_delete(struct lb_serve_http *http, struct lb_httpd_conn *conn,
			const struct lb_httpd_request *r)
{
	const struct lb_httpd_reply reply = {.status = 204};
	struct session *s = session_of(http, conn, r);

	if (!s)
		return;
	lb_serve_session_close(s);
	lb_httpd_answer(conn, &reply, "", 0);
}

static void on_asked(void *arg, struct lb_httpd_conn *conn,
		     const struct lb_httpd_request *r)
{
	struct lb_serve_http *http = arg;

	if (strcmp(r->method, "GET") == 0)
		take_get(http, conn, r);
	else if (strcmp(r->method, "DELETE") == 0)
		take_delete(http, conn, r);
	else
		lb_serve_post(http, conn, r);
}

static void tend(void *arg)
{
	struct lb_serve_http *http = arg;
	int64_t pause = http->settings.idle_ms / 2;

	lb_serve_sessions_tend(http);
	lb_serve_posts_tend(http);
	lb_timer_set(http->serve->loop, &http->timer,
		     lb_clock_mono() + (pause < TEND_MS ? pause + 1 : TEND_MS),
		     tend, http);
}

struct lb_serve_http *lb_serve_http_open(
	struct lb_serve *serve, int take_listener,
	const struct lb_serve_http_settings *settings)
{
	struct lb_serve_http *http = lb_alloc(sizeof(*http));
	struct lb_serve_http_settings *s = &http->settings;

	http->serve = serve;
	*s = *settings;
	s->sessions = s->sessions ? s->sessions : SESSIONS;
	s->idle_ms = s->idle_ms ? s->idle_ms : IDLE_MS;
	http->httpd =
		lb_httpd_open(serve->loop, take_listener,
			      &(struct lb_httpd_settings){
				      .limits = {.connections = s->connections,
						 .body = s->body},
				      .head = lb_serve_door,
				      .asked = on_asked,
				      .arg = http,
			      });
	tend(http);
	return http;
}

void lb_serve_http_close(struct lb_serve_http *http)
{
	if (!http)
		return;
	lb_serve_posts_close(http, NULL);
	while (http->sessions)
		lb_serve_session_close(http->sessions);
	lb_timer_cancel(http->serve->loop, &http->timer);
	lb_httpd_close(http->httpd);
	free(http);
}
