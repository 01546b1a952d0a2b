/* lb-tool serve */
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/backend.h"
#include "box/mounts.h"
#include "serving.h"

enum {
	MOST = 32, /* calls that work at a time; the others wait */
	LOOK_MS = 3000,
};

static const char *folder, *session, *config_file, *workspace;

const struct lb_opt serve_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "workspace",
	 .arg = "NAME",
	 .help = "whose sessions: apart from all others'",
	 .text = &workspace},
	{.name = "session",
	 .arg = "SESSION",
	 .help = "work in the workspace of this session, whoever asks",
	 .text = &session},
	{'w', "workspace-dir", "DIR",
	 "work in this folder, whoever asks, instead of each session's own",
	 .text = &folder},
	{0},
};

bool serving_look(struct serving *s)
{
	bool there = lb_box_available(s->config, &s->why);

	if (there != s->there && s->server)
		lb_tools_changed(s->server);
	s->there = there;
	return there;
}

static void look_again(void *arg)
{
	struct serving *s = arg;

	serving_look(s);
	lb_timer_set(s->loop, &s->look, lb_clock_mono() + LOOK_MS, look_again,
		     s);
}

/* Nobody is to overlook that. */
static void warn_of_host(const struct serving *s)
{
	const json_t *all = lb_config_get(s->config, "pipelines");
	const char *name;
	json_t *settings;

	json_object_foreach((json_t *)(uintptr_t)all, name, settings)
	{
		json_auto_t *context = lb_json_pack("{s:s, s:s}", "bot", "-",
						    "pipeline", name);
		enum lb_policy_place place;

		if (lb_policy_lists(s->config, context, "exec", &place) &&
		    place == LB_ON_HOST)
			lb_warn("pipeline '%s' runs commands of a model "
				"WITHOUT a sandbox, on this machine "
				"(sandbox-mode: %s)",
				name, lb_json_str(settings, "sandbox-mode"));
	}
}

static void begin(void *arg, struct lb_loop *loop, struct lb_server *server)
{
	struct serving *s = arg;

	s->loop = loop;
	s->server = server;
	s->runner = lb_tool_runner_open(loop, MOST);
	s->execs = lb_execs_open(loop, s->config, s->state);
	s->pythons = lb_pythons_open(loop, s->config, s->state);
	if (!s->folder)
		s->shelf = tool_shelf_open(s->config, s->state);
	s->there = lb_box_available(s->config, &s->why);
	warn_of_host(s);
	lb_timer_set(loop, &s->look, lb_clock_mono() + LOOK_MS, look_again, s);
}

static void end(void *arg)
{
	struct serving *s = arg;

	lb_timer_cancel(s->loop, &s->look);
	lb_tool_runner_close(s->runner);
	lb_pythons_close(s->pythons);
	lb_execs_close(s->execs);
	tool_shelf_close(s->shelf);
}

/* A person who serves his own folder, or a session he names, grants what there
 * is. What runs on this machine needs no sandbox. */
static bool may_list(const struct serving *s, const json_t *context,
		     const char *name)
{
	enum lb_policy_place place = LB_IN_SANDBOX;

	if (!s->folder && !s->session &&
	    !lb_policy_lists(s->config, context, name, &place))
		return false;
	return s->there || place == LB_ON_HOST;
}

static json_t *list(void *arg, const json_t *context)
{
	struct serving *s = arg;
	json_t *all = json_array();

	serving_look(s);
	if (may_list(s, context, "exec"))
		json_array_append_new(all, lb_exec_offer(s->config, context));
	for (const struct lb_tool *t = lb_tools; t->name; t++)
		if ((s->folder || lb_box_has_files(s->config)) &&
		    may_list(s, context, t->name))
			json_array_append_new(all, lb_tool_offer(t));
	return all;
}

/* Whoever asks has what is in it: not a home, the system's or another's. */
static int judge_folder(const struct serving *s, struct lb_error *err)
{
	struct lb_box_spec spec = {.host_path_mode = LB_BOX_RO};
	int bad;

	if (!s->folder)
		return 0;
	spec.host_path = realpath(s->folder, NULL);
	if (!spec.host_path)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'",
				   s->folder);
	spec.mount_path = lb_strdup(LB_BOX_WORKSPACE);
	bad = lb_box_mounts_check(s->config, s->state, LB_BOX_BY_PERSON, &spec,
				  err);
	lb_box_spec_release(&spec);
	return bad;
}

int serve_verb(int argc, char **argv)
{
	struct serving s = {.folder = folder, .session = session};
	struct lb_error err;
	int code;

	(void)argc;
	(void)argv;
	if (folder && session)
		lb_usage("name a folder (-w) or a session (--session), not "
			 "both");
	if (folder && workspace)
		lb_usage("--workspace-dir and --workspace exclude each other: "
			 "a workspace has files of its own");
	if (lb_config_workspace(workspace, &err) < 0)
		return lb_report(&err);
	s.config = lb_config_load(config_file, &err);
	s.state = s.config ? lb_config_state(&err) : NULL;
	if (!s.state || judge_folder(&s, &err) < 0) {
		free(s.state);
		lb_config_close(s.config);
		return lb_report(&err);
	}
	lb_note_terminal();
	lb_loop_many_descriptors();
	code = lb_tools_serve(&(struct lb_serving){
		.name = "lb-tool",
		.list = list,
		.call = serving_call,
		.cancel = serving_cancel,
		.begin = begin,
		.end = end,
		.arg = &s,
	});
	free(s.state);
	lb_config_close(s.config);
	return code;
}
