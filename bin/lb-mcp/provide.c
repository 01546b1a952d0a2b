/* lb-mcp provide - servers as a tool provider. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "mcp.h"
#include "mcp/content.h"
#include "mcp/pool.h"
#include "provide.h"

static const char *config_file;

const struct lb_opt provide_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{0},
};

/* extensions_preferences of a pipeline: which servers it has. */
static bool may_use(const void *arg, const char *server)
{
	const struct asked *a = arg;
	const json_t *said =
		json_object_get(lb_config_pipeline(a->providing->office.config,
						   a->pipeline),
				"extensions_preferences");
	const json_t *list = json_object_get(said, "mcp_servers"), *one;
	const json_t *every = json_object_get(said, "enable_all_mcp_servers");
	const json_t *entity =
		json_object_get(a->providing->office.servers, server);
	const char *uuid = lb_json_str(entity, "uuid");
	size_t i;

	if (json_is_boolean(every) ? json_is_true(every) : !json_is_array(list))
		return true;
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *name = json_string_value(one);

		if (name && (strcmp(name, server) == 0 ||
			     (uuid && strcmp(name, uuid) == 0)))
			return true;
	}
	return false;
}

bool provide_may(struct providing *p, const json_t *context, const char *server)
{
	const struct asked a = {p, lb_json_str(context, "pipeline")};

	return !a.pipeline || may_use(&a, server);
}

static json_t *list(void *arg, const json_t *context)
{
	struct providing *p = arg;
	const struct asked a = {p, lb_json_str(context, "pipeline")};
	lb_mcp_may_fn *may = a.pipeline ? may_use : NULL;
	json_t *all = lb_mcp_pool_tools(p->pool, may, &a);

	p->listed = true;
	if (resources_may(p, context) &&
	    lb_mcp_pool_has_resources(p->pool, may, &a))
		resources_offer(all);
	return all;
}

/* ---- calls ---- */

struct call {
	struct lb_job *job;
	struct lb_mcp_pool_call *asked;
	char *tool, *server;
	int64_t ms;
};

static void free_call(struct call *c)
{
	free(c->tool);
	free(c->server);
	free(c);
}

static void fail(struct call *c, const struct lb_peer_answer *answer)
{
	const struct lb_error *e = answer->error;

	if (answer->failure)
		lb_job_fail(c->job, "tool", "%s", answer->failure->message);
	else if (e->code == LB_AGAIN && strncmp(e->text, "no answer", 9) == 0)
		lb_job_fail(c->job, "timeout",
			    "tool '%s' of MCP server '%s' did not answer: %s",
			    c->tool, c->server, e->text);
	else
		lb_job_fail(c->job, "unavailable", "MCP server '%s': %s",
			    c->server, e->text);
}

static void on_answer(void *arg, const struct lb_peer_answer *answer)
{
	struct call *c = arg;
	lb_autobuf struct lb_buf text = {0};

	if (!answer->result) {
		fail(c, answer);
	} else if (lb_mcp_is_error(answer->result)) {
		lb_mcp_content_text(&text, answer->result, LB_MCP_TEXT_MAX);
		lb_job_fail(c->job, "tool", "%s",
			    text.len ? text.data
				     : "the tool failed and does not say why");
	} else {
		lb_job_parts(c->job, lb_mcp_content_parts(answer->result));
	}
	free_call(c);
}

static void call(struct lb_job *job)
{
	struct providing *p = job->arg;
	const char *tool;
	struct lb_mcp_member *m;
	struct call *c;
	int64_t left = job->deadline - lb_clock_mono();

	if (resources_call(p, job) || context_call(p, job))
		return;
	m = lb_mcp_pool_owner(p->pool, job->name, &tool);
	if (!m) {
		lb_job_fail(job, "not_found", "there is no such tool");
		return;
	}
	if (!provide_may(p, job->context, lb_mcp_member_name(m))) {
		lb_job_fail(job, "denied",
			    "MCP server '%s' may not be used here",
			    lb_mcp_member_name(m));
		return;
	}
	c = lb_alloc(sizeof(*c));
	*c = (struct call){
		.job = job,
		.tool = lb_strdup(tool),
		.server = lb_strdup(lb_mcp_member_name(m)),
	};
	job->state = c;
	c->asked =
		lb_mcp_member_ask(m,
				  &(struct lb_mcp_pool_ask){
					  .method = "tools/call",
					  .take_params =
						  lb_json_pack("{s:s, s:O}",
							       "name", tool,
							       "arguments",
							       job->arguments),
					  .timeout_ms = left > 1 ? left : 1,
					  .fn = on_answer,
					  .arg = c,
				  });
}

static void cancel(struct lb_job *job)
{
	struct call *c = job->state;

	if (resources_cancel(job) || context_cancel(job))
		return;
	lb_mcp_pool_cancel(c->asked);
	lb_job_fail(job, "cancelled", "the call was cancelled");
	free_call(c);
}

static bool settled(void *arg)
{
	return lb_mcp_pool_is_settled(((struct providing *)arg)->pool);
}

static void on_changed(void *arg)
{
	struct providing *p = arg;

	if (p->listed)
		lb_tools_changed(p->server);
}

static void begin(void *arg, struct lb_loop *loop, struct lb_server *server)
{
	struct providing *p = arg;
	struct lb_error err;

	p->server = server;
	p->pool = lb_mcp_pool_open(loop,
				   &(struct lb_mcp_pool_how){
					   .config = p->office.config,
					   .config_file = config_file,
					   .state = p->office.state,
					   .servers = p->office.servers,
					   .on_changed = on_changed,
					   .arg = p,
				   },
				   &err);
	if (!p->pool) {
		lb_complain("%s", err.text);
		_Exit(err.code);
	}
}

static void end(void *arg)
{
	struct providing *p = arg;

	lb_mcp_pool_close(p->pool);
}

int provide_verb(int argc, char **argv)
{
	struct providing p = {.cache = json_object(),
			      .left_out = json_object()};
	struct lb_error err;
	int code;

	(void)argc;
	(void)argv;
	signal(SIGPIPE, SIG_IGN);
	if (office_open(&p.office, config_file, NULL, &err) < 0)
		code = lb_report(&err);
	else
		code = lb_tools_serve(&(struct lb_serving){
			.name = "mcp",
			.list = list,
			.call = call,
			.cancel = cancel,
			.settled = settled,
			.begin = begin,
			.end = end,
			.arg = &p,
		});
	json_decref(p.cache);
	json_decref(p.left_out);
	office_close(&p.office);
	return code;
}
