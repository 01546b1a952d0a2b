/* lb-mcp serve */
#include <stdlib.h>

#include "base/mem.h"
#include "base/prog.h"
#include "base/stop.h"
#include "mcp.h"
#include "mcp/serve-stdio.h"
#include "serving.h"

enum {
	CALL_MS = 10 * 60 * 1000,
	END_MS = 2000, /* in which what is under way ends */
};

static bool skills;
static const char *folder, *session, *config_file, *tools, *pipeline,
	*workspace;
static struct web web;
static int64_t timeout_ms = CALL_MS;
static long page;

const struct lb_opt serve_options[] = {
	{.name = "allow-host",
	 .arg = "NAME",
	 .help = "with --http: answer to this name, too (repeatable)",
	 .list = &web.hosts},
	{.name = "allow-origin",
	 .arg = "ORIGIN",
	 .help = "with --http: pages of this origin may ask (repeatable)",
	 .list = &web.origins},
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "connections",
	 .arg = "N",
	 .help = "with --http: at once, 256",
	 .number = &web.connections,
	 .min = 1,
	 .max = 10000},
	{.name = "http",
	 .arg = "ADDRESS",
	 .help = "serve http://ADDRESS/mcp: a port, or HOST:PORT",
	 .text = &web.at},
	{.name = "idle",
	 .arg = "TIME",
	 .help = "with --http: a session that is not used ends, 30m",
	 .duration = &web.idle_ms},
	{.name = "no-token",
	 .help = "with --http: whoever is at this machine may ask",
	 .flag = &web.no_token},
	{.name = "page",
	 .arg = "N",
	 .help = "entries of a list that are told at once, 100",
	 .number = &page,
	 .min = 1,
	 .max = 10000},
	{.name = "pipeline",
	 .arg = "NAME",
	 .help = "offer the skills of this pipeline; else default",
	 .text = &pipeline},
	{.name = "session",
	 .arg = "SESSION",
	 .help = "work in the workspace of this session",
	 .text = &session},
	{.name = "sessions",
	 .arg = "N",
	 .help = "with --http: of callers, at once, 64",
	 .number = &web.sessions,
	 .min = 1,
	 .max = 10000},
	{.name = "skills", .help = "offer the skills, too", .flag = &skills},
	{'t', "timeout", "TIME", "a call may take so long, 10m",
	 .duration = &timeout_ms},
	{.name = "token",
	 .arg = "REF",
	 .help = "with --http: who has this token may ask: env:NAME, file:PATH",
	 .text = &web.token},
	{.name = "tools",
	 .arg = "LIST",
	 .help = "offer these, as exec,read; else read,glob,grep",
	 .text = &tools},
	{.name = "workspace",
	 .arg = "NAME",
	 .help = "whose sandboxes: apart from all others'",
	 .text = &workspace},
	{'w', "workspace-dir", "DIR", "work in this folder", .text = &folder},
	{0},
};

static void on_ask(void *arg, struct lb_serve_ask *ask)
{
	struct serving *s = arg;

	if (ask->want == LB_SERVE_TOOLS)
		tools_list(s, ask);
	else if (ask->want == LB_SERVE_CALL)
		tools_call(s, ask);
	else
		skills_ask(s, ask);
}

static void on_cancel(void *arg, struct lb_serve_ask *ask)
{
	tools_cancel(arg, ask);
}

static void on_stop(void *arg)
{
	struct serving *s = arg;

	s->stop = true;
}

static int run(struct serving *s, struct lb_error *err)
{
	const struct lb_serve_offer offer = {
		.instructions = "The tools work in a sandbox. What they call "
				"/workspace is its folder.",
		.tools = s->provider || s->shelf,
		.resources = s->shelf,
		.prompts = s->shelf,
		.page = (size_t)page,
		.ask = on_ask,
		.cancel = on_cancel,
		.arg = s,
	};
	int code = LB_OK;

	s->serve = lb_serve_open(s->loop, &offer);
	lb_stop_watch(s->loop, on_stop, s);
	if (!web.at) {
		lb_note_terminal();
		code = lb_serve_stdio(s->serve, (size_t)lb_config_max_line(),
				      &s->stop);
		lb_serve_stop(s->serve, END_MS);
	} else if (web_serve(s, &web, err) < 0) {
		code = -1;
	}
	lb_stop_forget(s->loop);
	return code;
}

/* Where tools work: what was said, else the sandbox of the person here. */
static int choose_place(struct serving *s, struct lb_error *err)
{
	if (folder && (session || workspace))
		return lb_fail(err, LB_USAGE,
			       "name a folder (-w), or whose sandbox "
			       "(--session, --workspace), not both");
	s->folder = folder;
	s->session = session;
	if (!folder && !session)
		s->session = s->own =
			lb_printf("-/person_%s", lb_config_user(s->config));
	s->pipeline = pipeline ? pipeline : "default";
	if (!lb_config_pipeline(s->config, s->pipeline))
		return lb_fail(err, LB_CONFIG, "there is no pipeline '%.64s'",
			       s->pipeline);
	return 0;
}

int serve_verb(int argc, char **argv)
{
	struct serving s = {.config_file = config_file,
			    .timeout_ms = timeout_ms};
	struct lb_error err;
	int code = -1;

	(void)argc;
	(void)argv;
	s.loop = lb_loop_open();
	if (lb_config_workspace(workspace, &err) == 0)
		s.config = lb_config_load(config_file, &err);
	s.state = s.config ? lb_config_state(&err) : NULL;
	if (s.state && choose_place(&s, &err) == 0 &&
	    tools_choose(&s, tools, &err) == 0 && tools_open(&s, &err) == 0) {
		if (skills)
			skills_open(&s);
		code = run(&s, &err);
	}
	skills_close(&s);
	tools_close(&s);
	lb_serve_close(s.serve);
	free(s.own);
	free(s.state);
	lb_config_close(s.config);
	lb_loop_close(s.loop);
	if (lb_stop_signal())
		lb_stop_raise();
	return code < 0 ? lb_report(&err) : code;
}
