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

const char *option_of(const char *field, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].field) == len &&
		    strncmp(names[i].field, field, len) == 0)
			return names[i].option;
	return NULL;
}

void blame_option(struct lb_error *err)
{
	static const char start[] = "field '";
	const char *field = err->text + sizeof(start) - 1;
	const char *option;

	if (strncmp(err->text, start, sizeof(start) - 1) != 0)
		return;
	option = option_of(field, strcspn(field, "'."));
	if (option) {
		lb_autofree char *text =
			lb_printf("%s%s", option,
				  field + strcspn(field, "'") + 1);

		lb_fail(err, err->code, "%s", text);
	}
}
