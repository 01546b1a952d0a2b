/*
 * net/http-call.h - what the files of the HTTP client share, and nobody else.
 *
 *     http.c        requests: begin, time out, end
 *     http-easy.c   one request as libcurl sees it
 *     http-upload.c a body in pieces
 *     http-why.c    what went wrong, for people
 *     http-gate.c   who looks a name up, and who waits for the answer
 */
#ifndef LB_NET_HTTP_CALL_H
#define LB_NET_HTTP_CALL_H

#include "net/curl.h"
#include <stdbool.h>

#include "net/http.h"

enum {
	LB_HTTP_POOL = 64,  /* easy handles kept for reuse */
	LB_HTTP_GATES = 64, /* from here on those not needed are dropped */
	LB_HTTP_MAX_BODY = 64 << 20,
	LB_HTTP_MAX_HEAD = 256 << 10, /* bytes of all headers of an answer */
};

/* Calls in the order they came; a call is in one list at a time. */
struct lb_http_list {
	struct lb_http_call *first, *last;
};

/* One host and port: the name is looked up by one call for all. */
struct lb_http_gate {
	struct lb_http_gate *next;
	char *place;               /* "host:port", for people too */
	struct curl_slist *forget; /* makes libcurl look up anew */
	bool is_name;              /* not an address */
	int64_t fresh_until;       /* mono ms */
	struct lb_http_call *leader;
	struct lb_http_list waiting;
	size_t calls; /* that point here */
};

enum lb_http_phase {
	LB_HTTP_QUEUED,     /* in gate->waiting, libcurl has not seen it */
	LB_HTTP_CONNECTING, /* from here on in http->running */
	LB_HTTP_ASKED,
	LB_HTTP_ANSWERING,
};

struct lb_http_call {
	struct lb_http *http;
	struct lb_http_list *list;
	struct lb_http_call *prev, *next;
	struct lb_http_gate *gate;
	const struct lb_http_events *events;
	void *arg;
	CURL *easy;
	struct curl_slist *headers;
	char *body;
	struct lb_http_pieces pieces; /* of a body in pieces ... */
	size_t piece, in_piece;       /* ... where it is read */
	bool once;
	struct lb_timer timer, total;
	enum lb_http_phase phase;
	int64_t connect_ms, first_byte_ms, idle_ms, total_ms;
	int64_t last_byte; /* mono ms */
	size_t max_body, head_bytes;
	curl_off_t raw_bytes; /* of an encoded body, as far as seen */
	bool head_done;
	/* NULL: none, or a proxy is asked */
	bool (*guard)(const void *arg, const struct sockaddr *to);
	const void *guard_arg;
	bool refused; /* the guard said no to an address */
	struct lb_http_end end;
	char why[512];
	char curl_why[CURL_ERROR_SIZE];
};

struct lb_http {
	struct lb_loop *loop;
	CURLM *multi; /* NULL until the first request */
	struct lb_timer curl_timer, kick;
	struct lb_http_list running, cancelled;
	struct lb_http_gate *gates;
	CURL *pool[LB_HTTP_POOL];
	size_t pooled, lookups;
	bool moved; /* a gate may let somebody pass */
	int inside; /* libcurl is on the stack: it refuses to be called */
};

/* http.c */
/* Soon, when libcurl is not on the stack: tidy up and let calls pass. */
void lb_http_kick(struct lb_http *http);
/* Hand the call to libcurl; `lead` makes it look the name up. */
void lb_http_send(struct lb_http_call *call, bool lead);
bool lb_http_is_cancelled(const struct lb_http_call *call);
/* Any byte arrived. */
void lb_http_touch(struct lb_http_call *call);
/* The request is about to be written. */
void lb_http_asked(struct lb_http_call *call);
/* End it with on_end; `call` is gone. */
void lb_http_finish(struct lb_http_call *call, enum lb_http_cause cause,
		    CURLcode code);

/* http-easy.c */
int lb_http_easy_prepare(struct lb_http_call *call,
			 const struct lb_http_request *request,
			 struct lb_error *err);
enum lb_http_cause lb_http_easy_cause(const struct lb_http_call *call,
				      CURLcode code);

/* http-upload.c: the body is call->pieces. */
void lb_http_upload_prepare(struct lb_http_call *call);

/* http-why.c: say in call->why what happened. */
void lb_http_why(struct lb_http_call *call, enum lb_http_cause cause,
		 CURLcode code);

/* http-gate.c */
void lb_http_list_add(struct lb_http_list *list, struct lb_http_call *call);
void lb_http_list_remove(struct lb_http_call *call);
/* NULL and LB_USAGE when url is none of ours. */
struct lb_http_gate *lb_http_gate_find(struct lb_http *http, const char *url,
				       struct lb_error *err);
/* Let those pass that may. */
void lb_http_gate_pass(struct lb_http *http);
/* libcurl opens a socket: the name has an address. */
void lb_http_gate_resolved(struct lb_http_call *call);
/* The call looks nothing up, or no more: if it led, another may. */
void lb_http_gate_yield(struct lb_http_call *call);
/* The name has no address: fail those who wait for it. */
void lb_http_gate_fail(struct lb_http_gate *gate);
void lb_http_gate_free(struct lb_http_gate *gate);

#endif
