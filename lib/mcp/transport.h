/*
 * mcp/transport.h - how messages get to a server and back.
 *
 *     transport-stdio.c  a program: a line a message
 *     transport-http.c   streamable HTTP: a request a message
 *     transport-sse.c    what came before it: one event stream, and requests
 *
 * A transport begins by itself; what is sent before it has begun waits. When it
 * is gone nothing more comes of it, and it is only to be closed.
 */
#ifndef LB_MCP_TRANSPORT_H
#define LB_MCP_TRANSPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "mcp/peer.h"
#include "mcp/protocol.h"

/* Where a failure happened: error_phase of a server's status. */
enum lb_mcp_phase {
	LB_MCP_NO_PHASE,
	LB_MCP_BOX_UNAVAILABLE,
	LB_MCP_SESSION_CREATE, /* the sandbox of a server */
	LB_MCP_DEP_INSTALL,
	LB_MCP_PROCESS_START,
	LB_MCP_RELAY_CONNECT, /* a connection to it */
	LB_MCP_INIT,
	LB_MCP_RUNTIME,
	LB_MCP_TOOL_CALL,
};

/* "mcp_init"; NULL for none. */
const char *lb_mcp_phase_name(enum lb_mcp_phase phase);

/* Why a request over HTTP was not answered; borrowed. */
struct lb_mcp_refusal {
	int64_t id;          /* of the request; 0: of a notification */
	int status;          /* of HTTP; 0: no answer */
	const char *body;    /* its beginning */
	const char *session; /* the one that it was sent in, or NULL */
};

/* Everything but `error` is borrowed until the callback returns. */
struct lb_mcp_transport_events {
	/* Must not close it. */
	void (*on_message)(void *arg, const char *text, size_t len);
	/* Nothing will answer a request. `refusal` NULL: not because of HTTP. */
	void (*on_unanswered)(void *arg, int64_t id,
			      const struct lb_mcp_refusal *refusal,
			      const struct lb_error *why);
	/* Is an answer to that request still wanted? */
	bool (*is_awaited)(void *arg, int64_t id);
	/* A line for people; of a program, what it wrote to standard error. */
	void (*on_words)(void *arg, const char *text, size_t len);
	/* A line that is too long and was thrown away. */
	void (*on_noise)(void *arg, const char *text, size_t len,
			 const struct lb_error *why);
	/* It ended, and by itself. May close it. */
	void (*on_gone)(void *arg, enum lb_mcp_phase phase,
			const struct lb_error *why);
};

struct lb_mcp_transport;

/* What each has; private to the files above. */
struct lb_mcp_transport_kind {
	int (*send)(struct lb_mcp_transport *t, const struct lb_peer_out *out,
		    struct lb_error *err);
	void (*forget)(struct lb_mcp_transport *t, int64_t id);
	void (*settle)(struct lb_mcp_transport *t,
		       enum lb_mcp_revision revision);
	void (*end)(struct lb_mcp_transport *t);
	bool (*is_ending)(const struct lb_mcp_transport *t);
	void (*close)(struct lb_mcp_transport *t, int64_t until);
};

struct lb_mcp_transport {
	const struct lb_mcp_transport_kind *kind;
	struct lb_loop *loop;
	const struct lb_mcp_transport_events *events;
	void *arg;
};

static inline int lb_mcp_send(struct lb_mcp_transport *t,
			      const struct lb_peer_out *out,
			      struct lb_error *err)
{
	return t->kind->send(t, out, err);
}

/* No answer to this request is wanted any more. */
static inline void lb_mcp_forget(struct lb_mcp_transport *t, int64_t id)
{
	if (t->kind->forget)
		t->kind->forget(t, id);
}

/* The revision is known from now on. */
static inline void lb_mcp_settled(struct lb_mcp_transport *t,
				  enum lb_mcp_revision revision)
{
	if (t->kind->settle)
		t->kind->settle(t, revision);
}

/* Nothing more is sent: a server ends by itself, if it does. */
static inline void lb_mcp_end(struct lb_mcp_transport *t)
{
	if (t->kind->end)
		t->kind->end(t);
}

/* Is it worth while to turn the loop for its end? */
static inline bool lb_mcp_is_ending(const struct lb_mcp_transport *t)
{
	return t && t->kind->is_ending && t->kind->is_ending(t);
}

/* Wait for its end until `until` (mono ms), then have it end. */
static inline void lb_mcp_transport_close(struct lb_mcp_transport *t,
					  int64_t until)
{
	if (t)
		t->kind->close(t, until);
}

#endif
