/*
 * box/audit.h - what was done with tools: one row a call.
 *
 * A row is appended to $LB_STATE/box/audit.jsonl with one write(2), which costs
 * a program that lives for one command next to nothing and needs no database.
 * store/audit.h moves the rows into lb.db.
 */
#ifndef LB_BOX_AUDIT_H
#define LB_BOX_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "box/result.h"
#include "box/spec.h"
#include "config/config.h"

enum {
	LB_BOX_AUDIT_LINE = 4096,   /* bytes of a row, line feeds included */
	LB_BOX_AUDIT_COMMAND = 400, /* characters kept of a command */
};

enum lb_box_decision { LB_BOX_ALLOWED, LB_BOX_DENIED, LB_BOX_PENDING };

/* All texts are borrowed, may be NULL and may hold anything. */
struct lb_box_audit {
	int64_t time; /* when it began, ms since the epoch */
	/* For whom: members of the context of lb-provider(7). */
	const char *id, *bot, *pipeline, *session, *sender;
	const char *tool, *description; /* what the call says it is for */
	enum lb_box_decision decision;
	const char *reason;    /* why it was not run */
	const char *command;   /* for a file, its path */
	char *const *env;      /* "NAME=text", NULL-ended: names are kept */
	const char *backend;   /* NULL: it did not run */
	const char *profile;   /* by what limits */
	const char *killed_by; /* as in box/result.h, and "timeout" */
	enum lb_box_limits limits;
	enum lb_box_quota quota;
	int exit_code;         /* -1: none */
	uint64_t bytes;        /* that came of it */
	int64_t duration_ms;   /* -1: it did not run */
	const json_t *refused; /* hosts that it asked its network for in vain;
				  texts; or NULL */
	/* Whose numbers it was held to, where it ran; or NULL. */
	const struct lb_box_spec *spec;
	const char *workspace; /* box/admit.h; NULL: of none */
};

/* For whom it was, as a record or a context of lb-provider(7) says, and in which
 * workspace. Texts are borrowed from both. */
void lb_box_audit_context(struct lb_box_audit *row,
			  const struct lb_config *config,
			  const json_t *context);

/* What a result knows of it: backend, limits, quota, exit_code, killed_by,
 * bytes and duration_ms. */
void lb_box_audit_result(struct lb_box_audit *row,
			 const struct lb_box_result *r);

/*
 * Append a row to the file below `state`, which is made with its folder where
 * it is missing. Texts are cut so that the row fits; of the command its SHA-256
 * is kept, too. Where that fails (a full disk) one warning says so, and the
 * command's own result stays what it is: false then.
 */
bool lb_box_audit_write(const char *state, const struct lb_box_audit *row);

#endif
