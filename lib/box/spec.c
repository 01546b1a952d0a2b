#include "box/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/host.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "box/member.h"

enum {
	MAX_TIMEOUT = 366 * 24 * 3600, /* s */
	MAX_MEMORY = 16 * 1024 * 1024, /* MiB, as MAX_QUOTA */
	MAX_QUOTA = 16 * 1024 * 1024,
	MAX_PIDS = 4 * 1024 * 1024, /* what Linux can count */
	MAX_CPUS = 1024,
	MAX_IMAGE = 512,
	MAX_SKILL = 64, /* characters */
	/* what the kernel takes as one string of a program's start, and what
	 * is likely to fit in all */
	MAX_VARIABLE = 128 * 1024 - 1,
	MAX_VARIABLES = 1024 * 1024,
};

static const char *const networks[] = {"off", "on", NULL};
static const char *const modes[] = {"none", "ro", "rw", NULL};

char *lb_box_path(const char *path)
{
	lb_autobuf struct lb_buf out = {0};

	if (*path != '/' || lb_has_control(path))
		return NULL;
	while (*path) {
		size_t len;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len == 2 && path[0] == '.' && path[1] == '.') {
			while (out.len > 0 && out.data[--out.len] != '/')
				;
		} else if (len > 1 || (len == 1 && *path != '.')) {
			lb_buf_putc(&out, '/');
			lb_buf_put(&out, path, len);
		}
		path += len;
	}
	if (out.len == 0)
		lb_buf_putc(&out, '/');
	out.data[out.len] = '\0';
	return lb_buf_take(&out);
}

char *lb_box_folder_inside(const char *path)
{
	if (!*path || *path == '/')
		return lb_strdup(path);
	return lb_printf("%s/%s", LB_BOX_WORKSPACE, path);
}

bool lb_box_is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	if (strcmp(folder, "/") == 0)
		return *path == '/';
	return strncmp(path, folder, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0');
}

/* What a shell takes as a name; no '=' and nothing that ends a line. */
static bool is_variable(const char *name)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz_";

	return *name && strchr(first, *name) &&
	       !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz_0123456789")];
}

/* A name that is none, as it may stand in an error. */
static char *shown(const char *name)
{
	lb_autobuf struct lb_buf out = {0};

	lb_buf_put(&out, name, lb_utf8_cut(name, strlen(name), 64));
	for (size_t i = 0; i < out.len; i++)
		if ((unsigned char)out.data[i] < ' ' || out.data[i] == 0x7f)
			out.data[i] = '?';
	return lb_buf_take(&out);
}

static int add_variable(struct lb_box_spec *spec, size_t n, const char *name,
			const json_t *value, struct lb_error *err)
{
	const char *text = json_string_value(value);
	lb_autofree char *as = shown(name);

	if (!is_variable(name))
		return lb_fail(err, LB_DATA,
			       "field 'env': '%s' is no name of a variable",
			       as);
	if (!text)
		return lb_fail(err, LB_DATA, "field 'env.%s' is not a string",
			       as);
	if (strlen(text) != json_string_length(value))
		return lb_fail(err, LB_DATA, "field 'env.%s' holds a NUL", as);
	if (strlen(name) + 1 + strlen(text) > MAX_VARIABLE)
		return lb_fail(err, LB_DATA,
			       "field 'env.%s' is longer than %d bytes", as,
			       MAX_VARIABLE);
	spec->env[n] = lb_printf("%s=%s", name, text);
	return 0;
}

static int read_env(struct lb_box_spec *spec, const json_t *o,
		    struct lb_error *err)
{
	const json_t *env = lb_member(o, "env"), *value;
	const char *name;
	size_t n = 0, bytes = 0;

	if (!env)
		return 0;
	if (!json_is_object(env))
		return lb_fail(err, LB_DATA, "field 'env' is not an object");
	if (json_object_size(env) > LB_BOX_MAX_ENV)
		return lb_fail(err, LB_DATA,
			       "field 'env' has more than %d variables",
			       LB_BOX_MAX_ENV);
	spec->env = lb_alloc((json_object_size(env) + 1) * sizeof(*spec->env));
	json_object_foreach((json_t *)(uintptr_t)env, name, value)
	{
		if (add_variable(spec, n, name, value, err) < 0)
			return -1;
		bytes += strlen(spec->env[n++]) + 1;
	}
	if (bytes > MAX_VARIABLES)
		return lb_fail(err, LB_DATA,
			       "field 'env' is longer than %d bytes in all",
			       MAX_VARIABLES);
	return 0;
}

static void release_mount(struct lb_box_mount *mount)
{
	free(mount->host_path);
	free(mount->mount_path);
	*mount = (struct lb_box_mount){0};
}

static int read_mount(struct lb_box_mount *mount, const json_t *o,
		      struct lb_error *err)
{
	int mode = LB_BOX_RW;

	if (!json_is_object(o))
		return lb_fail(err, LB_DATA, "is not an object");
	if (lb_member_path(o, "host_path", &mount->host_path, err) < 0 ||
	    lb_member_path(o, "mount_path", &mount->mount_path, err) < 0 ||
	    lb_member_word(o, "mode", modes, &mode, err) < 0)
		return -1;
	mount->mode = (enum lb_box_mode)mode;
	if (!mount->host_path || !mount->mount_path)
		return lb_fail(err, LB_DATA, "field '%s' is missing",
			       mount->host_path ? "mount_path" : "host_path");
	return 0;
}

/* A mount of mode "none" is none. */
static int read_mounts(struct lb_box_spec *spec, const json_t *o,
		       struct lb_error *err)
{
	const json_t *list = lb_member(o, "extra_mounts"), *one;
	size_t i;

	if (!list)
		return 0;
	if (!json_is_array(list))
		return lb_fail(err, LB_DATA,
			       "field 'extra_mounts' is not a list");
	if (json_array_size(list) > LB_BOX_MAX_MOUNTS)
		return lb_fail(err, LB_DATA,
			       "field 'extra_mounts' has more than %d mounts",
			       LB_BOX_MAX_MOUNTS);
	spec->mounts =
		lb_alloc((json_array_size(list) + 1) * sizeof(*spec->mounts));
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		struct lb_box_mount *mount = &spec->mounts[spec->n_mounts];

		if (read_mount(mount, one, err) < 0) {
			release_mount(mount);
			return lb_error_wrap(err, "field 'extra_mounts.%zu'",
					     i);
		}
		if (mount->mode == LB_BOX_NONE)
			release_mount(mount);
		else
			spec->n_mounts++;
	}
	return 0;
}

/* {"allow": [...]}; no host at all is no network. */
static int read_hosts(struct lb_box_spec *spec, const json_t *o,
		      struct lb_error *err)
{
	const json_t *list = json_object_get(o, "allow"), *one;
	size_t n = json_array_size(list), i;

	if (!json_is_array(list) || json_object_size(o) != 1)
		return lb_fail(err, LB_DATA,
			       "field 'network' is not off, on or {\"allow\": "
			       "[...]}");
	if (n > LB_BOX_MAX_HOSTS)
		return lb_fail(err, LB_DATA,
			       "field 'network.allow' has more than %d hosts",
			       LB_BOX_MAX_HOSTS);
	spec->network = n > 0 ? LB_BOX_LISTED : LB_BOX_OFF;
	spec->hosts = lb_alloc((n + 1) * sizeof(*spec->hosts));
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *rule = json_string_value(one);

		if (!rule || strlen(rule) != json_string_length(one))
			return lb_fail(err, LB_DATA,
				       "field 'network.allow.%zu' is no host",
				       i);
		if (lb_host_rule_check(rule, err) < 0)
			return lb_error_wrap(err, "field 'network.allow.%zu'",
					     i);
		spec->hosts[i] = lb_strdup(rule);
	}
	return 0;
}

static int read_network(struct lb_box_spec *spec, const json_t *o,
			struct lb_error *err)
{
	const json_t *value = lb_member(o, "network");
	int network = LB_BOX_OFF;

	if (json_is_object(value))
		return read_hosts(spec, value, err);
	if (lb_member_word(o, "network", networks, &network, err) < 0)
		return -1;
	spec->network = (enum lb_box_network)network;
	return 0;
}

static int check_skill(char **name, struct lb_error *err)
{
	if (!*name || !**name) {
		free(*name);
		*name = NULL;
		return 0;
	}
	if (lb_utf8_count(*name, strlen(*name)) <= MAX_SKILL &&
	    lb_is_word(*name))
		return 0;
	return lb_fail(err, LB_DATA,
		       "field 'skill_name' is no name of a skill: at most %d "
		       "letters, digits, '-' and '_'",
		       MAX_SKILL);
}

static int read_names(struct lb_box_spec *spec, const json_t *o,
		      struct lb_error *err)
{
	if (lb_member_text(o, "session_id", LB_BOX_MAX_SESSION, &spec->session,
			   err) < 0 ||
	    lb_member_text(o, "image", MAX_IMAGE, &spec->image, err) < 0 ||
	    lb_member_text(o, "skill_name", MAX_SKILL * 4, &spec->skill_name,
			   err) < 0)
		return -1;
	if (spec->session && !*spec->session)
		return lb_fail(err, LB_DATA, "field 'session_id' is empty");
	if (spec->session && lb_has_control(spec->session))
		return lb_fail(err, LB_DATA,
			       "field 'session_id' holds a control character");
	if (spec->image && (*spec->image == '-' || lb_has_control(spec->image)))
		return lb_fail(err, LB_DATA,
			       "field 'image' is no name of an image");
	if (spec->image && !*spec->image) {
		free(spec->image);
		spec->image = NULL;
	}
	return check_skill(&spec->skill_name, err);
}

static int read_limits(struct lb_box_spec *spec, const json_t *o,
		       struct lb_error *err)
{
	int64_t seconds = 30;

	spec->cpus = 1.0;
	spec->memory_mb = 512;
	spec->pids_limit = 128;
	spec->read_only_rootfs = true;
	if (lb_member_whole(o, "timeout_sec", 1, MAX_TIMEOUT, &seconds, err) <
		    0 ||
	    lb_member_number(o, "cpus", MAX_CPUS, &spec->cpus, err) < 0 ||
	    lb_member_whole(o, "memory_mb", 32, MAX_MEMORY, &spec->memory_mb,
			    err) < 0 ||
	    lb_member_whole(o, "pids_limit", 1, MAX_PIDS, &spec->pids_limit,
			    err) < 0 ||
	    lb_member_whole(o, "workspace_quota_mb", 0, MAX_QUOTA,
			    &spec->quota_mb, err) < 0 ||
	    lb_member_bool(o, "read_only_rootfs", &spec->read_only_rootfs,
			   err) < 0 ||
	    lb_member_bool(o, "persistent", &spec->persistent, err) < 0)
		return -1;
	spec->timeout_ms = seconds * 1000;
	return 0;
}

static int read_paths(struct lb_box_spec *spec, const json_t *o,
		      struct lb_error *err)
{
	int mode = LB_BOX_RW;

	spec->mount_path = lb_strdup(LB_BOX_WORKSPACE);
	if (lb_member_path(o, "mount_path", &spec->mount_path, err) < 0 ||
	    lb_member_path(o, "workdir", &spec->workdir, err) < 0 ||
	    lb_member_path(o, "host_path", &spec->host_path, err) < 0 ||
	    lb_member_word(o, "host_path_mode", modes, &mode, err) < 0)
		return -1;
	spec->host_path_mode = (enum lb_box_mode)mode;
	if (!spec->workdir)
		spec->workdir = lb_strdup(spec->mount_path);
	if (spec->host_path && mode != LB_BOX_NONE &&
	    !lb_box_is_below(spec->workdir, spec->mount_path))
		return lb_fail(err, LB_DATA,
			       "field 'workdir': '%.128s' is not below "
			       "'%.128s', where the host path is",
			       spec->workdir, spec->mount_path);
	return read_mounts(spec, o, err);
}

int lb_box_spec_read(struct lb_box_spec *spec, const json_t *o,
		     struct lb_error *err)
{
	if (!json_is_object(o))
		return lb_fail(err, LB_DATA, "it is not an object");
	if (lb_member_text(o, "cmd", LB_BOX_MAX_CMD, &spec->cmd, err) < 0)
		return -1;
	if (!spec->argv && (!spec->cmd || !*spec->cmd))
		return lb_fail(err, LB_DATA, "field 'cmd' is %s",
			       spec->cmd ? "empty" : "missing");
	if (spec->cmd && !*spec->cmd) {
		free(spec->cmd);
		spec->cmd = NULL;
	}
	if (read_names(spec, o, err) < 0 || read_limits(spec, o, err) < 0 ||
	    read_paths(spec, o, err) < 0 || read_network(spec, o, err) < 0)
		return -1;
	return read_env(spec, o, err);
}

static void release_texts(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}

void lb_box_spec_release(struct lb_box_spec *spec)
{
	free(spec->cmd);
	release_texts(spec->argv);
	free(spec->workdir);
	free(spec->session);
	release_texts(spec->env);
	release_texts(spec->hosts);
	free(spec->image);
	free(spec->host_path);
	free(spec->mount_path);
	for (size_t i = 0; i < spec->n_mounts; i++)
		release_mount(&spec->mounts[i]);
	free(spec->mounts);
	free(spec->skill_name);
	*spec = (struct lb_box_spec){0};
}
