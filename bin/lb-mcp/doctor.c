/* lb-mcp doctor */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "mcp.h"
#include "mcp/shelf.h"

enum { MAX_SAID = 64 << 10, PROBE_MS = 15 * 1000 };

static const char *config_file;
static bool json;

const struct lb_opt doctor_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{0, "json", NULL, "write records to a terminal too", .flag = &json},
	{0},
};

struct patient {
	struct office *office;
	struct lb_table *table;
	const char *name;
	bool bad;
};

/* `why` NULL: it is as it should be. */
static void found(struct patient *p, const char *what, const char *why)
{
	json_t *row =
		lb_json_pack("{s:s, s:s, s:s, s:b}", "kind", "check", "server",
			     p->name, "check", what, "ok", !why);

	lb_json_set_str(row, "found", why ? why : "good",
			strlen(why ? why : "good"));
	lb_table_row(p->table, row);
	p->bad = p->bad || why;
}

/* What refers to the environment or a file refers to something. */
static void check_secrets(struct patient *p, const json_t *texts,
			  const char *what)
{
	const char *key;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)texts, key, one)
	{
		struct lb_error err;
		lb_autofree char *text =
			lb_config_secret(json_string_value(one), &err);

		if (!text) {
			lb_error_wrap(&err, "%s", key);
			found(p, what, err.text);
		}
	}
}

static void check_sandbox(struct patient *p)
{
	lb_autofree char *bin = lb_path_program();
	lb_autofree char *exec = lb_printf("%s/lb-exec", bin);
	char end[] = "--", program[] = "true", quiet[] = "-q";
	char *argv[] = {exec, quiet, end, program, NULL};
	lb_autobuf struct lb_buf out = {0};
	struct lb_error err;

	found(p, "sandbox",
	      lb_proc_capture(argv, MAX_SAID, PROBE_MS, &out, &err) == 0
		      ? NULL
		      : "there is none; 'lb-box doctor' says why");
}

static void check_program(struct patient *p, const struct lb_mcp_server *s)
{
	lb_autofree char *path = program_path(s->command);

	if (!json_is_true(
		    lb_config_get(p->office->config, "mcp.stdio.enabled"))) {
		found(p, "policy",
		      "programs are switched off (mcp.stdio.enabled)");
		return;
	}
	/* In the sandbox there is what is in /usr here. */
	if (strncmp(s->command, "/mnt/", 5) != 0 &&
	    strncmp(s->command, "/workspace/", 11) != 0)
		found(p, "program", path ? NULL : "it is not there");
	if (!s->on_host)
		check_sandbox(p);
}

static void check_connection(struct patient *p)
{
	struct line line;
	lb_autofree char *why = NULL, *hint = NULL;

	reach.config = config_file;
	if (line_try(&line, p->name) < 0) {
		if (line.client)
			hint = program_hint(&line.server, line.phase,
					    &line.why);
		why = line.client && lb_mcp_phase_name(line.phase)
			      ? lb_printf("%s (%s)%s%s", line.why.text,
					  lb_mcp_phase_name(line.phase),
					  hint ? "; " : "", hint ? hint : "")
			      : lb_strdup(line.why.text);
	}
	found(p, "connection", why);
	line_close(&line);
}

static void check_server(struct patient *p)
{
	const json_t *entity = json_object_get(p->office->servers, p->name);
	struct lb_mcp_server s;
	struct lb_error err;

	if (!entity) {
		found(p, "entity", "there is no such server");
		return;
	}
	if (lb_mcp_name_check(p->name, &err) < 0 ||
	    lb_mcp_server_read(&s, p->name, entity, &err) < 0) {
		found(p, "entity", err.text);
		return;
	}
	found(p, "entity", NULL);
	if (s.enable) {
		check_secrets(p, s.env, "env");
		check_secrets(p, s.headers, "headers");
		if (s.mode == LB_MCP_STDIO)
			check_program(p, &s);
		check_connection(p);
	} else {
		found(p, "enabled", "it is disabled");
	}
	lb_mcp_server_release(&s);
}

static void each(struct patient *p, char **names)
{
	const char *name;
	json_t *one;

	for (; *names; names++) {
		p->name = *names;
		check_server(p);
	}
	if (p->name)
		return;
	json_object_foreach((json_t *)(uintptr_t)p->office->servers, name, one)
	{
		p->name = name;
		check_server(p);
	}
}

int doctor_verb(int argc, char **argv)
{
	static const char *const columns[] = {"server", "check", "found", NULL};
	struct office o;
	struct patient p = {.office = &o};
	struct lb_error err;
	int r = office_open(&o, config_file, NULL, &err);

	(void)argc;
	if (r == 0) {
		p.table = lb_table_open(columns, json);
		each(&p, argv);
		lb_table_close(p.table);
	}
	office_close(&o);
	return r < 0 ? lb_report(&err) : p.bad ? LB_NO : LB_OK;
}
