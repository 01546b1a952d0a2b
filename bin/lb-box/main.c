/* lb-box - look after sandboxes: what there are, what was done, what may be. */
#include "box.h"

static const struct lb_verb verbs[] = {
	{"approve", "REQUEST", "Allow a command that waits, once",
	 decide_options, approve_verb, 1},
	{"attach", "PROCESS", "Talk to a process that goes on, by lines",
	 attach_options, attach_verb, 1},
	{"audit", "", "List what was done with tools", audit_options,
	 audit_verb},
	{"create", "SESSION...", "Make sessions before they are used",
	 create_options, create_verb, 1, -1},
	{"delete", "SESSION...", "Remove the files of sandboxes, for good",
	 delete_options, delete_verb, 1, -1},
	{"deny", "REQUEST", "Refuse a command that waits", decide_options,
	 deny_verb, 1},
	{"doctor", "", "Say what isolation there is here, and what is missing",
	 doctor_options, doctor_verb},
	{"errors", "", "List what failed last", errors_options, errors_verb},
	{"gc", "", "Remove files that nobody used for long", reap_options,
	 gc_verb},
	{"keep", "PROCESS", "Keep a command reachable, in the foreground",
	 keep_options, keep_verb, 1, .chain = true},
	{"logs", "PROCESS", "Show what a process wrote to standard error",
	 logs_options, logs_verb, 1},
	{"meter", "", "Count quotas for a program that runs commands",
	 meter_options, meter_verb},
	{"metrics", "", "Write numbers as Prometheus reads them",
	 metrics_options, metrics_verb},
	{"pending", "", "List the commands that wait to be approved",
	 pending_options, pending_verb},
	{"ps", "", "List the processes that go on", ps_options, ps_verb},
	{"reap", "", "End what is idle, and what was left behind", reap_options,
	 reap_verb},
	{"sessions", "", "List the sessions there are", sessions_options,
	 sessions_verb},
	{"start", "PROCESS", "Start a command that goes on, in a sandbox",
	 start_options, start_verb, 1, .chain = true},
	{"status", "", "Say how many there are, and what limits them",
	 status_options, status_verb},
	{"stop", "PROCESS...", "End such processes", stop_options, stop_verb, 1,
	 -1},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-box",
	.operands = "VERB ...",
	.about = "Look after sandboxes: what there are, what was done, what "
		 "may be",
	.example = "lb-box doctor",
	.verbs = verbs,
};

int main(int argc, char **argv)
{
	lb_start(&prog);
	return lb_finish(lb_run_verb(argc, argv));
}
