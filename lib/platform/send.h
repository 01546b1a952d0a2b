/*
 * platform/send.h - where replies go.
 *
 * lb_send_run() takes records in the order they come, lets the adapter (a
 * sink) of each deliver its replies, and writes what became of them: a receipt
 * a part, or one error that ends the record. When a part failed the later ones
 * of its record are not sent. A new adapter is a file and a line in
 * adapters.c.
 *
 * Most adapters deliver at once. One on a network (struct lb_network) takes
 * its time: platform/post.h. Then order is kept within a session, and sessions
 * do not wait for each other.
 *
 *     send.c          records: what a delivery becomes
 *     send-engine.c   the turn of the loop
 *     send-lines.c    lines and lanes: what waits for whom
 *     hold.c          what is given back behind what failed
 *     post.c          a part on its way over the network: pace, tries
 *     post-ledger.c   ... and what the ledger knows of it
 *     post-start.c    ... and how it begins
 *     post-bot.c      the bots they are sent by
 */
#ifndef LB_PLATFORM_SEND_H
#define LB_PLATFORM_SEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"
#include "platform/hold.h"
#include "record/lanes.h"
#include "record/out.h"
#include "record/record.h"

/* The default notice for a failed reply that says nothing. */
#define LB_SEND_NOTICE "Request failed."

enum lb_sent { LB_SENT, LB_NOT_SENT };

/* One part of an answer to be delivered. */
struct lb_delivery {
	const struct lb_record *record;
	const char *id;
	const char *session; /* whose order it keeps; NULL: nobody holds it */
	struct lb_buf text;  /* what the chain says */
	int64_t part;
	bool final;
	const json_t *failed; /* {code, message}; or NULL */
	/* The answer: what the platform called the messages, or why not. */
	json_t *message_ids;
	bool replayed; /* it was sent before; nothing was done now */
	enum lb_code code;
	const char *why; /* static, or borrowed from the adapter's state */
	char reason[LB_ERROR_TEXT]; /* for a `why` made here */
	bool retryable;
	const char *behind; /* it was not tried: that one is to be before it */
};

struct lb_send;
struct lb_network;

struct lb_sink {
	const char *name;
	const char *about;
	/* Deliver at once; NULL for an adapter on a network. */
	enum lb_sent (*reply)(struct lb_send *send, struct lb_delivery *d);
	/* May be NULL: chunks are passed over. */
	void (*chunk)(struct lb_send *send, const struct lb_record *r);
	/* Another record ended `id` (an error): tidy up. May be NULL. */
	void (*ended)(struct lb_send *send, const struct lb_record *r);
	/* Can `target` of a record be there? LB_DATA. NULL: any can. */
	int (*target)(const char *target, struct lb_error *err);
	bool text; /* writes text to stdout, so no record may go there */
	const struct lb_network *network; /* platform/post.h; or NULL */
};

extern const struct lb_sink *const lb_sinks[]; /* NULL-ended */
extern const struct lb_sink lb_sink_jsonl, lb_sink_null, lb_sink_stdout,
	lb_sink_telegram;

const struct lb_sink *lb_sink_find(const char *name);

/* Zeroed, then the first members set by the caller. */
struct lb_send {
	const struct lb_sink *sink; /* NULL: by the record's bot */
	struct lb_config *config;
	const char *state; /* $LB_STATE, for what is on a network; or NULL */
	const char *only;  /* one record, instead of the input; or NULL */
	struct lb_out *records; /* --records; or NULL */
	bool terminal;          /* standard output is one */
	bool strict;            /* stop at the first malformed line */
	bool resend_unknown;    /* send again what may have been sent */
	bool hold;              /* what failed comes again: platform/hold.h */
	size_t max_line;        /* longest line, bytes */
	int64_t grace_ms;       /* for what is in flight when a signal comes */
	enum lb_code fail;      /* of sink null; LB_CODES for none */
	int64_t fail_part;      /* 0: every part */

	struct lb_out *out;       /* standard output */
	bool text;                /* what goes there is text alone */
	size_t failures, passing; /* errors and failed replies seen */
	/* Records of which a part failed, until their final part came. */
	struct lb_given_up *given_up;
	size_t n_given_up;
	struct lb_holds holds;
	struct lb_screen *screen; /* of sink stdout */
	uint64_t delivered;
	struct lb_loop *loop;
	struct lb_lanes lanes;  /* work is a struct lb_post */
	struct lb_posts *posts; /* of the network; NULL until one is needed */
};

/*
 * Standard input to standard output, to the end. Returns what to exit with;
 * does not return when the reader left or a signal ended it.
 */
int lb_send_run(struct lb_send *send);

/* The only configured bot of that adapter; NULL and LB_CONFIG. Borrowed. */
const char *lb_send_only_bot(struct lb_config *config,
			     const struct lb_sink *sink, struct lb_error *err);

/* Of sink stdout: end the answer that streams, print those that waited. */
void lb_screen_end(struct lb_send *send);
void lb_screen_close(struct lb_screen *screen);

#endif
