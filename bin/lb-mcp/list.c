/* lb-mcp list */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "mcp.h"
#include "mcp/status.h"

static const char *config_file, *from;
static bool json;

const struct lb_opt list_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{'f', "from", "FILE", "list an mcpServers file", .text = &from},
	{0, "json", NULL, "write records to a terminal too", .flag = &json},
	{0},
};

/* For people: the command, or the URL without what may be a key. */
static void put_where(json_t *row, const struct lb_mcp_server *s)
{
	lb_autobuf struct lb_buf text = {0};

	if (s->url)
		lb_buf_put(&text, s->url, strcspn(s->url, "?#"));
	else
		lb_buf_puts(&text, s->command);
	for (char **a = s->args; a && *a; a++)
		lb_buf_printf(&text, " %s", *a);
	lb_json_set_str(row, "where", text.data, text.len);
}

static json_t *row_of(const struct office *o, const char *name,
		      const json_t *entity)
{
	struct lb_mcp_server s;
	struct lb_error err;
	json_t *row =
		lb_json_pack("{s:s, s:s}", "kind", "mcp_server", "name", name);
	json_auto_t *status =
		o->file ? NULL : lb_mcp_status_recall(o->state, name);

	if (lb_mcp_server_read(&s, name, entity, &err) < 0) {
		json_object_set_new(row, "status", json_string("invalid"));
		lb_json_set_str(row, "error_message", err.text,
				strlen(err.text));
		lb_json_set_str(row, "where", err.text, strlen(err.text));
		return row;
	}
	json_object_set_new(row, "mode", json_string(lb_mcp_mode_name(s.mode)));
	json_object_set_new(row, "enable", json_boolean(s.enable));
	if (s.mode == LB_MCP_STDIO)
		json_object_set_new(row, "host",
				    json_boolean(s.on_host && !o->file));
	put_where(row, &s);
	json_object_update_missing(row, status);
	if (!s.enable)
		json_object_set_new(row, "status", json_string("disabled"));
	else if (!status)
		json_object_set_new(row, "status", json_string("unknown"));
	if (!status)
		json_object_set_new(row, "retry_count", json_integer(0));
	lb_mcp_server_release(&s);
	return row;
}

int list_verb(int argc, char **argv)
{
	static const char *const columns[] = {"name", "mode", "status", "where",
					      NULL};
	struct lb_table *table;
	struct lb_error err;
	struct office o;
	const char *name;
	json_t *entity;
	int r = office_open(&o, config_file, from, &err);

	(void)argc;
	(void)argv;
	if (r == 0) {
		table = lb_table_open(columns, json);
		json_object_foreach((json_t *)(uintptr_t)o.servers, name,
				    entity)
		{
			lb_table_row(table, row_of(&o, name, entity));
		}
		lb_table_close(table);
	}
	office_close(&o);
	return r < 0 ? lb_report(&err) : LB_OK;
}
