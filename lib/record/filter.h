/*
 * record/filter.h - the loop of a filter: lines in, lines out, in order.
 *
 * Lines of kinds that the filter does not own are copied byte for byte
 * without being parsed; an owned line is parsed once. A malformed line costs
 * one line on stderr and an error record, and the exit status says so at the
 * end. Output leaves when no whole line is left to read.
 */
#ifndef LB_RECORD_FILTER_H
#define LB_RECORD_FILTER_H

#include <stdbool.h>

#include "base/error.h"
#include "record/aside.h"
#include "record/line.h"
#include "record/out.h"
#include "record/record.h"

/* What every filter takes: -s and --max-line, for its option table. */
#define LB_FILTER_OPTIONS(is_strict, longest)                                  \
	{'s', "strict", .help = "stop at the first malformed line",            \
	 .flag = (is_strict)},                                                 \
	{                                                                      \
		0, "max-line", "SIZE", "refuse longer lines (default 16M)",    \
			.size = (longest)                                      \
	}

struct lb_filter {
	const char *stage;        /* for error records: "lb-pipeline" */
	const char *const *owned; /* kinds, NULL-ended */
	/*
	 * An owned record; writes what comes of it to out. Fails only when
	 * the program cannot go on; what concerns the record is a record.
	 */
	int (*on_record)(void *arg, struct lb_record *r, struct lb_out *out,
			 struct lb_error *err);
	/*
	 * An owned line before it is parsed: true when all was done with it,
	 * false to have it parsed. May be NULL.
	 */
	bool (*on_line)(void *arg, const struct lb_line *line);
	/* No whole line is left: write what was held back. May be NULL. */
	int (*on_pause)(void *arg, struct lb_out *out, struct lb_error *err);
	/* The last call: no more input is read, for whatever reason. May be
	 * NULL. */
	int (*on_end)(void *arg, struct lb_out *out, struct lb_error *err);
	void *arg;
	size_t max_line;
	bool strict; /* stop at the first malformed line */
	/* Where on_record may take a while: see record/aside.h. May be NULL. */
	struct lb_asides *asides;
	/*
	 * A filter whose output is text: foreign lines and error records go
	 * to `others`, or nowhere when that is NULL.
	 */
	bool text;
	struct lb_out *others;
};

/* Standard input to standard output; returns what to exit with. */
int lb_filter_run(const struct lb_filter *filter);

/*
 * What a line is to a program that owns `owned`: 0 foreign, to be copied;
 * 1 owned and parsed into r; -1 malformed (LB_DATA). Lines whose kind stands
 * first are told without a parse.
 */
int lb_line_sort(const char *const *owned, const struct lb_line *line,
		 struct lb_record *r, struct lb_error *err);

/* Report a malformed line on stderr and, with out, as an error record. */
void lb_line_refuse(struct lb_out *out, const char *stage,
		    const struct lb_line *line, const struct lb_error *err);

#endif
