/* lb-exec - run a command where it can do no harm. */
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/backend.h"
#include "box/bridge.h"
#include "exec.h"
#include "meter.h"
#include "record/filter.h"

struct options options = {
	.max_line = LB_LINE_MAX,
};

static const struct lb_opt opts[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &options.config},
	{0, "session", "NAME", "the sandbox whose files stay",
	 .text = &options.session},
	{'w', "workspace-dir", "DIR[:ro]",
	 "your folder DIR is /workspace inside", .text = &options.folder},
	{0, "workspace", "NAME", "whose sandbox: apart from all others'",
	 .text = &options.workspace},
	{0, "workdir", "DIR", "begin in this folder of the sandbox",
	 .text = &options.workdir},
	{0, "mount", "DIR:TARGET[:ro]", "also mount DIR, inside at TARGET",
	 .list = &options.mounts},
	{0, "skill", "NAME=DIR",
	 "mount a skill at /workspace/.skills/NAME, read-only",
	 .list = &options.skills},
	{'t', "timeout", "TIME", "kill it after this (default: the profile's)",
	 .duration = &options.timeout_ms},
	{0, "profile", "NAME", "limits by one name (default: the config's)",
	 .text = &options.profile},
	{0, "memory", "SIZE", "most memory, all processes together",
	 .size = &options.memory},
	{0, "pids", "N", "most processes", .number = &options.pids, .min = 1,
	 .max = 100000},
	{0, "cpus", "N", "most processors, such as 0.5", .text = &options.cpus},
	{0, "quota", "SIZE", "most that the workspace may hold",
	 .size = &options.quota},
	{0, "network", "on|off|HOST,...",
	 "what it may reach (default: the profile's)",
	 .text = &options.network},
	{0, "env", "NAME[=TEXT]", "set a variable inside, or hand on ours",
	 .list = &options.env},
	{0, "require", "cgroup", "do not run with weaker limits than these",
	 .text = &options.require},
	{'i', "interactive", NULL, "give it a terminal of its own",
	 .flag = &options.terminal},
	{0, "service", NULL, "no limit of time: it goes on while it is needed",
	 .flag = &options.service},
	{0, "json", NULL, "print a result object, not what it writes",
	 .flag = &options.json},
	{0, "records", NULL, "read exec records, write result records",
	 .flag = &options.records},
	{'j', "jobs", "N", "with --records: so many at once (default 2)",
	 .number = &options.jobs, .min = 1, .max = 1000},
	{0, "max-out", "N", "keep N characters of a stream (default 4000)",
	 .number = &options.shown, .min = 1, .max = LB_BOX_MOST_SHOWN},
	{0, "status-fd", "N", "write the result object to this descriptor",
	 .text = &options.status_to},
	{0, "host", NULL, "run without a sandbox (box.allow_host)",
	 .flag = &options.host},
	{0, "bridge", NULL, "be what connects a sandbox; for lb itself",
	 .flag = &options.bridge},
	LB_FILTER_OPTIONS(&options.strict, &options.max_line),
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-exec",
	.operands = "[--] COMMAND [ARGUMENT...]",
	.about = "Run a command in a sandbox",
	.example = "lb-exec --session demo -- python3 -c 'print(6*7)'",
	.opts = opts,
	.reads = "exec",
	.writes = "result error",
	.chain = true,
};

/* May anything be run? If not, records get that for an answer. */
static void check_config(struct work *w)
{
	if (lb_box_is_host(w->config)) {
		lb_warn("running WITHOUT a sandbox, as box.backend has it");
	} else if (options.host) {
		if (!json_is_true(lb_config_get(w->config, "box.allow_host")))
			lb_fail(&w->refused, LB_DENIED,
				"--host is not allowed here: an operator "
				"allows it with 'lb-config set box.allow_host "
				"true'");
		else
			lb_warn("running WITHOUT a sandbox, as asked by "
				"--host");
	} else if (json_is_false(lb_config_get(w->config, "box.enabled"))) {
		lb_fail(&w->refused, LB_UNAVAILABLE,
			"the sandbox is switched off (box.enabled: false); "
			"nothing was run");
	}
}

static int set_up(struct work *w, struct lb_error *err)
{
	if (lb_config_workspace(options.workspace, err) < 0)
		return -1;
	w->config = lb_config_load(options.config, err);
	if (!w->config)
		return -1;
	w->state = lb_config_state(err);
	if (!w->state)
		return -1;
	check_config(w);
	w->loop = lb_loop_open();
	w->box = lb_box_open(w->loop, w->config, w->state);
	return request_skills(w, err);
}

static void check_usage(int operands)
{
	if (options.records && operands > 0)
		lb_usage("--records takes its commands from standard input");
	if (options.records && options.terminal)
		lb_usage("--records and --interactive exclude each other");
	if (options.service && (options.records || options.timeout_ms))
		lb_usage("--service excludes --records and --timeout");
	if (options.json && options.terminal)
		lb_usage("--json and --interactive exclude each other");
	if (!options.records && operands == 0)
		lb_usage("a command is missing");
	if (options.folder && options.session)
		lb_usage("--workspace-dir and --session exclude each other: a "
			 "session has a workspace of its own");
	if (options.require && strcmp(options.require, "cgroup") != 0)
		lb_usage("--require knows 'cgroup', not '%s'", options.require);
}

/* A failure of ours is told from every status of a command's own. */
int our_status(int code)
{
	switch (code) {
	case LB_DATA: /* of a request that the command line made */
		return LB_USAGE;
	case LB_USAGE:
	case LB_UNAVAILABLE:
	case LB_DENIED:
	case LB_CONFIG:
	case LB_AGAIN: /* there is no room for another one now */
		return code;
	default:
		return 125;
	}
}

enum lb_code error_code(const struct lb_error *error)
{
	return error->code == LB_UNAVAILABLE ? LB_CODE_CONFIG
					     : lb_code_of(error);
}

int main(int argc, char **argv)
{
	struct work w = {NULL};
	struct lb_error err;
	int first, code;
	bool bad;

	lb_start(&prog);
	first = lb_options(argc, argv);
	if (options.bridge)
		return lb_finish(lb_bridge_serve());
	check_usage(argc - first);
	bad = set_up(&w, &err) < 0;
	if (bad)
		w.refused = err;
	if (bad && options.records)
		code = lb_report(&err);
	else if (options.records)
		code = exec_records(&w);
	else
		code = exec_one(&w, argv + first);
	meter_close();
	lb_box_close(w.box);
	for (size_t i = 0; i < w.n_skills; i++)
		free((char *)(uintptr_t)w.skills[i].path);
	free(w.skills);
	if (w.loop)
		lb_loop_close(w.loop);
	lb_config_close(w.config);
	free(w.state);
	return lb_finish(code);
}
