/*
 * fuzz-box-spec - any JSON as what is to run: what is taken is within all
 * bounds and can be handed to exec and mount as it is. And any text as the
 * template of a session's name, with the values of that JSON.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "box/key.h"
#include "box/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

static void check_path(const char *path)
{
	lb_autofree char *again = lb_box_path(path);

	must(*path == '/' && strlen(path) < 4096 && again &&
	     strcmp(again, path) == 0);
}

static void check(const struct lb_box_spec *s)
{
	must(s->cmd && *s->cmd && strlen(s->cmd) <= LB_BOX_MAX_CMD);
	must(s->timeout_ms > 0 && s->cpus > 0 && s->memory_mb >= 32 &&
	     s->pids_limit >= 1 && s->quota_mb >= 0);
	must(!s->session ||
	     (*s->session && strlen(s->session) <= LB_BOX_MAX_SESSION));
	check_path(s->workdir);
	check_path(s->mount_path);
	if (s->host_path)
		check_path(s->host_path);
	must(!s->host_path || s->host_path_mode == LB_BOX_NONE ||
	     lb_box_is_below(s->workdir, s->mount_path));
	must(s->n_mounts <= LB_BOX_MAX_MOUNTS);
	for (size_t i = 0; i < s->n_mounts; i++) {
		check_path(s->mounts[i].host_path);
		check_path(s->mounts[i].mount_path);
		must(s->mounts[i].mode != LB_BOX_NONE);
	}
	for (size_t i = 0; s->env && s->env[i]; i++) {
		const char *is = strchr(s->env[i], '=');

		must(i < LB_BOX_MAX_ENV && is && is > s->env[i] &&
		     !memchr(s->env[i], '\n', (size_t)(is - s->env[i])));
	}
}

static void check_name(const char *template, const json_t *o)
{
	struct lb_error err;
	lb_autofree char *name = lb_box_session(template, o, &err);
	lb_autofree char *folder = name ? lb_box_folder(name) : NULL;

	if (!name) {
		must(err.code == LB_DATA || err.code == LB_CONFIG);
		return;
	}
	must(*name && strlen(name) <= LB_BOX_MAX_SESSION);
	must(*folder && *folder != '.' && strlen(folder) <= 200 &&
	     !strchr(folder, '/'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *line = memchr(text, '\n', size);
	json_auto_t *o = NULL;
	struct lb_box_spec spec = {0};
	struct lb_error err = {0};
	lb_autofree char *template = NULL;

	if (!line)
		return 0;
	template = lb_strndup(text, (size_t)(line - text));
	o = json_loadb(line + 1, size - (size_t)(line + 1 - text),
		       JSON_ALLOW_NUL, NULL);
	if (!o)
		return 0;
	check_name(template, o);
	if (lb_box_spec_read(&spec, o, &err) == 0)
		check(&spec);
	else
		must(err.code == LB_DATA && err.text[0]);
	lb_box_spec_release(&spec);
	return 0;
}
