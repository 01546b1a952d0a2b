/*
 * box/result.h - how a command ended, and what it wrote.
 */
#ifndef LB_BOX_RESULT_H
#define LB_BOX_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	LB_BOX_SHOWN = 4000,             /* characters of a stream */
	LB_BOX_MOST_SHOWN = 1024 * 1024, /* of --max-out */
};

/*
 * What one stream said: its beginning and its end, of a size that the limit
 * needs, and how much there was. How it was cut into chunks changes nothing.
 */
struct lb_box_output {
	size_t shown;       /* characters; set by the caller first, at most
			       LB_BOX_MOST_SHOWN */
	struct lb_buf head; /* the first bytes, up to 2.4 a character shown */
	struct lb_buf tail; /* the last ones, 4 a character shown: a ring */
	size_t tail_at;     /* where its oldest byte is */
	uint64_t bytes, chars; /* seen; a character is what RFC 3629 calls one,
				  or one ill-formed byte */
	char part[4];          /* a character whose rest has not come yet: not
				  in `chars`, and ill-formed if it never does */
	unsigned n_part;
	bool binary; /* not UTF-8 somewhere */
};

void lb_box_output_add(struct lb_box_output *o, const char *text, size_t len);

/* Empty it; what it shows stays. */
void lb_box_output_release(struct lb_box_output *o);

/*
 * Append what is shown of it: all, or the beginning, a line that says how many
 * characters are missing, and the end (60 and 40 of 100 of what that line
 * leaves), together `shown` characters. Always UTF-8: an ill-formed byte is
 * U+FFFD. *truncated says which.
 */
void lb_box_output_text(const struct lb_box_output *o, struct lb_buf *text,
			bool *truncated);

enum lb_box_end {
	LB_BOX_COMPLETED, /* it ended, however */
	LB_BOX_TIMED_OUT,
};

enum lb_box_limits { LB_BOX_NO_LIMITS, LB_BOX_RLIMIT, LB_BOX_CGROUP };
enum lb_box_quota { LB_BOX_QUOTA_NONE, LB_BOX_QUOTA_SOFT, LB_BOX_QUOTA_HARD };

struct lb_box_result {
	const char *session; /* borrowed; NULL: it had none */
	const char *backend; /* borrowed: "bubblewrap", "host" */
	enum lb_box_end end;
	int exit_code; /* 128+N: died of signal N; -1: timed out */
	/* Borrowed; what ended it before its time: "output", "quota", "disk"
	 * (it is almost full), "memory", "cpu", "cancelled", or NULL. */
	const char *killed_by;
	struct lb_box_output out, err;
	int64_t duration_ms;
	int64_t cpu_ms; /* of all its processes; -1: it was not counted */
	/* What was really in force. */
	bool isolated;
	enum lb_box_limits limits;
	enum lb_box_quota quota;
	json_t *notes;   /* texts for whoever asked; owned */
	json_t *refused; /* "HOST:PORT" that its network kept from it; owned */
	char *network;   /* what is to be known of it inside, or NULL; owned */
};

/*
 * {session_id, backend, status, ok, exit_code|null, stdout, stderr,
 *  stdout_truncated, stderr_truncated, duration_ms, isolated, limits_backend,
 *  quota} and, where they say something, stdout_bytes, stdout_kept (bytes that
 * there were and that are shown, when truncated; stderr alike), killed_by,
 * notes. Without `raw` a stream that is not UTF-8 is repaired. With it such a
 * stream is base64, and stdout_encoding says so; then `shown` counts bytes, and
 * of more there are the first 60 and the last 40 of 100 with nothing between
 * them: the first stdout_head of stdout_kept bytes are the beginning. New.
 */
json_t *lb_box_result_json(const struct lb_box_result *r, bool raw);
void lb_box_result_release(struct lb_box_result *r);

/* The words for them, there and in the audit. */
const char *lb_box_limits_name(enum lb_box_limits limits);
const char *lb_box_quota_name(enum lb_box_quota quota);

#endif
