/*
 * record/code.h - the `code` of an error record or a failed reply.
 */
#ifndef LB_RECORD_CODE_H
#define LB_RECORD_CODE_H

#include <stdbool.h>

#include "base/error.h"

enum lb_code {
	LB_CODE_USAGE,          /* the request asks for what cannot be */
	LB_CODE_DATA,           /* a record is malformed */
	LB_CODE_DENIED,         /* a policy said no */
	LB_CODE_CONFIG,         /* the configuration is wrong */
	LB_CODE_AUTH,           /* a key is missing or was refused */
	LB_CODE_RATE,           /* too many requests */
	LB_CODE_OVERLOADED,     /* the peer has no room now */
	LB_CODE_BAD_REQUEST,    /* the peer did not like the request */
	LB_CODE_CONTEXT_LENGTH, /* more text than the model takes */
	LB_CODE_CONTENT_FILTER, /* the peer will not answer that */
	LB_CODE_NETWORK,        /* no connection, or it broke */
	LB_CODE_TIMEOUT,
	LB_CODE_TRUNCATED, /* an answer ended before its end */
	LB_CODE_MALFORMED, /* an answer is none */
	LB_CODE_LIMIT,     /* a limit of ours was reached */
	LB_CODE_TOOL,
	LB_CODE_NOT_FOUND,
	LB_CODE_IO,
	LB_CODE_LOST, /* a program died with the record in hand */
	LB_CODE_INTERNAL,
	LB_CODES
};

const char *lb_code_name(enum lb_code code);

/* The code of that name, LB_CODES for none. */
enum lb_code lb_code_find(const char *name);

/* May the same work later? rate overloaded network timeout truncated io lost */
bool lb_code_is_passing(enum lb_code code);

/* What a program exits with when this is how its one job failed. */
enum lb_exit lb_code_exit(enum lb_code code);

/* The code for a failure of ours. */
enum lb_code lb_code_of(const struct lb_error *err);

#endif
