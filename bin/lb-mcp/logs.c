/* lb-mcp logs */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "mcp.h"
#include "mcp/log-file.h"
#include "mcp/shelf.h"

static const char *config_file, *level;
static long limit = 200;
static bool json;

const struct lb_opt logs_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{0, "json", NULL, "write lines of JSON", .flag = &json},
	{0, "level", "LEVEL", "only lines of error, warning, info or debug",
	 .text = &level},
	{'n', "limit", "N", "the last N lines (default 200)", .number = &limit,
	 .min = 1, .max = 100000},
	{0},
};

/* A server says it in words, if at all. */
static const char *level_of(const char *text, size_t len)
{
	static const struct {
		const char *word, *level;
	} words[] = {
		{"ERROR", "error"},  {"CRITICAL", "error"}, {"FATAL", "error"},
		{"WARN", "warning"}, {"DEBUG", "debug"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(text, len, words[i].word, strlen(words[i].word)))
			return words[i].level;
	return "info";
}

static void show(const char *line, size_t len)
{
	size_t blank = strcspn(line, " ");
	const char *text = line + blank + 1, *is;
	json_t *row;

	if (blank >= len)
		return;
	len -= blank + 1;
	is = level_of(text, len);
	if (level && strcmp(level, is) != 0)
		return;
	if (!json) {
		put_text(line, blank + 1 + len);
		return;
	}
	row = lb_json_pack("{s:s%, s:s}", "ts", line, blank, "level", is);
	lb_json_set_str(row, "text", text, len);
	put_json(row);
	json_decref(row);
}

/* Where the last `limit` lines begin. */
static const char *beginning(const struct lb_buf *b)
{
	const char *p = b->data + b->len;
	long n = limit;

	while (p > b->data && (p[-1] != '\n' || n-- > 0))
		p--;
	return p;
}

static int print(const struct office *o, const char *name, struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};

	if (lb_log_file_read(o->state, name, &text, err) < 0) {
		if (err->code != LB_NOINPUT)
			return -1;
		if (!json_object_get(o->servers, name))
			return lb_fail(err, LB_NOINPUT,
				       "there is no server '%.60s'; 'lb-mcp "
				       "list' names them",
				       name);
		lb_tell(NULL, "%s", err->text);
		return 0;
	}
	for (const char *p = beginning(&text), *end;
	     (end = strchr(p, '\n')) != NULL; p = end + 1)
		show(p, (size_t)(end - p));
	return 0;
}

int logs_verb(int argc, char **argv)
{
	struct lb_error err;
	struct office o;
	int r = office_open(&o, config_file, NULL, &err);

	(void)argc;
	if (r == 0 && (r = lb_mcp_name_check(argv[0], &err)) == 0)
		r = print(&o, argv[0], &err);
	office_close(&o);
	return r < 0 ? lb_report(&err) : LB_OK;
}
