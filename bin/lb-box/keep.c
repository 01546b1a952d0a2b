/* lb-box keep, and what it shares with start */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "box.h"
#include "box/keeper.h"
#include "box/kept.h"
#include "config/config.h"
#include "keep.h"

enum { MOST_ARGUMENTS = 4096 };

struct keep_options keep;

/* What goes to lb-exec as it is. */
static const struct {
	const char *option;
	const char **text;
} handed_on[] = {
	{"--config", &keep.config},
	{"--session", &keep.session},
	{"--workspace-dir", &keep.folder},
	{"--workdir", &keep.workdir},
	{"--profile", &keep.profile},
	{"--memory", &keep.memory},
	{"--pids", &keep.pids},
	{"--cpus", &keep.cpus},
	{"--quota", &keep.quota},
	{"--network", &keep.network},
};

static const struct {
	const char *option;
	const struct lb_list *list;
} lists[] = {
	{"--env", &keep.env},
	{"--mount", &keep.mounts},
	{"--skill", &keep.skills},
};

void keep_hand_on(struct words *w)
{
	for (size_t i = 0; i < sizeof(handed_on) / sizeof(handed_on[0]); i++)
		if (*handed_on[i].text) {
			words_add(w, handed_on[i].option);
			words_add(w, *handed_on[i].text);
		}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (size_t k = 0; k < lists[i].list->n; k++) {
			words_add(w, lists[i].option);
			words_add(w, lists[i].list->at[k]);
		}
}

void words_add(struct words *w, const char *word)
{
	if (w->n + 1 >= MOST_ARGUMENTS)
		lb_usage("there are more than %d arguments", MOST_ARGUMENTS);
	if (!w->at)
		w->at = lb_alloc(MOST_ARGUMENTS * sizeof(*w->at));
	w->at[w->n++] = (char *)(uintptr_t)word;
	w->at[w->n] = NULL;
}

int keep_owner(struct lb_owner *owner, struct lb_error *err)
{
	const char *text = keep.owner ? keep.owner : lb_config_env("LB_OWNER");

	*owner = (struct lb_owner){.pid = 0};
	return text ? lb_owner_read(owner, text, err) : 0;
}

int place_open(struct place *p, const char *config, struct lb_error *err)
{
	p->config = box_config(config, err);
	p->state = p->config ? lb_config_state(err) : NULL;
	if (!p->state)
		return -1;
	p->processes = lb_kept_all(p->config, p->state);
	return 0;
}

void place_close(struct place *p)
{
	free(p->processes);
	free(p->state);
	lb_config_close(p->config);
}

static void count(void *arg, const char *name, const json_t *info)
{
	const char *status = json_string_value(json_object_get(info, "status"));

	(void)name;
	*(long *)arg += status && strcmp(status, "running") == 0;
}

/* One at a time asks whether there is room, until it counts itself. */
static int take_room(const struct place *p, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/.starts", p->processes);
	int64_t most =
		lb_config_int(p->config, "box.limits.max_managed_processes");
	int64_t kept_s =
		lb_config_int(p->config,
			      "box.limits.completed_process_retention_sec");
	int64_t ended =
		lb_config_int(p->config, "box.limits.max_completed_processes");
	long n = 0;
	int fd;

	if (lb_path_make(p->processes, err) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX) < 0) {
		lb_fail_sys(err, LB_IO, "cannot lock '%s'", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	lb_kept_sweep(p->processes, kept_s * 1000, (long)ended);
	if (lb_kept_each(p->processes, count, &n, err) < 0 || n >= most) {
		if (n >= most)
			lb_fail(err, LB_AGAIN,
				"%ld processes run, and no more may "
				"(box.limits.max_managed_processes); "
				"'lb-box ps' lists them",
				n);
		close(fd);
		return -1;
	}
	return fd;
}

static int run(const struct place *p, const char *name, struct lb_error *err)
{
	lb_autofree char *folder = lb_kept_folder(p->processes, name);
	lb_autofree char *bin = lb_path_program();
	lb_autofree char *lb_exec = lb_printf("%s/lb-exec", bin);
	struct words w = {NULL, 0};
	struct lb_keeper how = {
		.name = name,
		.folder = folder,
		.session = keep.session,
		.command = lb_command(),
		.idle_ms = keep.idle_ms,
		.grace_ms = keep.grace_ms,
		.ready = keep.ready ? (int)keep.ready : -1,
	};
	int code;

	if (lb_kept_check_name(name, err) < 0 ||
	    keep_owner(&how.owner, err) < 0)
		return -1;
	if (how.idle_ms == 0)
		how.idle_ms = lb_config_ms(p->config, "box.session_ttl");
	if (keep.persistent || how.idle_ms == 0)
		how.idle_ms = INT64_MAX;
	if (how.grace_ms == 0)
		how.grace_ms = KEEP_GRACE_MS;
	how.gate = take_room(p, err);
	if (how.gate < 0)
		return -1;
	words_add(&w, lb_exec);
	words_add(&w, "--service");
	keep_hand_on(&w);
	words_add(&w, "--");
	for (char **c = lb_command(); *c; c++)
		words_add(&w, *c);
	how.argv = w.at;
	code = lb_keeper_run(&how, err);
	free(w.at);
	return code;
}

int keep_verb(int argc, char **argv)
{
	struct place p = {NULL, NULL, NULL};
	struct lb_error err;
	int code = -1;

	(void)argc;
	if (place_open(&p, keep.config, &err) == 0)
		code = run(&p, argv[0], &err);
	place_close(&p);
	return code < 0 ? lb_report(&err) : code;
}
