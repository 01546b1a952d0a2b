/*
 * platform/ingest.h - where messages come from.
 *
 * An adapter reads its platform and writes `message` records. A new one is a
 * file and a line in adapters.c.
 */
#ifndef LB_PLATFORM_INGEST_H
#define LB_PLATFORM_INGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/id.h"
#include "config/config.h"
#include "record/out.h"

struct lb_ingest {
	/* "-" for the person at this machine; NULL, where the source listens,
	 * for the only bot there is. */
	const char *bot;
	const char *user; /* who that is */
	/* Of adapter text; NULL when not said. */
	const char *person, *group, *sender, *pipeline;
	bool whole; /* all of the input is one message */
	size_t max_line;
	struct lb_out *out;
	int code; /* LB_DATA once something was refused */
	/* Of a source that listens, which has no `out`. */
	struct lb_config *config;
	const char *state;
	const char *queue; /* NULL: to standard output */
	int64_t max;       /* records in the queue; 0 for any number */
	bool once;         /* end when nothing more is there */
	bool check, json;  /* only say what the bot may do */
	const char *fetch; /* only get this file */
};

struct lb_source {
	const char *name;
	const char *about;
	int (*run)(struct lb_ingest *in, struct lb_error *err);
	bool listens; /* to a network, as a bot of the configuration: lb-run
		       * keeps it running */
};

extern const struct lb_source lb_sources[]; /* ends with a nameless one */

const struct lb_source *lb_source_find(const char *name);

/*
 * LB_USAGE: there is no such source (else sink), which there are, and the
 * nearest, or that it is one of a later version.
 */
int lb_adapter_unknown(const char *name, bool source, struct lb_error *err);

int lb_ingest_text(struct lb_ingest *in, struct lb_error *err);
int lb_ingest_jsonl(struct lb_ingest *in, struct lb_error *err);
int lb_ingest_telegram(struct lb_ingest *in, struct lb_error *err);

/* Who says something where; ids as text. */
struct lb_origin {
	const char *id; /* of the record; NULL makes one */
	/* What the platform calls the event; it and `time` make the id. */
	const char *event_id;
	int64_t time; /* ms */
	const char *platform, *bot;
	const char *launcher_type, *launcher_id;
	const char *sender_id, *sender_name, *group_name, *message_id;
};

/*
 * A message record up to its chain; go on with lb_put_*() and lb_put_end().
 * Tells the log of it.
 */
void lb_put_message(struct lb_buf *b, const struct lb_origin *from);

/* The same of another kind: edit, callback. */
void lb_put_event(struct lb_buf *b, const char *kind,
		  const struct lb_origin *from);

/* The id of what a platform calls `event` of `ms`: always the same. */
void lb_event_id(const char *bot, const char *event, int64_t ms,
		 char out[LB_ID_SIZE]);

#endif
