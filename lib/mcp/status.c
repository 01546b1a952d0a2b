#include "mcp/status.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"

enum { MAX_STATUS = 16 << 20 };

static json_t *status_of(const char *word, int retries)
{
	return lb_json_pack("{s:s, s:n, s:n, s:n, s:i, s:I}", "status", word,
			    "error_message", "error_code", "error_phase",
			    "retry_count", retries, "time",
			    (json_int_t)lb_clock_now());
}

static json_t *tools_of(const json_t *tools)
{
	json_t *all = json_array(), *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)tools, i, one)
	{
		json_t *row = json_object();
		json_t *about = json_object_get(one, "description");

		json_object_set(row, "name", json_object_get(one, "name"));
		json_object_set_new(row, "description",
				    json_is_string(about) ? json_incref(about)
							  : json_string(""));
		json_object_set(row, "parameters",
				json_object_get(one, "inputSchema"));
		json_array_append_new(all, row);
	}
	return all;
}

json_t *lb_mcp_status_connected(const struct lb_mcp_client *client,
				const json_t *tools)
{
	json_t *s = status_of("connected", 0);
	const json_t *info = lb_mcp_client_info(client);

	json_object_set_new(s, "transport",
			    json_string(lb_mcp_client_transport(client)));
	json_object_set_new(s, "protocol",
			    json_string(lb_mcp_revision_name(
				    lb_mcp_client_revision(client))));
	if (info)
		json_object_set(s, "server_info", (json_t *)(uintptr_t)info);
	json_object_set(s, "resource_capabilities",
			json_object_get(lb_mcp_client_capabilities(client),
					"resources"));
	json_object_set_new(s, "tool_count",
			    json_integer((json_int_t)json_array_size(tools)));
	json_object_set_new(s, "tools", tools_of(tools));
	return s;
}

json_t *lb_mcp_status_error(enum lb_mcp_phase phase, const struct lb_error *why,
			    int retries)
{
	json_t *s = status_of("error", retries);

	lb_json_set_str(s, "error_message", why->text, strlen(why->text));
	lb_json_set_str(s, "error_code", "runtime_error", 13);
	if (lb_mcp_phase_name(phase))
		json_object_set_new(s, "error_phase",
				    json_string(lb_mcp_phase_name(phase)));
	return s;
}

json_t *lb_mcp_status_connecting(int retries)
{
	return status_of("connecting", retries);
}

static char *file_of(const char *state, const char *name, const char *end)
{
	return lb_printf("%s/mcp/status/%s%s", state, name, end);
}

void lb_mcp_status_keep(const char *state, const char *name, json_t *take)
{
	lb_autofree char *folder = lb_printf("%s/mcp/status", state);
	lb_autofree char *path = file_of(state, name, "");
	lb_autofree char *fresh = lb_printf("%s.%d", path, (int)getpid());
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *status = take;
	struct lb_error err;
	int fd;

	lb_buf_json(&text, status);
	if (lb_path_make(folder, &err) < 0)
		return;
	/* Not synced: it is worth nothing after a crash. */
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	if (fd < 0)
		return;
	if (write(fd, text.data, text.len) != (ssize_t)text.len ||
	    rename(fresh, path) < 0)
		unlink(fresh);
	close(fd);
}

static bool is_error(const json_t *status)
{
	const char *word = lb_json_str(status, "status");

	return word && strcmp(word, "error") == 0;
}

json_t *lb_mcp_status_recall(const char *state, const char *name)
{
	lb_autofree char *path = file_of(state, name, "");
	lb_autofree char *text = NULL;
	struct lb_error err;
	json_t *status;
	int64_t pid = 0;
	size_t len;

	if (access(path, F_OK) < 0 ||
	    lb_path_read(path, MAX_STATUS, &text, &len, &err) < 0)
		return NULL;
	status = json_loadb(text, len, 0, NULL);
	if (lb_json_int(status, "pid", &pid) && pid > 1 &&
	    kill((pid_t)pid, 0) < 0 && errno == ESRCH && !is_error(status))
		json_object_set_new(status, "status", json_string("unknown"));
	return status;
}

void lb_mcp_status_remove(const char *state, const char *name)
{
	lb_autofree char *path = file_of(state, name, "");

	unlink(path);
}
