/*
 * mcp/jsonrpc.h - JSON-RPC 2.0 messages, as MCP has them.
 *
 * A message is one JSON object; how it gets from one side to the other is the
 * transport's. Nothing here waits or remembers: who asked what is peer.h.
 * Ids are texts or whole numbers, and null for none. What is sent has no line
 * break in it.
 */
#ifndef LB_MCP_JSONRPC_H
#define LB_MCP_JSONRPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum {
	LB_RPC_PARSE = -32700,
	LB_RPC_INVALID = -32600, /* no request */
	LB_RPC_NO_METHOD = -32601,
	LB_RPC_PARAMS = -32602,
	LB_RPC_INTERNAL = -32603,
};

/* A text of an error is cut to this, bytes. */
enum { LB_RPC_MESSAGE = 2000 };

enum lb_rpc_kind {
	LB_RPC_REQUEST,      /* id, method, params */
	LB_RPC_NOTIFICATION, /* method, params */
	LB_RPC_RESULT,       /* id, result */
	LB_RPC_FAILURE,      /* id (NULL: of nothing that could be read), code,
				message, data */
};

/* Everything but `whole` is borrowed from it. */
struct lb_rpc_message {
	enum lb_rpc_kind kind;
	json_t *whole;
	const json_t *id; /* a string or an integer */
	const char *method;
	const json_t *params; /* an object or an array; NULL for none */
	const json_t *result;
	int64_t code;
	const char *message; /* never NULL for a failure */
	const json_t *data;  /* or NULL */
};

/*
 * The JSON value of a text: an object, or an array of them (a batch). What is
 * not UTF-8 is repaired, integers that are too large become reals. NULL:
 * LB_DATA, it is no JSON; LB_PROTOCOL, it is JSON and cannot be a message.
 */
json_t *lb_rpc_parse(const char *text, size_t len, struct lb_error *err);

/*
 * What kind of a message a value is; on success the value is m->whole's, to be
 * released by lb_rpc_release(). -1: LB_PROTOCOL, it is none, and the value is
 * still given away; m->id is its id then, if it has a good one, until
 * lb_rpc_release().
 */
int lb_rpc_read(struct lb_rpc_message *m, json_t *take, struct lb_error *err);
void lb_rpc_release(struct lb_rpc_message *m);

/* Append a message; no newline behind it. `params` may be NULL. */
void lb_rpc_put_request(struct lb_buf *out, const json_t *id,
			const char *method, const json_t *params);
void lb_rpc_put_notification(struct lb_buf *out, const char *method,
			     const json_t *params);
void lb_rpc_put_result(struct lb_buf *out, const json_t *id,
		       const json_t *result);
/* `id` NULL: null. `data` may be NULL; the text is repaired and cut. */
void lb_rpc_put_failure(struct lb_buf *out, const json_t *id, int64_t code,
			const char *message, const json_t *data);

/* The same with a result that is JSON text already, and is not looked at. */
void lb_rpc_put_result_text(struct lb_buf *out, const json_t *id,
			    const char *result, size_t len);

/*
 * A key for a table of what is under way: ids that are equal, and no others,
 * have the same. Caller frees.
 */
char *lb_rpc_id_key(const json_t *id);

#endif
