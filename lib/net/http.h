/*
 * net/http.h - HTTP requests, many at once, on one event loop.
 *
 * libcurl's socket interface driven by base/loop. Connections are kept and
 * reused. For each host one request looks the name up while the others wait
 * for it and share the answer, so a burst costs one look-up (libcurl starts a
 * thread for each). Where the name has no address, all who waited fail with
 * the one who asked; where the one who asked ends otherwise, the next asks.
 * Nothing is followed: a redirect is an answer like another.
 *
 * Bodies arrive decoded: gzip and deflate are inflated as they come although
 * they are not asked for; another encoding ends the call with an error.
 */
#ifndef LB_NET_HTTP_H
#define LB_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "net/retry.h"

struct lb_http;      /* a client */
struct lb_http_call; /* one request under way */

/* Why a call ended. */
enum lb_http_cause {
	LB_HTTP_DONE,       /* the whole answer arrived; status says which */
	LB_HTTP_CONNECT,    /* no connection within connect_ms, or refused */
	LB_HTTP_FIRST_BYTE, /* no byte of an answer within first_byte_ms */
	LB_HTTP_IDLE,       /* nothing more for idle_ms */
	LB_HTTP_ENDLESS,    /* not at its end after total_ms */
	LB_HTTP_NETWORK,    /* the connection broke, or TLS failed */
	LB_HTTP_LIMIT,      /* the body exceeded max_body */
	LB_HTTP_ENCODING,   /* a content encoding that cannot be undone */
	LB_HTTP_STOPPED,    /* on_data said stop */
	LB_HTTP_DENIED,     /* `guard` refused the address */
};

/* Of a body in pieces: text, or (fd >= 0) so many bytes of a file. */
struct lb_http_piece {
	char *text;
	size_t len;
	int fd;
};

struct lb_http_pieces {
	struct lb_http_piece *at;
	size_t n;
};

/* Frees the texts and closes the files; empty afterwards. */
void lb_http_pieces_release(struct lb_http_pieces *pieces);

struct sockaddr;

struct lb_http_request {
	const char *method; /* NULL: POST with a body, else GET */
	const char *url;
	const char *const *headers; /* "Name: value", NULL-ended; or NULL */
	const char *body;           /* copied; or NULL */
	size_t body_len;
	/* Instead of `body`; or NULL. Taken, also on failure. */
	struct lb_http_pieces *pieces;
	/*
	 * libcurl writes a request a second time where a kept connection
	 * proves dead before any answer. With `once` the call ends then
	 * (NETWORK): the peer may have acted on the first.
	 */
	bool once;
	/* ms; 0 for none. connect_ms begins at lb_http_start() and covers the
	 * look-up, waiting for another's look-up, and TLS. Any byte of the
	 * answer, also of a comment in an event stream, starts idle_ms anew. */
	int64_t connect_ms, first_byte_ms, idle_ms;
	int64_t total_ms;    /* from lb_http_start(), whatever arrives */
	size_t max_body;     /* bytes after decoding; 0 for 64 MiB */
	const char *ca_file; /* certificates to trust; NULL: the system's */
	/* May this address be connected to? NULL: any. Such a call has its
	 * own connection, and no proxy but `proxy`, whose address is not asked
	 * about. All borrowed until the end. */
	bool (*guard)(const void *arg, const struct sockaddr *to);
	const void *guard_arg;
	const char *proxy;
};

struct lb_http_end {
	enum lb_http_cause cause;
	bool asked;             /* the peer may have seen the request */
	int status;             /* 0 when no answer began */
	int64_t retry_after_ms; /* from Retry-After, either form; -1 */
	size_t bytes;           /* of the body, decoded */
	const char *why;        /* for people; "" when the cause is DONE */
};

struct lb_http_events {
	/* The status and headers are known; may be NULL. */
	void (*on_head)(void *arg, struct lb_http_call *call, int status);
	/* Some of the body. Return 0, or -1 to end the call (STOPPED). */
	int (*on_data)(void *arg, const char *data, size_t len);
	/* Once, last, unless cancelled; the call is gone afterwards. */
	void (*on_end)(void *arg, const struct lb_http_end *end);
};

/* Global state of libcurl starts at the first request, not here. */
struct lb_http *lb_http_open(struct lb_loop *loop);

/*
 * Cancels what is under way. Before lb_loop_close(), and not inside a callback
 * of a call.
 */
void lb_http_close(struct lb_http *http);

/*
 * Begin a request; never calls back before it returns. `events` is borrowed
 * until the end. NULL and LB_USAGE when the URL is none or not http(s), or
 * a header or the method has characters that would break the request.
 */
struct lb_http_call *lb_http_start(struct lb_http *http,
				   const struct lb_http_request *request,
				   const struct lb_http_events *events,
				   void *arg, struct lb_error *err);

/*
 * End it without on_end. Allowed inside every callback, of this call or of
 * another; inside its own on_end it does nothing. The call must not be used
 * after it.
 */
void lb_http_cancel(struct lb_http_call *call);

/* A header of the answer, borrowed until the end; NULL if absent. */
const char *lb_http_header(struct lb_http_call *call, const char *name);

/* Look-ups of names begun so far (for tests and --verbose). */
size_t lb_http_lookups(const struct lb_http *http);

#endif
