/*
 * mcp/serve-http-in.h - what the files of an HTTP server share. Inside the room
 * only.
 *
 *     serve-http.c     what a request wants
 *     serve-door.c     who may come in
 *     serve-session.c  callers of the older era, and their streams
 *     serve-post.c     messages, and their answers
 *     serve-header.c   what the newer era has twice, in headers too
 */
#ifndef LB_MCP_SERVE_HTTP_IN_H
#define LB_MCP_SERVE_HTTP_IN_H

#include "mcp/serve-http.h"
#include "mcp/serve-in.h"
#include "net/httpd.h"

enum { LB_SERVE_SESSION_ID = 33 }; /* bytes, the NUL included */

struct event {
	struct event *next;
	uint64_t number;
	size_t len;
	char text[]; /* as it is sent */
};

/* What goes to a caller in one answer of HTTP, and can be had again. */
struct stream {
	struct stream *next;
	struct session *session;
	uint64_t number; /* 0: what concerns no request */
	uint64_t last;   /* event of it */
	struct event *events, **end;
	struct lb_httpd_conn *conn; /* NULL: nobody reads it now */
	bool is_done;
};

struct session {
	struct lb_serve_caller caller;
	struct lb_serve_http *http;
	struct session *next, **link;
	char id[LB_SERVE_SESSION_ID];
	int64_t used;           /* mono ms */
	size_t posts;           /* of it, that are not answered */
	struct stream *streams; /* the oldest first */
	uint64_t n_streams;     /* that there ever were */
	size_t bytes, n_events; /* that are kept */
};

struct post;

struct lb_serve_http {
	struct lb_serve *serve;
	struct lb_serve_http_settings settings;
	struct lb_httpd *httpd;
	struct session *sessions;
	int n_sessions;
	struct post *posts;
	struct lb_timer timer;
};

extern const struct lb_httpd_reply lb_serve_events; /* begins a stream */

/* An error that concerns no message. `more` as in lb_httpd_reply. */
void lb_serve_http_refuse(struct lb_httpd_conn *conn, int status, int code,
			  const char *why, const char *more);

/* Does an Accept want that type, "application/json"? */
bool lb_serve_accepts(const struct lb_httpd_request *r, const char *type);

/* For httpd: whoever may not come in is answered. */
void lb_serve_door(void *arg, struct lb_httpd_conn *conn,
		   const struct lb_httpd_request *r);

/*
 * Do the headers say what a message of the newer era says? NULL, or why not:
 * LB_MCP_HEADER_MISMATCH.
 */
const char *lb_serve_headers(const struct lb_httpd_request *r,
			     const json_t *message);

/* ---- sessions ---- */

/* NULL: there are too many, and none that is idle. */
struct session *lb_serve_session_open(struct lb_serve_http *http);
void lb_serve_session_close(struct session *s);
struct session *lb_serve_session_find(const struct lb_serve_http *http,
				      const char *id);
/* End those that nobody used for long; a sign of life for the streams. */
void lb_serve_sessions_tend(struct lb_serve_http *http);

struct stream *lb_serve_stream_open(struct session *s);
/* Whoever connected reads it from now on; its head is sent. */
void lb_serve_stream_attach(struct stream *stream, struct lb_httpd_conn *conn);
void lb_serve_stream_say(struct stream *stream, const char *text, size_t len);
void lb_serve_stream_end(struct stream *stream);
/* What concerns no request. */
void lb_serve_session_general(struct session *s, struct lb_httpd_conn *conn);
/* Go on behind an event, "STREAM-NUMBER". False: there is no such stream. */
bool lb_serve_stream_resume(struct session *s, const char *event,
			    struct lb_httpd_conn *conn);

/* ---- messages ---- */

void lb_serve_post(struct lb_serve_http *http, struct lb_httpd_conn *conn,
		   const struct lb_httpd_request *r);
/* Those that are not answered; of a session (NULL: all). */
void lb_serve_posts_close(struct lb_serve_http *http, const struct session *s);
/* A sign of life. */
void lb_serve_posts_tend(struct lb_serve_http *http);

#endif
