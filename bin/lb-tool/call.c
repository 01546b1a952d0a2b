/* lb-tool call */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/path.h"
#include "config/config.h"
#include "lb-tool.h"
#include "skills.h"
#include "tool/exec.h"
#include "tool/run.h"

enum { MAX_JSON = 16 * 1024 * 1024 };

static const char *session, *folder, *config_file, *workspace, *pipeline;

const struct lb_opt call_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "pipeline",
	 .arg = "NAME",
	 .help = "with --session: with the skills of a pipeline",
	 .text = &pipeline},
	{.name = "session",
	 .arg = "SESSION",
	 .help = "work in the workspace of a session",
	 .text = &session},
	{.name = "workspace",
	 .arg = "NAME",
	 .help = "whose session it is: apart from all others'",
	 .text = &workspace},
	{'w', "workspace-dir", "DIR", "work in this folder", .text = &folder},
	{0},
};

static int unknown_tool(const char *name, struct lb_error *err)
{
	lb_autobuf struct lb_buf all = {0};

	lb_buf_puts(&all, "exec");
	for (const struct lb_tool *t = lb_tools; t->name; t++)
		lb_buf_printf(&all, ", %s", t->name);
	return lb_fail(err, LB_NOINPUT,
		       "there is no tool '%.60s'; there are: %s", name,
		       lb_buf_str(&all));
}

static json_t *read_arguments(const char *text, struct lb_error *err)
{
	lb_autofree char *read = NULL;
	json_error_t why;
	json_t *value;
	size_t len = strlen(text);

	if (strcmp(text, "-") == 0) {
		if (lb_path_read("/dev/stdin", MAX_JSON, &read, &len, err) < 0)
			return NULL;
		text = read;
	}
	value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
			   &why);
	if (!value)
		lb_fail(err, LB_DATA, "the arguments are no JSON: %s",
			why.text);
	else if (!json_is_object(value))
		lb_fail(err, LB_DATA, "the arguments are no JSON object");
	else
		return value;
	json_decref(value);
	return NULL;
}

static void done(void *arg, json_t *take)
{
	*(json_t **)arg = take;
}

static json_t *run(const struct lb_tool *tool, const struct lb_place *place,
		   const json_t *arguments)
{
	struct lb_loop *loop = lb_loop_open();
	struct lb_tool_runner *runner = lb_tool_runner_open(loop, 1);
	json_t *result = NULL;
	const struct lb_tool_order order = {
		.tool = tool,
		.place = place,
		.arguments = arguments,
		.deadline = lb_clock_mono() + LB_TOOL_CALL_MS,
		.done = done,
		.arg = &result,
	};

	lb_tool_start(runner, &order);
	while (!result && lb_loop_turn(loop, -1))
		;
	lb_tool_runner_close(runner);
	lb_loop_close(loop);
	return result;
}

/* As whom a person at this machine calls. */
static json_t *make_context(struct lb_config *config)
{
	json_t *context =
		lb_json_pack("{s:s, s:s, s:s}", "bot", "-", "platform", "text",
			     "sender_id", lb_config_user(config));

	if (pipeline)
		json_object_set_new(context, "pipeline", json_string(pipeline));
	return context;
}

/* A file tool, where it was said to work. */
static json_t *call_file(const struct lb_tool *tool, struct lb_config *config,
			 const struct tool_skills *skills, const char *state,
			 const json_t *arguments, struct lb_error *err)
{
	struct tool_place place = {.folder = -1};
	json_t *result;

	if (folder ? place_of_folder(&place, folder, err) < 0
		   : place_of_session(&place, config, state,
				      lb_config_str(config,
						    "box.local.profile"),
				      session, err) < 0)
		return NULL;
	place.place.skills = skills->place;
	place.place.n_skills = skills->n;
	result = run(tool, &place.place, arguments);
	place_release(&place);
	return result;
}

/* A command, by the same limits as everybody's. */
static json_t *call_exec(struct lb_config *config, const json_t *context,
			 const struct tool_skills *skills, const char *state,
			 const json_t *arguments, struct lb_error *err)
{
	lb_autofree char *path = folder ? realpath(folder, NULL) : NULL;
	struct lb_loop *loop;
	struct lb_execs *execs;
	json_t *result = NULL;
	const struct lb_exec_order order = {
		.arguments = arguments,
		.context = context,
		.policy = {.profile =
				   lb_config_str(config, "box.local.profile")},
		.session = session,
		.folder = path,
		.skills = skills->box,
		.n_skills = skills->n,
		.deadline = INT64_MAX,
		.done = done,
		.arg = &result,
	};

	if (folder && !path) {
		lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'", folder);
		return NULL;
	}
	loop = lb_loop_open();
	execs = lb_execs_open(loop, config, state);
	lb_exec_start(execs, &order);
	while (!result && lb_loop_turn(loop, -1))
		;
	lb_execs_close(execs);
	lb_loop_close(loop);
	return result;
}

static json_t *call(const char *name, const json_t *arguments,
		    struct lb_error *err)
{
	const struct lb_tool *tool = lb_tool_find(name);
	struct lb_config *config = lb_config_workspace(workspace, err) < 0
					   ? NULL
					   : lb_config_load(config_file, err);
	lb_autofree char *state = config ? lb_config_state(err) : NULL;
	json_auto_t *context = state ? make_context(config) : NULL;
	struct tool_shelf *shelf = NULL;
	struct tool_skills skills = {0};
	json_t *result = NULL;
	bool ready = state != NULL;

	if (state && pipeline) {
		shelf = tool_shelf_open(config, state);
		ready = tool_skills_take(&skills, shelf, context, NULL, err) ==
			0;
	}
	if (ready && tool)
		result =
			call_file(tool, config, &skills, state, arguments, err);
	else if (ready)
		result = call_exec(config, context, &skills, state, arguments,
				   err);
	tool_skills_release(&skills);
	tool_shelf_close(shelf);
	lb_config_close(config);
	return result;
}

int call_verb(int argc, char **argv)
{
	json_auto_t *arguments = NULL, *result = NULL;
	struct lb_error err;

	if (!folder == !session)
		lb_usage("name where it works: a folder (-w DIR) or a session "
			 "(--session=SESSION)");
	if (folder && workspace)
		lb_usage("--workspace-dir and --workspace exclude each other: "
			 "a workspace has files of its own");
	if (pipeline && folder)
		lb_usage("a folder has no skills: --pipeline goes with "
			 "--session");
	if (strcmp(argv[0], "exec") != 0 && !lb_tool_find(argv[0])) {
		unknown_tool(argv[0], &err);
		return lb_report(&err);
	}
	arguments = read_arguments(argc > 1 ? argv[1] : "{}", &err);
	result = arguments ? call(argv[0], arguments, &err) : NULL;
	if (!result)
		return lb_report(&err);
	json_dumpf(result, stdout, JSON_COMPACT);
	putchar('\n');
	return lb_json_bool(result, "ok", false) ? LB_OK : LB_NO;
}
