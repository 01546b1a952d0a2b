/* request.c - from what was asked for to what is run. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "box/profile.h"
#include "config/coerce.h"
#include "exec.h"

enum { LONGEST_S = 31622400 }; /* what a profile may allow */

static void set(json_t *o, const char *key, json_t *take)
{
	json_object_set_new(o, key, take);
}

/* NAME=TEXT, or NAME for what our environment has. */
static int put_env(json_t *request, struct lb_error *err)
{
	json_t *env = json_object();

	set(request, "env", env);
	for (size_t i = 0; i < options.env.n; i++) {
		const char *given = options.env.at[i], *is = strchr(given, '=');
		lb_autofree char *name =
			is ? lb_strndup(given, (size_t)(is - given))
			   : lb_strdup(given);
		const char *text = is ? is + 1 : lb_config_env(name);

		if (!text)
			return lb_fail(err, LB_USAGE,
				       "--env '%s': it is not set here", name);
		set(env, name, lb_json_text(text, strlen(text)));
	}
	return 0;
}

/* Cut ":ro" or ":rw" off; what it says. */
static const char *mode_of(char *text)
{
	size_t len = strlen(text);
	const char *mode = "rw";

	if (len > 3 && (strcmp(text + len - 3, ":ro") == 0 ||
			strcmp(text + len - 3, ":rw") == 0)) {
		mode = strcmp(text + len - 3, ":ro") == 0 ? "ro" : "rw";
		text[len - 3] = '\0';
	}
	return mode;
}

static char *real_folder(const char *path, struct lb_error *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		lb_fail_sys(err, LB_USAGE, "cannot open '%s'", path);
	return real;
}

static int put_mounts(json_t *request, struct lb_error *err)
{
	json_t *mounts = json_array();

	set(request, "extra_mounts", mounts);
	for (size_t i = 0; i < options.mounts.n; i++) {
		lb_autofree char *text = lb_strdup(options.mounts.at[i]);
		lb_autofree char *source = NULL;
		const char *mode = mode_of(text);
		char *target = strrchr(text, ':');

		if (!target)
			return lb_fail(err, LB_USAGE,
				       "--mount '%s' is not DIR:TARGET[:ro]",
				       options.mounts.at[i]);
		*target++ = '\0';
		if (*target != '/')
			return lb_fail(err, LB_USAGE,
				       "--mount '%s': the target is no "
				       "absolute path, such as /mnt/name",
				       options.mounts.at[i]);
		source = real_folder(text, err);
		if (!source)
			return -1;
		json_array_append_new(mounts, lb_json_pack("{s:s, s:s, s:s}",
							   "host_path", source,
							   "mount_path", target,
							   "mode", mode));
	}
	return 0;
}

static int put_folder(json_t *request, struct lb_error *err)
{
	lb_autofree char *text = NULL, *path = NULL;
	const char *mode;

	if (!options.folder)
		return 0;
	text = lb_strdup(options.folder);
	mode = mode_of(text);
	path = real_folder(text, err);
	if (!path)
		return -1;
	set(request, "host_path", lb_json_text(path, strlen(path)));
	set(request, "host_path_mode", json_string(mode));
	return 0;
}

static int put_numbers(json_t *request, struct lb_error *err)
{
	char *end = NULL;

	if (options.cpus) {
		double cpus = strtod(options.cpus, &end);

		if (end == options.cpus || *end || !(cpus > 0) || cpus > 4096)
			return lb_fail(err, LB_USAGE,
				       "--cpus '%s' is no number above 0",
				       options.cpus);
		set(request, "cpus", json_real(cpus));
	}
	if (options.pids)
		set(request, "pids_limit", json_integer(options.pids));
	if (options.memory)
		set(request, "memory_mb",
		    json_integer((options.memory + (1 << 20) - 1) >> 20));
	if (options.quota)
		set(request, "workspace_quota_mb",
		    json_integer((options.quota + (1 << 20) - 1) >> 20));
	return 0;
}

/* --timeout as profiles have it, rounded up. */
static int64_t seconds(void)
{
	return options.timeout_ms < INT64_MAX
		       ? (options.timeout_ms + 999) / 1000
		       : LONGEST_S;
}

/* on, off, or hosts with commas between them. */
static int put_network(json_t *request, struct lb_error *err)
{
	json_t *text, *value;

	if (!options.network)
		return 0;
	text = lb_json_text(options.network, strlen(options.network));
	err->code = LB_OK;
	value = lb_coerce_network(text, err);
	json_decref(text);
	if (value) {
		set(request, "network", value);
		return 0;
	}
	if (err->code == LB_OK)
		return lb_fail(err, LB_USAGE,
			       "--network: '%.100s' is neither on nor off, nor "
			       "hosts such as example.org,*.example.org",
			       options.network);
	err->code = LB_USAGE;
	return lb_error_wrap(err, "--network");
}

json_t *request_of_options(struct lb_error *err)
{
	json_t *request = json_object();
	lb_autofree char *workdir =
		options.workdir ? lb_box_folder_inside(options.workdir) : NULL;

	if (options.session)
		lb_json_set_str(request, "session_id", options.session,
				strlen(options.session));
	if (workdir)
		lb_json_set_str(request, "workdir", workdir, strlen(workdir));
	/* The rest of a second is given back below: a profile counts whole
	 * ones. */
	if (options.timeout_ms)
		set(request, "timeout_sec", json_integer(seconds()));
	if (put_env(request, err) == 0 && put_folder(request, err) == 0 &&
	    put_mounts(request, err) == 0 && put_network(request, err) == 0 &&
	    put_numbers(request, err) == 0)
		return request;
	json_decref(request);
	return NULL;
}

int request_skills(struct work *w, struct lb_error *err)
{
	w->skills = lb_alloc((options.skills.n + 1) * sizeof(*w->skills));
	for (size_t i = 0; i < options.skills.n; i++) {
		const char *given = options.skills.at[i];
		char *is = strchr(given, '=');
		char *path;

		if (!is || is == given)
			return lb_fail(err, LB_USAGE,
				       "--skill '%s' is not NAME=DIR", given);
		path = real_folder(is + 1, err);
		if (!path)
			return -1;
		*is = '\0'; /* argv is ours */
		w->skills[w->n_skills++] =
			(struct lb_box_skill){.name = given, .path = path};
	}
	return 0;
}

const char *request_profile(const struct work *w)
{
	const char *usual = lb_config_str(w->config, "box.local.profile");

	if (options.profile)
		return options.profile;
	return usual ? usual : "default";
}

int request_spec(struct work *w, const json_t *request, json_t *notes,
		 struct lb_box_spec *spec, struct lb_error *err)
{
	json_auto_t *whole = lb_box_profile_apply(w->config, request_profile(w),
						  request, notes, err);

	if (!whole || lb_box_spec_read(spec, whole, err) < 0)
		return -1;
	/* --timeout of less than the seconds that it was rounded up to. */
	if (spec->timeout_ms == seconds() * 1000 &&
	    options.timeout_ms < spec->timeout_ms && options.timeout_ms > 0)
		spec->timeout_ms = options.timeout_ms;
	return 0;
}
