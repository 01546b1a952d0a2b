/*
 * base/prog.h - the shape every program shares: start, options, finish.
 *
 * One table describes a program. From it come the parser, --help, the JSON
 * of --describe (which feeds the completions and lb-help) and the test that
 * every option stands in the manual.
 */
#ifndef LB_BASE_PROG_H
#define LB_BASE_PROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Texts given by a repeatable option, borrowed from argv, in order. */
struct lb_list {
	const char **at;
	size_t n;
};

/*
 * One option. Exactly one of flag ... size is set, and says both the type and
 * where the value goes. A table ends with an entry without a name.
 */
struct lb_opt {
	char letter;       /* -x, or 0 for a long option only */
	const char *name;  /* --name */
	const char *arg;   /* what help calls the argument; NULL for a flag */
	const char *help;  /* one line, lower case, no full stop */
	bool *flag;        /* set to true when the option is given */
	const char **text; /* borrowed from argv */
	long *number;      /* decimal, min to max */
	struct lb_list *list;
	int64_t *duration; /* ms; 0 is refused, "none" is INT64_MAX */
	int64_t *size;     /* bytes */
	long min, max;
};

/* A verb of a program that has them: `lb-config get`. */
struct lb_verb {
	const char *name;
	const char *operands;
	const char *about; /* one line: what it does */
	const struct lb_opt *opts;
	/* Gets the operands alone; returns what to exit with. */
	int (*run)(int argc, char **argv);
	int min, max; /* operands; max 0 means min, -1 any number */
	bool chain;   /* "-- COMMAND..." follows; see lb_command() */
};

struct lb_prog {
	const char *name;     /* "lb-pick" */
	const char *operands; /* "KIND...", or "" */
	const char *about;    /* one line: what it does */
	const char *example;  /* one command line, shown by --help */
	const struct lb_opt *opts;
	const struct lb_verb *verbs; /* NULL, or ends with a nameless entry */
	const char *usual;           /* the verb meant when none is named */
	const char
		*values; /* what an operand may be, blanks between; or NULL */
	const char *reads, *writes; /* record kinds, blanks between */
	bool chain; /* operands are a command: no option after the first */
};

/* Added to every table: -h --help, -V --version, -v, -q, --describe. */

/*
 * First call of main(): opens 0, 1 and 2 if the caller closed them (so that
 * reading 0 and writing 1 fail, and nothing else takes their place), gives
 * SIGPIPE and SIGCHLD back their default action and us our own rights in the
 * umask, starts the log, ends the process where its stack is too small, and
 * flushes stdout at every newline unless it is a regular file. `prog` is
 * borrowed for good.
 */
void lb_start(const struct lb_prog *prog);

/*
 * Parse argv; returns the index of the first operand. Answers --help,
 * --version and --describe itself (exit 0, stdout), and exits LB_USAGE on a
 * mistake.
 */
int lb_options(int argc, char **argv);

/* Parse argv, run the verb it names, return what to exit with. */
int lb_run_verb(int argc, char **argv);

/*
 * What stood behind "--" of a verb with `chain`: a command, NULL-ended, never
 * empty.
 */
char **lb_command(void);

/* Exit LB_USAGE after one line on stderr and a pointer to --help. */
void lb_usage(const char *fmt, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/* Say once that a filter reads from the terminal, when it does. */
void lb_note_terminal(void);

/* Report err and return its code, so: return lb_report(&err). */
int lb_report(const struct lb_error *err);

/* Last call of main(): returns code, or LB_IO if stdout lost something. */
int lb_finish(int code);

#endif
