/* lb-box metrics */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "box.h"
#include "box/kept.h"
#include "box/sessions.h"
#include "store/audit.h"

enum { CLASSES = 16, DAY_MS = 24 * 3600 * 1000 };

static const char *config_file;
static int64_t since = DAY_MS;

const struct lb_opt metrics_options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{.name = "since",
	 .arg = "TIME",
	 .help = "of the calls of that time until now (default 1d)",
	 .duration = &since},
	BOX_WORKSPACE,
	{0},
};

/* Names of tools come from outside: those we know are told apart. */
static const char *const tools[] = {"exec", "read", "write", "edit",
				    "glob", "grep", "other", NULL};

static const char *const states[] = {"running", "exited", "lost", NULL};

struct seen {
	long long calls[8], errors[CLASSES], processes[4];
	long long sessions, alive, in_use, mounted, persistent;
	long long bytes, files, unknown;
	int64_t *took; /* ms, of each command that ran */
	size_t n_took;
	double took_s;
};

static size_t index_of(const char *const *names, const char *name)
{
	size_t i = 0;

	while (names[i + 1] && (!name || strcmp(names[i], name) != 0))
		i++;
	return i;
}

static void add_time(struct seen *s, int64_t ms)
{
	/* twice as much room whenever it is full: at powers of two */
	if ((s->n_took & (s->n_took - 1)) == 0)
		s->took = lb_grow(s->took, (s->n_took ? 2 * s->n_took : 1) *
						   sizeof(*s->took));
	s->took[s->n_took++] = ms;
	s->took_s += (double)ms / 1000;
}

static int add_call(void *arg, const json_t *row)
{
	struct seen *s = arg;
	const char *tool = lb_json_str(row, "tool");
	const char *class = error_class(row);
	size_t which = index_of(tools, tool);
	int64_t ms;

	s->calls[which]++;
	if (class)
		s->errors[index_of(error_classes, class)]++;
	if (which == 0 && lb_json_str(row, "backend") &&
	    lb_json_int(row, "duration_ms", &ms))
		add_time(s, ms);
	return 0;
}

static void add_session(void *arg, const struct lb_box_about *a)
{
	struct seen *s = arg;

	s->sessions++;
	s->alive += a->alive;
	s->in_use += a->in_use;
	s->mounted += a->mounted;
	s->persistent += a->persistent;
	s->unknown += !a->is_measured;
	if (a->is_measured) {
		s->bytes += a->bytes;
		s->files += a->files;
	}
}

static void add_process(void *arg, const char *name, const json_t *info)
{
	struct seen *s = arg;

	(void)name;
	s->processes[index_of(states, lb_json_str(info, "status"))]++;
}

static void head(const char *name, const char *help)
{
	printf("# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void one(const char *name, const char *help, long long value)
{
	head(name, help);
	printf("%s %lld\n", name, value);
}

static void print_sessions(const struct seen *s)
{
	const struct {
		const char *state;
		long long n;
	} all[] = {{"all", s->sessions},
		   {"alive", s->alive},
		   {"in_use", s->in_use},
		   {"mounted", s->mounted},
		   {"persistent", s->persistent}};

	head("lb_box_sessions", "Sessions of the sandbox.");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		printf("lb_box_sessions{state=\"%s\"} %lld\n", all[i].state,
		       all[i].n);
	head("lb_box_processes", "Processes that go on, or did not long ago.");
	for (size_t i = 0; states[i]; i++)
		printf("lb_box_processes{state=\"%s\"} %lld\n", states[i],
		       s->processes[i]);
	one("lb_box_workspace_bytes", "Bytes in all workspaces.", s->bytes);
	one("lb_box_workspace_files", "Files in all workspaces.", s->files);
	one("lb_box_workspaces_unmeasured",
	    "Workspaces that could not be measured in time.", s->unknown);
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The smallest that so many of a hundred do not exceed. */
static double quantile(const struct seen *s, size_t of_100)
{
	size_t at = (s->n_took * of_100 + 99) / 100;

	return s->n_took == 0 ? 0 : (double)s->took[at ? at - 1 : 0] / 1000;
}

static void print_times(struct seen *s)
{
	static const size_t those[] = {50, 90, 99};

	if (s->n_took > 0)
		qsort(s->took, s->n_took, sizeof(*s->took), by_size);
	one("lb_box_execs", "Commands that ran.", (long long)s->n_took);
	head("lb_box_exec_seconds", "How long commands took.");
	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++)
		printf("lb_box_exec_seconds{quantile=\"0.%zu\"} %.3f\n",
		       those[i] == 50   ? 5
		       : those[i] == 90 ? 9
					: those[i],
		       quantile(s, those[i]));
	head("lb_box_exec_seconds_all", "How long all commands took together.");
	printf("lb_box_exec_seconds_all %.3f\n", s->took_s);
}

static void print(struct seen *s)
{
	one("lb_box_window_seconds",
	    "Calls, errors and times below are of the last so many.",
	    (long long)(since / 1000));
	head("lb_box_calls", "Calls of tools.");
	for (size_t i = 0; tools[i]; i++)
		printf("lb_box_calls{tool=\"%s\"} %lld\n", tools[i],
		       s->calls[i]);
	head("lb_box_errors", "Calls that were refused, failed or were ended.");
	for (size_t i = 0; error_classes[i]; i++)
		printf("lb_box_errors{class=\"%s\"} %lld\n", error_classes[i],
		       s->errors[i]);
	print_times(s);
	print_sessions(s);
}

/* What there is now. */
static int look(struct seen *s, struct lb_error *err)
{
	lb_autofree char *processes = NULL;
	struct box_place p;
	int bad;

	if (box_place(&p, config_file, err) < 0)
		return -1;
	processes = lb_kept_all(p.config, p.state);
	bad = lb_box_sessions(p.config, p.state, true, add_session, s, err) <
		      0 ||
	      lb_kept_each(processes, add_process, s, err) < 0;
	box_place_release(&p);
	return bad ? -1 : 0;
}

static int gather(struct seen *s, struct lb_error *err)
{
	struct lb_audit_which which = {.since = lb_clock_now() - since};
	struct lb_store *store;
	int got = look(s, err) < 0 ? -1 : box_store(&store, err);

	if (got <= 0)
		return got;
	which.workspace = box_whose();
	got = lb_audit_each(store, &which, add_call, s, err);
	lb_store_close(store);
	return got;
}

int metrics_verb(int argc, char **argv)
{
	struct lb_error err;
	struct seen s = {.took = NULL};
	int got;

	(void)argc;
	(void)argv;
	if (since == INT64_MAX)
		lb_usage("--since=none is no time");
	got = gather(&s, &err);
	if (got >= 0)
		print(&s);
	free(s.took);
	return got < 0 ? lb_report(&err) : LB_OK;
}
