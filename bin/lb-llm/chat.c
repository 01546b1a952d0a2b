/* chat.c - one question, one answer. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/utf8.h"
#include "chat.h"
#include "llm/schema.h"
#include "record/record.h"

static const char *model_spec, *schema_text, *quiet_if, *reasoning;
static const char *session_name, *config_file;
static struct question question;
static struct lb_list settings;
static bool as_json, want_usage, dry_run, no_stream, proceed, no_history;
static bool records_mode, strict;
static struct patience patience;
static int64_t timeout_ms, max_line;
static int64_t connect_ms = -1, first_byte_ms = -1, idle_ms = -1;
static long jobs = 8;

const struct lb_opt chat_options[] = {
	{'a', "attachment", "FILE", "send this image too; - is standard input",
	 .list = &question.attachments},
	{'c', "continue", .help = "go on with the conversation before",
	 .flag = &proceed},
	{'m', "model", "MODEL", "provider/name, or offline",
	 .text = &model_spec},
	{'o', "option", "KEY=VALUE", "a member of the request's body",
	 .list = &settings},
	{'s', "system", "TEXT", "the system prompt", .text = &question.system},
	{'u', "usage", .help = "say on stderr what it cost",
	 .flag = &want_usage},
	{0, "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "connect-timeout", "TIME", "for a connection",
	 .duration = &connect_ms},
	{0, "dry-run", .help = "print the request, its key hidden",
	 .flag = &dry_run},
	PATIENCE_OPTIONS(patience),
	{0, "first-byte-timeout", "TIME", "for the answer to begin",
	 .duration = &first_byte_ms},
	{0, "idle-timeout", "TIME", "for more of it", .duration = &idle_ms},
	{0, "jobs", "N", "with --records: requests at once (default 8)",
	 .number = &jobs, .min = 1, .max = 1000},
	{0, "json", .help = "print the answer as a record", .flag = &as_json},
	{0, "max-line", "SIZE", "with --records: refuse longer lines",
	 .size = &max_line},
	{0, "no-history", .help = "do not keep the conversation",
	 .flag = &no_history},
	{0, "no-stream", .help = "ask for the answer in one piece",
	 .flag = &no_stream},
	{0, "quiet-if", "REGEX", "print nothing if the answer matches",
	 .text = &quiet_if},
	{0, "reasoning", "LEVEL", "how much the model thinks",
	 .text = &reasoning},
	{0, "records", .help = "answer request records from standard input",
	 .flag = &records_mode},
	{0, "schema", "SCHEMA", "print JSON that keeps to it",
	 .text = &schema_text},
	{0, "session", "NAME", "go on with the conversation of that name",
	 .text = &session_name},
	{0, "strict", .help = "a frame or line that is malformed ends it",
	 .flag = &strict},
	{0, "timeout", "TIME", "for the whole answer", .duration = &timeout_ms},
	{0},
};

/* Old messages before the new ones. */
static int add_history(struct chat *c, struct lb_error *err)
{
	c->messages = json_array();
	if (c->session && !no_history) {
		json_auto_t *old = NULL;

		c->store = history_open(err);
		old = c->store ? history_load(c->store, c->session, err) : NULL;
		if (!old)
			return -1;
		json_array_extend(c->messages, old);
	}
	json_array_extend(c->messages, c->fresh);
	return 0;
}

static void set_limits(struct lb_model *m)
{
	if (connect_ms >= 0)
		m->connect_ms = connect_ms == INT64_MAX ? 0 : connect_ms;
	if (first_byte_ms >= 0)
		m->first_byte_ms =
			first_byte_ms == INT64_MAX ? 0 : first_byte_ms;
	if (idle_ms >= 0)
		m->idle_ms = idle_ms == INT64_MAX ? 0 : idle_ms;
}

static int print_request(const struct chat *c, struct lb_error *err)
{
	json_auto_t *wire = lb_llm_dry_run(c->models.at[0], &c->request, err);

	if (!wire)
		return lb_report(err);
	json_dumpf(wire, stdout, JSON_COMPACT);
	putchar('\n');
	return LB_OK;
}

static int run(struct chat *c)
{
	struct lb_error err;

	if (schema_text && !(c->schema = lb_schema_open(schema_text, &err)))
		return lb_report(&err);
	if (quiet_if && !(c->quiet = lb_regex_open(quiet_if, &err)))
		return lb_report(&err);
	if (lineup_open(&c->models, c->config, model_spec, &patience, &err) < 0)
		return lb_report(&err);
	for (size_t i = 0; i < c->models.n; i++)
		set_limits(c->models.at[i]);
	c->fresh = compose(&question, c->schema, &err);
	if (!c->fresh || add_history(c, &err) < 0)
		return lb_report(&err);
	c->request = (struct lb_llm_request){.messages = c->messages,
					     .options = c->options,
					     .reasoning = reasoning,
					     .stream = !no_stream,
					     .strict = strict};
	if (dry_run)
		return print_request(c, &err);
	return chat_run(c);
}

/* What cannot be meant together. */
static void check_options(void)
{
	if (session_name && proceed)
		lb_usage("--session goes on by itself; leave out -c");
	if (no_history && (session_name || proceed))
		lb_usage("--no-history keeps nothing to go on with");
	if (session_name && !*session_name)
		lb_usage("--session needs a name");
	if (records_mode && (session_name || proceed || question.attachments.n))
		lb_usage("--records takes no conversation and no attachment");
}

int chat_main(int argc, char **argv)
{
	struct lb_error err;
	struct chat c = {
		.as_json = as_json,
		.want_usage = want_usage,
		.keep = !no_history,
		.timeout_ms = timeout_ms,
		.session = session_name ? session_name
			   : proceed    ? "last"
					: NULL,
		.options = parse_settings(&settings),
		.config = lb_config_load(config_file, &err),
	};
	int code;

	check_options();
	if (!c.config) {
		code = lb_report(&err);
	} else if (records_mode) {
		if (argc > 0)
			lb_usage("--records takes no question");
		code = records_run(&(struct records){
			.config = c.config,
			.model = model_spec,
			.options = c.options,
			.patience = patience,
			.jobs = jobs,
			.max_line = (size_t)(max_line ? max_line
						      : lb_config_max_line()),
			.strict = strict,
			.dry_run = dry_run,
		});
	} else {
		question.argc = argc;
		question.argv = argv;
		code = run(&c);
	}
	chat_release(&c);
	return code;
}
