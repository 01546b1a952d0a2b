/* lb-box start */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/table.h"
#include "box.h"
#include "box/kept.h"
#include "keep.h"

#define OPTIONS                                                                \
	{'c', "config", "FILE", "read this configuration",                     \
	 .text = &keep.config},                                                \
		{0, "session", "NAME", "the sandbox whose files stay",         \
		 .text = &keep.session},                                       \
		{'w', "workspace-dir", "DIR[:ro]",                             \
		 "your folder DIR is /workspace inside",                       \
		 .text = &keep.folder},                                        \
		{0, "workdir", "DIR", "begin in this folder of the sandbox",   \
		 .text = &keep.workdir},                                       \
		{0, "mount", "DIR:TARGET[:ro]",                                \
		 "also mount DIR, inside at TARGET", .list = &keep.mounts},    \
		{0, "skill", "NAME=DIR",                                       \
		 "mount a skill at /workspace/.skills/NAME, read-only",        \
		 .list = &keep.skills},                                        \
		{0, "profile", "NAME",                                         \
		 "limits by one name (default: the config's)",                 \
		 .text = &keep.profile},                                       \
		{0, "memory", "SIZE", "most memory, all processes together",   \
		 .text = &keep.memory},                                        \
		{0, "pids", "N", "most processes", .text = &keep.pids},        \
		{0, "cpus", "N", "most processors, such as 0.5",               \
		 .text = &keep.cpus},                                          \
		{0, "quota", "SIZE", "most that the workspace may hold",       \
		 .text = &keep.quota},                                         \
		{0, "network", "on|off|HOST,...",                              \
		 "may it reach others (default: the profile's)",               \
		 .text = &keep.network},                                       \
		{0, "env", "NAME[=TEXT]",                                      \
		 "set a variable inside, or hand on ours", .list = &keep.env}, \
		{0, "idle", "TIME",                                            \
		 "end it when nobody was attached for so long",                \
		 .duration = &keep.idle_ms},                                   \
		{0, "persistent", NULL, "do not end it for that",              \
		 .flag = &keep.persistent},                                    \
		{0, "grace", "TIME",                                           \
		 "from the end of its input to its death (default 5s)",        \
		 .duration = &keep.grace_ms},                                  \
	{                                                                      \
		0, "owner", "PID", "end it when that process ends",            \
			.text = &keep.owner                                    \
	}

const struct lb_opt keep_options[] = {
	OPTIONS,
	{0, "ready", "FD", "write a line there when it can be reached",
	 .number = &keep.ready, .min = 3, .max = 1023},
	BOX_WORKSPACE,
	{0},
};

const struct lb_opt start_options[] = {
	OPTIONS,
	{.name = "replace",
	 .help = "end the one of that name first",
	 .flag = &keep.replace},
	{.name = "json", .help = "write a line of JSON", .flag = &keep.json},
	BOX_WORKSPACE,
	{0},
};

/* No terminal's end is its own. */
static int alone(void *arg)
{
	(void)arg;
	return setsid() < 0 ? -1 : 0;
}

static void put_number(struct words *w, const char *option, const char *text)
{
	words_add(w, option);
	words_add(w, text);
}

/* Ours and those of lb-exec; the texts are to outlive the list. */
static int start(const char *name, pid_t *pid, int *ready, int *said,
		 struct lb_error *err)
{
	lb_autofree char *bin = lb_path_program();
	lb_autofree char *self = lb_printf("%s/lb-box", bin);
	lb_autofree char *idle = lb_printf("%lldms", (long long)keep.idle_ms);
	lb_autofree char *grace = lb_printf("%lldms", (long long)keep.grace_ms);
	struct words w = {NULL, 0};
	char owner[LB_OWNER_TEXT];
	struct lb_owner of;
	int ends[2], errors[2], bad;

	if (keep_owner(&of, err) < 0)
		return -1;
	/* Not our standard error: it would be held open as long as it runs. */
	if (pipe2(ends, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	words_add(&w, self);
	put_number(&w, "keep", name);
	put_number(&w, "--ready", "3");
	if (keep.idle_ms)
		put_number(&w, "--idle",
			   keep.idle_ms == INT64_MAX ? "none" : idle);
	if (keep.grace_ms)
		put_number(&w, "--grace", grace);
	if (of.pid) {
		lb_owner_text(&of, owner);
		put_number(&w, "--owner", owner);
	}
	if (keep.persistent)
		words_add(&w, "--persistent");
	keep_hand_on(&w);
	words_add(&w, "--");
	for (char **c = lb_command(); *c; c++)
		words_add(&w, *c);
	bad = lb_child_start(
		&(struct lb_child){
			.argv = w.at,
			.fds = (const int[]){-1, -1, errors[1], ends[1]},
			.n_fds = 4,
			.untied = true,
			.prepare = alone,
		},
		pid, err);
	free(w.at);
	close(ends[1]);
	close(errors[1]);
	*ready = ends[0];
	*said = errors[0];
	return bad;
}

static int tell(const char *folder, struct lb_error *err)
{
	static const char *const columns[] = {"name", "status", "pid", NULL};
	json_t *info = lb_kept_info(folder, err);
	struct lb_table *table;
	int64_t time = 0;

	if (!info)
		return -1;
	table = lb_table_open(columns, keep.json);
	time = json_integer_value(json_object_get(info, "started_at"));
	lb_table_time(table, info, "started_at", time);
	if (lb_json_int(info, "exited_at", &time))
		lb_table_time(table, info, "exited_at", time);
	lb_table_row(table, info);
	lb_table_close(table);
	return 0;
}

/* Why it did not begin. */
static int hand_on_why(pid_t pid, int said)
{
	char text[4096];
	ssize_t n;
	int status;

	while ((n = read(said, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stderr);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : LB_OS;
}

int start_verb(int argc, char **argv)
{
	struct place p = {NULL, NULL, NULL};
	struct lb_error err;
	lb_autofree char *folder = NULL;
	lb_autoclose int ready = -1, said = -1;
	int64_t log = 0;
	char byte;
	pid_t pid;
	int code = -1, ended = LB_OK;

	(void)argc;
	if (place_open(&p, keep.config, &err) == 0 &&
	    lb_kept_check_name(argv[0], &err) == 0) {
		folder = lb_kept_folder(p.processes, argv[0]);
		if (keep.replace &&
		    lb_kept_stop(folder,
				 keep.grace_ms ? keep.grace_ms : KEEP_GRACE_MS,
				 &err) < 0 &&
		    err.code != LB_NOINPUT)
			code = -1;
		else {
			log = began_log(folder);
			code = start(argv[0], &pid, &ready, &said, &err);
		}
	}
	if (code == 0 && read(ready, &byte, 1) == 1) {
		ended = began(pid, argv[0], folder, log);
		code = tell(folder, &err);
	} else if (code == 0)
		code = hand_on_why(pid, said);
	place_close(&p);
	return code < 0 ? lb_report(&err) : code > 0 ? code : ended;
}
