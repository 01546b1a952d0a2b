/*
 * base/log.h - what a program tells people on stderr.
 *
 * One line each: "lb-llm: message"; with LB_LOG_FORMAT=json an object with
 * ts (RFC 3339, UTC), prog, pid, level, text and, where the line concerns a
 * record, of (its id), bot and session. Control characters become '?', and
 * every text given to lb_log_secret() becomes '***'.
 *
 * The level comes from LB_LOG (error, warning, info, debug), -q and -v;
 * without either, errors and warnings are shown. Message texts never appear at
 * info or above.
 */
#ifndef LB_BASE_LOG_H
#define LB_BASE_LOG_H

#include <stdbool.h>

#include "base/buf.h"

enum lb_level { LB_ERROR, LB_WARNING, LB_INFO, LB_DEBUG };

/* The record a line is about; any member may be NULL. */
struct lb_subject {
	const char *id, *bot, *session;
};

/* Read LB_LOG and LB_LOG_FORMAT; `name` is borrowed for good. */
void lb_log_start(const char *name);
void lb_log_level(enum lb_level level);
bool lb_log_shows(enum lb_level level);

/* Never show this text again. Copied; texts under 4 bytes are ignored. */
void lb_log_secret(const char *text);

/* Replace every such text in b: for what goes into a record. */
void lb_hide_secrets(struct lb_buf *b);

void lb_log(enum lb_level level, const struct lb_subject *of, const char *fmt,
	    ...) __attribute__((format(printf, 3, 4)));

/* What was asked for by an option: shown whatever the level, as info. */
void lb_tell(const struct lb_subject *of, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same without a subject. lb_complain() is an error. */
void lb_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void lb_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
