/* mcp/client-in.h - a client at work. Inside the room only. */
#ifndef LB_MCP_CLIENT_IN_H
#define LB_MCP_CLIENT_IN_H

#include "mcp/client.h"

struct lb_mcp_client {
	struct lb_loop *loop;
	struct lb_mcp_client_how how;
	struct lb_mcp_transport *t;
	struct lb_peer *peer;
	enum {
		LB_MCP_IS_STARTING,
		LB_MCP_IS_READY,
		LB_MCP_IS_RENEWING, /* its session expired: initialize again */
		LB_MCP_IS_GONE,
	} state;
	enum lb_mcp_era known;      /* what was remembered or forced */
	bool old_way;               /* HTTP and SSE */
	bool forced, remembered;    /* `known` */
	bool installing, installed; /* what it needs */
	struct lb_buf said;         /* by what installs, its end */
	bool reached;               /* somebody answered by HTTP */
	bool respawned;             /* it was silent when it was probed */
	bool asked_again;           /* server/discover, since then, as it */
	struct lb_error refused;    /* refused to be initialized */
	bool again; /* initialize was tried with another revision */
	struct lb_peer_call *shake;    /* of the handshake, under way */
	bool probing;                  /* it is server/discover */
	enum lb_mcp_revision revision; /* agreed upon, or being tried */
	json_t *capabilities;          /* ours */
	json_t *theirs, *info;
	char *instructions;
	struct lb_timer turn;     /* what is to be done when the loop turns */
	struct lb_timer patience; /* the whole start */
	enum lb_mcp_phase gone_in;
	struct lb_error gone;
	struct lb_mcp_request *first, *last;
	const json_t *headers; /* of what is being sent */
};

struct lb_mcp_request {
	struct lb_mcp_client *client;
	struct lb_mcp_request *prev, *next;
	struct lb_peer_call *call; /* NULL: it waits for a new session */
	char *method;
	json_t *params, *headers;
	int64_t timeout_ms;
	bool progress, renewed;
	int rounds;
	lb_peer_fn *fn;
	void *arg;
};

/* client-connect.c: begin, or begin anew; the client's transport is closed. */
void lb_mcp_connect(struct lb_mcp_client *c);
/* The session is no more: initialize. */
void lb_mcp_renew(struct lb_mcp_client *c);
/* The same, as soon as nobody is in the midst of the transport. */
void lb_mcp_reconnect(struct lb_mcp_client *c);
void lb_mcp_initialize(struct lb_mcp_client *c, enum lb_mcp_revision revision);
/* It names revisions that it has instead: try one of those, once. */
bool lb_mcp_try_another(struct lb_mcp_client *c, const char *text,
			const json_t *data);
/* What was remembered of its era is wrong. false: nothing was. */
bool lb_mcp_forget_era(struct lb_mcp_client *c);

static inline bool lb_mcp_is_program(const struct lb_mcp_client *c)
{
	return c->how.launch->server->mode == LB_MCP_STDIO;
}

/* client-refused.c: a request of the handshake was refused by HTTP: true, it is dealt with. */
bool lb_mcp_handshake_refused(struct lb_mcp_client *c,
			      const struct lb_mcp_refusal *refusal,
			      const struct lb_error *why);
/* client-install.c: what it needs is not there: get it, and begin anew. */
void lb_mcp_install(struct lb_mcp_client *c);

/* The program ended while we shook hands: true, it is started again. */
bool lb_mcp_handshake_lost(struct lb_mcp_client *c, enum lb_mcp_phase phase);

/* client.c: what a transport of its is told. */
extern const struct lb_mcp_transport_events lb_mcp_client_hears;
/* It is over, for this reason, when the loop turns. */
void lb_mcp_fail(struct lb_mcp_client *c, enum lb_mcp_phase phase,
		 const struct lb_error *why);
/* What waited for a session goes out; it is ready. */
void lb_mcp_is_ready(struct lb_mcp_client *c);

/* client-asked.c */
void lb_mcp_on_request(void *arg, const struct lb_rpc_message *m);
void lb_mcp_on_notification(void *arg, const struct lb_rpc_message *m);
/* Answers to what a result asks for: {key: answer}; new. NULL: LB_DENIED, one
 * of them cannot be answered. */
json_t *lb_mcp_input_responses(struct lb_mcp_client *c, const json_t *requests,
			       struct lb_error *err);
/* What we can do; new. */
json_t *lb_mcp_own_capabilities(const struct lb_mcp_client *c);

#endif
