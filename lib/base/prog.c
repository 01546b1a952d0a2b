#include "base/prog.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/describe.h"
#include "base/given.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/mistake.h"
#include "base/near.h"

#ifndef LB_VERSION
#define LB_VERSION "0.0"
#endif

enum { MAX_OPTS = 48, COMMON = 5 };

enum { OPT_HELP = 256, OPT_VERSION, OPT_DESCRIBE, OPT_FIRST };

static const struct lb_prog *self;
static const struct lb_verb *verb; /* NULL before one is known */
static char **command;             /* of a verb with `chain` */
static bool quiet, verbose;

static const struct lb_opt common[] = {
	{'q', "quiet", .help = "show errors only", .flag = &quiet},
	{'v', "verbose", .help = "say more; twice for debugging",
	 .flag = &verbose},
	{'h', "help", .help = "print this and exit"},
	{'V', "version", .help = "print the version and exit"},
	{.name = "describe", .help = "print the option table as JSON and exit"},
	{0},
};

static const struct lb_opt none[] = {{0}};

static const struct lb_opt *table(void)
{
	const struct lb_opt *opts = verb ? verb->opts : self->opts;

	return opts ? opts : none;
}

void lb_start(const struct lb_prog *prog)
{
	struct stat st;

	self = prog;
	lb_given_take();
	/* Its own way is to answer NULL, as it does for what is malformed. */
	json_set_alloc_funcs(lb_alloc_raw, free);
	lb_log_start(prog->name);
	lb_given_check();
	if (fstat(STDOUT_FILENO, &st) == 0 && !S_ISREG(st.st_mode))
		setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

static void __attribute__((noreturn)) point_to_help(void)
{
	fprintf(stderr, "Try '%s%s%s --help'.\n", self->name, verb ? " " : "",
		verb ? verb->name : "");
	exit(LB_USAGE);
}

void lb_usage(const char *fmt, ...)
{
	char text[LB_ERROR_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	lb_complain("%s", text);
	point_to_help();
}

int lb_report(const struct lb_error *err)
{
	lb_complain("%s", err->text);
	return err->code;
}

void lb_note_terminal(void)
{
	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
		fprintf(stderr,
			"%s: reading records from the terminal; "
			"end with ^D\n",
			self->name);
}

static void add(struct lb_list *list, const char *text)
{
	list->at = lb_grow(list->at, (list->n + 1) * sizeof(*list->at));
	list->at[list->n++] = text;
}

static void set_number(const struct lb_opt *o, const char *arg)
{
	char *end;

	errno = 0;
	*o->number = strtol(arg, &end, 10);
	if (errno || end == arg || *end || *o->number < o->min ||
	    *o->number > o->max)
		lb_usage("--%s: '%s' is not from %ld to %ld", o->name, arg,
			 o->min, o->max);
}

static void set_duration(const struct lb_opt *o, const char *arg)
{
	struct lb_error err;

	if (strcmp(arg, "none") == 0)
		*o->duration = INT64_MAX;
	else if (lb_duration_parse(arg, o->duration, &err) < 0)
		lb_usage("--%s: %s", o->name, err.text);
	else if (*o->duration == 0)
		lb_usage("--%s: 0 is refused; say 'none' for no limit",
			 o->name);
}

static void set(const struct lb_opt *o, const char *arg)
{
	struct lb_error err;

	if (o->flag == &verbose && verbose)
		lb_log_level(LB_DEBUG);
	else if (o->flag == &verbose)
		lb_log_level(LB_INFO);
	else if (o->flag == &quiet)
		lb_log_level(LB_ERROR);
	if (o->flag)
		*o->flag = true;
	else if (o->text)
		*o->text = arg;
	else if (o->list)
		add(o->list, arg);
	else if (o->duration)
		set_duration(o, arg);
	else if (o->number)
		set_number(o, arg);
	else if (lb_size_parse(arg, o->size, &err) < 0)
		lb_usage("--%s: %s", o->name, err.text);
}

static void answer(int c)
{
	if (c == 'h' || c == OPT_HELP) {
		lb_prog_help(self, verb, common);
		exit(lb_finish(LB_OK));
	}
	if (c == OPT_DESCRIBE) {
		lb_prog_describe(self, common);
		exit(lb_finish(LB_OK));
	}
	if (c == 'V' || c == OPT_VERSION) {
		printf("%s %s\n", self->name, LB_VERSION);
		exit(lb_finish(LB_OK));
	}
}

/* What getopt_long() wants, from our table and the common options. */
struct getopt_table {
	const struct lb_opt *opts[MAX_OPTS + COMMON];
	struct option longs[MAX_OPTS + COMMON + 1];
	char shorts[2 * (MAX_OPTS + COMMON) + 3];
	int n;
};

static void add_options(struct getopt_table *t, const struct lb_opt *opts)
{
	char *s = t->shorts + strlen(t->shorts);

	for (; opts->name; opts++) {
		struct option *o = &t->longs[t->n];

		if (t->n == MAX_OPTS)
			abort();
		o->name = opts->name;
		o->has_arg = opts->arg ? required_argument : no_argument;
		o->val = OPT_FIRST + t->n;
		if (strcmp(opts->name, "help") == 0)
			o->val = OPT_HELP;
		else if (strcmp(opts->name, "version") == 0)
			o->val = OPT_VERSION;
		else if (strcmp(opts->name, "describe") == 0)
			o->val = OPT_DESCRIBE;
		t->opts[t->n++] = opts;
		if (opts->letter && !strchr(t->shorts, opts->letter)) {
			*s++ = opts->letter;
			if (opts->arg)
				*s++ = ':';
			*s = '\0';
		}
	}
}

static int parse(int argc, char **argv, bool stop_at_operand)
{
	struct getopt_table t = {.n = 0};
	struct lb_error err;
	int c;

	snprintf(t.shorts, sizeof(t.shorts), stop_at_operand ? "+:" : ":");
	opterr = 0;
	add_options(&t, table());
	add_options(&t, common);
	optind = 0; /* not 1: a '+' of an earlier parse would stay in force */
	while ((c = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		if (c == '?' || c == ':') {
			lb_option_mistake(c, argv, t.longs, &err);
			lb_usage("%s", err.text);
		}
		answer(c);
		for (int i = 0; i < t.n; i++)
			if (c == OPT_FIRST + i || c == t.opts[i]->letter) {
				set(t.opts[i], optarg);
				break;
			}
	}
	return optind;
}

int lb_options(int argc, char **argv)
{
	return parse(argc, argv, self->chain);
}

static const struct lb_verb *verb_named(const char *name)
{
	const struct lb_verb *v = self->verbs;

	while (v->name && strcmp(v->name, name) != 0)
		v++;
	return v->name ? v : NULL;
}

/* Nothing was asked for: the help, but not as a result. */
static int help_instead(void)
{
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return LB_USAGE;
	lb_prog_help(self, NULL, common);
	return LB_USAGE;
}

/* Is this an option that every program answers without a verb? */
static bool is_about_program(const char *arg)
{
	static const char *const all[] = {"-h", "--help", "-V", "--version",
					  "--describe"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(arg, all[i]) == 0)
			return true;
	return false;
}

static void count_operands(int n)
{
	if (n < verb->min)
		lb_usage("%s needs %s", verb->name, verb->operands);
	if (verb->max >= 0 && n > (verb->max ? verb->max : verb->min))
		lb_usage("%s takes no more than %s", verb->name,
			 *verb->operands ? verb->operands : "its options");
}

char **lb_command(void)
{
	return command;
}

/* Cut the command off. Returns how many arguments are left. */
static int cut_command(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			argv[i] = NULL;
			command = argv + i + 1;
			return i;
		}
	return argc;
}

/* The verb's own arguments: argv[0] becomes what getopt's messages name. */
static int run_verb(const struct lb_verb *v, int argc, char **argv)
{
	static char name[64];
	int first;

	verb = v;
	snprintf(name, sizeof(name), "%s %s", self->name, v->name);
	argv[0] = name;
	if (v->chain)
		argc = cut_command(argc, argv);
	first = parse(argc, argv, false);
	count_operands(argc - first);
	if (v->chain && (!command || !*command))
		lb_usage("%s needs '-- COMMAND...'", v->name);
	return v->run(argc - first, argv + first);
}

/* One word alone that is almost a verb is a slip, not a question. */
static void check_slip(int argc, char **argv)
{
	struct lb_slip slip = {.typed = argv[1]};

	if (argc != 2)
		return;
	for (const struct lb_verb *v = self->verbs; v->name; v++)
		lb_slip_try(&slip, v->name);
	if (slip.meant)
		lb_usage("'%s' is not a verb; did you mean '%s'? To "
			 "say just that, write '%s %s %s'",
			 argv[1], slip.meant, self->name, self->usual, argv[1]);
}

static void __attribute__((noreturn)) no_verb(const char *typed)
{
	struct lb_slip slip = {.typed = typed};

	for (const struct lb_verb *v = self->verbs; v->name; v++)
		lb_slip_try(&slip, v->name);
	if (slip.meant)
		lb_usage("'%s' is not a verb of %s (did you mean '%s'?)", typed,
			 self->name, slip.meant);
	lb_usage("'%s' is not a verb of %s", typed, self->name);
}

int lb_run_verb(int argc, char **argv)
{
	const struct lb_verb *v;
	int first;

	if (argc == 2 && strcmp(argv[1], "help") == 0) {
		lb_prog_help(self, NULL, common);
		return LB_OK;
	}
	if (self->usual && (argc == 1 || (!is_about_program(argv[1]) &&
					  !verb_named(argv[1])))) {
		check_slip(argc, argv);
		return run_verb(verb_named(self->usual), argc, argv);
	}
	first = parse(argc, argv, true);
	if (first == argc)
		return help_instead();
	v = verb_named(argv[first]);
	if (!v)
		no_verb(argv[first]);
	return run_verb(v, argc - first, argv + first);
}
