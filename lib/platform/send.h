/*
 * platform/send.h - where replies go.
 *
 * lb_send_record() takes replies and chunks in the order they come, lets the
 * adapter (a sink) deliver them, and writes what became of each: a receipt a
 * part, or one error that ends the record. When a part failed the later ones
 * of its record are not sent. A new adapter is a file and a line in
 * adapters.c.
 */
#ifndef LB_PLATFORM_SEND_H
#define LB_PLATFORM_SEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"
#include "record/out.h"
#include "record/record.h"

/* The default notice for a failed reply that says nothing. */
#define LB_SEND_NOTICE "Request failed."

enum lb_sent { LB_SENT, LB_NOT_SENT };

/* One part of an answer to be delivered. */
struct lb_delivery {
	const struct lb_record *record;
	const char *id;
	struct lb_buf text; /* what the chain says */
	int64_t part;
	bool final;
	const json_t *failed; /* {code, message}; or NULL */
	/* The answer: what the platform called the messages, or why not. */
	json_t *message_ids;
	enum lb_code code;
	const char *why; /* static, or borrowed from the adapter's state */
	char reason[LB_ERROR_TEXT]; /* for a `why` made here */
	bool retryable;
};

struct lb_send;

struct lb_sink {
	const char *name;
	const char *about;
	enum lb_sent (*reply)(struct lb_send *send, struct lb_delivery *d);
	/* May be NULL: chunks are passed over. */
	void (*chunk)(struct lb_send *send, const struct lb_record *r);
	/* Another record ended `id` (an error): tidy up. May be NULL. */
	void (*ended)(struct lb_send *send, const struct lb_record *r);
	bool text; /* writes text to stdout, so no record may go there */
};

extern const struct lb_sink *const lb_sinks[]; /* NULL-ended */
extern const struct lb_sink lb_sink_jsonl, lb_sink_null, lb_sink_stdout;

const struct lb_sink *lb_sink_find(const char *name);

/* Zeroed, then the first members set by the caller. */
struct lb_send {
	const struct lb_sink *sink; /* NULL: by the record's bot */
	struct lb_config *config;
	struct lb_out *out;       /* standard output */
	struct lb_out *records;   /* --records; or NULL */
	bool terminal;            /* standard output is one */
	size_t max_line;          /* longest line, bytes */
	enum lb_code fail;        /* of sink null; LB_CODES for none */
	int64_t fail_part;        /* 0: every part */
	size_t failures, passing; /* errors and failed replies seen */
	/* Records of which a part failed, until their final part came. */
	char **given_up;
	size_t n_given_up;
	struct lb_screen *screen; /* of sink stdout */
	uint64_t delivered;
};

/* What lb-send owns with this sink; NULL-ended. */
const char *const *lb_send_kinds(const struct lb_send *send);

/* One owned record. LB_DATA: it has no id. */
int lb_send_record(struct lb_send *send, const struct lb_record *r,
		   struct lb_error *err);

/* Flush everything. */
int lb_send_pause(struct lb_send *send, struct lb_error *err);

/* No more comes: show what was held back. Then release what is held. */
void lb_send_end(struct lb_send *send);
void lb_send_release(struct lb_send *send);

/* What to exit with for the failures seen on the way. */
int lb_send_code(const struct lb_send *send);

/* Of sink stdout: end the answer that streams, print those that waited. */
void lb_screen_end(struct lb_send *send);
void lb_screen_close(struct lb_screen *screen);

#endif
