/*
 * mcp/serve-in.h - what the files of a server share. Inside the room only.
 *
 *     serve.c          callers; who hears of what
 *     serve-message.c  from a message to what is to be done
 *     serve-ask.c      what the offer is asked, and its answers
 *     serve-listen.c   streams of changes, in the newer era
 *     serve-stdio.c    one caller, by lines
 *     serve-http.c     many, by HTTP: serve-door.c lets them in,
 *                      serve-session.c knows them again, serve-post.c answers
 */
#ifndef LB_MCP_SERVE_IN_H
#define LB_MCP_SERVE_IN_H

#include "base/buf.h"
#include "mcp/jsonrpc.h"
#include "mcp/serve.h"

/*
 * Where what concerns a request goes. `last`: it is its answer, and nothing
 * comes after it; `status` is that of HTTP then. The text has no line break;
 * NULL: there will be no answer, since the caller took the request back.
 */
struct lb_serve_way {
	void (*say)(void *arg, const char *text, size_t len, bool last,
		    int status);
	void *arg;
};

/* One who asks. Zeroed memory of a transport's, then lb_serve_caller_open(). */
struct lb_serve_caller {
	/* LB_MCP_UNKNOWN until `initialize`, and for the newer era. */
	enum lb_mcp_revision revision;
	/* All its requests are of the newer era, as HTTP said. */
	bool is_modern;
	int level; /* of the log that it wants */
	struct lb_serve_way
		notes; /* for what concerns no request; or .say NULL */
	size_t n_asks;
	struct lb_serve *serve;
	struct lb_serve_caller *next, **link;
};

struct lb_serve_listener;

struct lb_serve {
	struct lb_loop *loop;
	struct lb_serve_offer offer;
	struct lb_serve_caller *callers;
	struct lb_serve_ask *asks;
	size_t n_asks;
	struct lb_serve_listener *listeners;
};

void lb_serve_caller_open(struct lb_serve *s, struct lb_serve_caller *caller);
/* What it asked for is cancelled. */
void lb_serve_caller_close(struct lb_serve_caller *caller);

/*
 * A message, or several (a batch). The way is borrowed until each of them is
 * answered, or lb_serve_drop() called. Returns how many answers it will get, of
 * which some or all may have been given.
 */
size_t lb_serve_take(struct lb_serve_caller *caller, json_t *take,
		     const struct lb_serve_way *way);

/* Are several messages at once taken of it? Else they get one answer. */
bool lb_serve_takes_batch(const struct lb_serve_caller *caller,
			  const json_t *batch);

/* Nobody is there to be answered by that way. */
void lb_serve_drop(struct lb_serve *s, const struct lb_serve_way *way);

/* ---- asks ---- */

struct lb_serve_request {
	const struct lb_rpc_message *message;
	enum lb_mcp_revision revision;
	struct lb_mcp_request_meta meta;
	const struct lb_serve_way *way;
};

/* False: no method of an offer's. */
bool lb_serve_ask(struct lb_serve_caller *caller,
		  const struct lb_serve_request *r);
/* It gets no answer; with `tell`, its way hears of that. */
void lb_serve_cancel(struct lb_serve_ask *ask, bool tell);
/* All of them: nobody will answer any more. */
void lb_serve_ask_forget(struct lb_serve *s);
struct lb_serve_ask *lb_serve_ask_find(const struct lb_serve_caller *caller,
				       const json_t *id);

/* ---- answers ---- */

void lb_serve_say_failure(const struct lb_serve_way *way, const json_t *id,
			  int code, const char *message, const json_t *data,
			  int status);
void lb_serve_say_result(const struct lb_serve_way *way, const json_t *id,
			 enum lb_mcp_revision revision, json_t *take_result);
void lb_serve_say_note(const struct lb_serve_way *way, const char *method,
		       const json_t *params);

/* {"name","version",...} of this program, {"tools":{...},...}; new. */
json_t *lb_serve_capabilities(const struct lb_serve *s);

/* ---- the newer era's streams of changes ---- */

void lb_serve_listen(struct lb_serve_caller *caller,
		     const struct lb_serve_request *r);
/* False: there is none of that id. */
bool lb_serve_unlisten(struct lb_serve_caller *caller, const json_t *id);
void lb_serve_listen_drop(struct lb_serve *s, const struct lb_serve_way *way,
			  const struct lb_serve_caller *caller);
void lb_serve_listen_tell(struct lb_serve *s, enum lb_serve_want what);
/* Each is told that it ends. */
void lb_serve_listen_end(struct lb_serve *s);

#endif
