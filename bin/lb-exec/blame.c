/* blame.c - what is wrong with a request, as who typed it knows it. */
#include <string.h>

#include "base/mem.h"
#include "exec.h"

static const struct {
	const char *field, *option;
} names[] = {
	{"session_id", "--session"},
	{"workdir", "--workdir"},
	{"host_path", "--workspace-dir"},
	{"extra_mounts", "--mount"},
	{"env", "--env"},
	{"network", "--network"},
	{"timeout_sec", "--timeout"},
	{"cpus", "--cpus"},
	{"memory_mb", "--memory (MiB)"},
	{"pids_limit", "--pids"},
	{"workspace_quota_mb", "--quota (MiB)"},
};

void blame_option(struct lb_error *err)
{
	static const char start[] = "field '";
	const char *field = err->text + sizeof(start) - 1;
	size_t len;

	if (strncmp(err->text, start, sizeof(start) - 1) != 0)
		return;
	len = strcspn(field, "'.");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		lb_autofree char *rest = NULL;

		if (strlen(names[i].field) != len ||
		    strncmp(names[i].field, field, len) != 0)
			continue;
		rest = lb_printf("%s%s", names[i].option,
				 field + strcspn(field, "'") + 1);
		lb_fail(err, err->code, "%s", rest);
		return;
	}
}
