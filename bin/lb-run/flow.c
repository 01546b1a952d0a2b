/* lb-run flow - the programs between a message and its answer, as a filter. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/stop.h"
#include "config/config.h"
#include "flow.h"
#include "pipeline/aggregate.h"

static struct flow flow = {.plan = {.grace = 5000, .text = STDERR_FILENO},
			   .dead = -1};
static bool print;
static const char *workspace;

const struct lb_opt flow_options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &flow.plan.config_file},
	{0, "grace", "TIME",
	 "after a signal, time for what is in flight (default 5s)",
	 .duration = &flow.plan.grace},
	{0, "no-queue",
	 .help = "nobody hands in again what fails: it holds up nothing",
	 .flag = &flow.plan.no_queue},
	{0, "resend-unknown",
	 .help = "send again what may have been sent before",
	 .flag = &flow.plan.resend},
	{0, "text", "FD",
	 "where adapters that print do (default 2, standard error)",
	 .number = &flow.plan.text, .min = 1, .max = LB_CHILD_FDS - 1},
	{0, "print", .help = "print the pipeline instead", .flag = &print},
	{0, "tee", "DIR", "keep the lines between each two programs there",
	 .text = &flow.plan.tee},
	{0, "workspace", "NAME", "whose sandboxes: apart from all others'",
	 .text = &workspace},
	{0},
};

static struct part *add_part(struct flow *f, const char *name)
{
	struct part *p = &f->parts[f->n++];

	*p = (struct part){.flow = f, .name = name, .watch = -1};
	return p;
}

static void add_tee(struct flow *f, int step)
{
	lb_autofree char *file = NULL;
	struct words *w;

	if (!f->plan.tee)
		return;
	file = step_tee(&f->plan, step);
	w = &add_part(f, "tee")->words;
	words_program(w, "lb-run");
	words_put(w, "tee");
	words_put(w, file);
}

static void make_plan(struct flow *f)
{
	for (int i = 0; i < STEPS; i++) {
		struct part *p;

		if (!step_is_used(&f->plan, i))
			continue;
		add_tee(f, i);
		p = add_part(f, steps[i].name);
		p->stops = steps[i].stops;
		p->lingers = steps[i].lingers;
		p->records = i == STEPS - 1;
		step_words(&f->plan, i, &p->words);
	}
	f->parts[0].stops = true;
	add_tee(f, STEPS);
}

/* The same as a line for a shell. */
static int print_plan(const struct flow *f)
{
	lb_autobuf struct lb_buf line = {0};

	if (workspace) {
		lb_buf_puts(&line, "export ");
		words_print_one("LB__BOX__WORKSPACE", workspace, &line);
		lb_buf_puts(&line, "; ");
	}
	for (int i = 0; i < f->n; i++) {
		if (i > 0)
			lb_buf_puts(&line, " | ");
		words_print(&f->parts[i].words, &line);
		if (f->parts[i].records)
			lb_buf_printf(&line, " 3>&1 >&%ld", f->plan.text);
	}
	puts(lb_buf_str(&line));
	return LB_OK;
}

/* Is there a webhook that wants to know? */
static bool pushes(const struct lb_config *config)
{
	const json_t *section = lb_config_section(config, "webhooks");
	const char *name;
	json_t *hook;

	json_object_foreach((json_t *)(uintptr_t)section, name, hook)
	{
		if (json_is_object(hook) && lb_json_bool(hook, "enabled", true))
			return true;
	}
	return false;
}

/* What the configuration has to say of the plan. */
static int look(struct flow_plan *plan, struct lb_error *err)
{
	struct lb_config *config = lb_config_load(plan->config_file, err);

	if (!config)
		return -1;
	plan->pushes = pushes(config);
	plan->aggregates = lb_aggregate_is_on(config);
	lb_config_close(config);
	return 0;
}

int flow_verb(int argc, char **argv)
{
	struct lb_error err;
	int code;

	(void)argc;
	(void)argv;
	if (lb_config_workspace(workspace, &err) < 0 ||
	    look(&flow.plan, &err) < 0)
		return lb_report(&err);
	make_plan(&flow);
	umask(077); /* for what a tee makes */
	if (print)
		return print_plan(&flow);
	if (flow.plan.tee && lb_path_make(flow.plan.tee, &err) < 0)
		return lb_report(&err);
	/* else they are those of whoever runs us */
	if (!lb_config_env("LB_OWNER") && processes_own(&err) < 0)
		return lb_report(&err);
	lb_note_terminal();
	code = parts_run(&flow, &err);
	if (code < 0)
		code = lb_report(&err);
	lb_loop_close(flow.loop);
	for (int i = 0; i < flow.n; i++)
		words_release(&flow.parts[i].words);
	if (flow.dead < 0 && part_reader_left(&flow.parts[flow.n - 1]))
		lb_die_of_sigpipe();
	if (lb_stop_signal())
		lb_stop_raise();
	return code;
}
