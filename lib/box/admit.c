#include "box/admit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "box/driver.h"
#include "box/member.h"
#include "box/place.h"

/* Whoever sets these decides who somebody is and what he may have. */
static const char *const hosts_own[] = {
	"workspace",
	"profile",
	"plan",
	"subscription",
	"managed_sandbox",
	"entitlement",
	"entitlement_revision",
	"max_sessions",
	"max_managed_processes",
	"backend",
	NULL,
};

const char *lb_box_workspace(const struct lb_config *config)
{
	const char *name = lb_config_str(config, "box.workspace");

	return name && *name ? name : NULL;
}

int lb_box_admit_request(const struct lb_config *config, const json_t *request,
			 struct lb_error *err)
{
	const char *workspace = lb_box_workspace(config);
	const json_t *network = lb_member(request, "network");
	const char *word = json_string_value(network);

	if (!workspace)
		return 0;
	for (size_t i = 0; hosts_own[i]; i++)
		if (lb_member(request, hosts_own[i]))
			return lb_fail(err, LB_DENIED,
				       "field '%s' is the host's: in workspace "
				       "'%s' nobody else may set it",
				       hosts_own[i], workspace);
	if (network && (!word || strcmp(word, "off") != 0))
		return lb_fail(err, LB_DENIED,
			       "field 'network': there is none in workspace "
			       "'%s'",
			       workspace);
	return 0;
}

static bool is_in(const char *path, const char *folder)
{
	lb_autofree char *real = realpath(folder, NULL);

	return real && lb_box_is_below(path, real) && strcmp(path, real) != 0;
}

/* Is it one of the operator's, or a copy that is the tenant's own? */
static bool may_have(struct lb_config *config, const char *state,
		     const struct lb_box_skill *skill)
{
	lb_autofree char *path = realpath(skill->path, NULL);
	lb_autofree char *own = lb_box_workspaces(config, state);
	lb_autofree char *store = lb_box_skills(config, state);
	const json_t *one;
	size_t i;

	if (!path || is_in(path, own))
		return path != NULL;
	if (skill->writable)
		return false;
	json_array_foreach((json_t *)(uintptr_t)lb_config_get(config,
							      "skills.paths"),
			   i, one)
	{
		lb_autofree char *more =
			lb_config_beside(config, json_string_value(one));

		if (is_in(path, more))
			return true;
	}
	return is_in(path, store);
}

static int admit_skills(struct lb_config *config, const char *state,
			const struct lb_box_job *job, struct lb_error *err)
{
	for (size_t i = 0; i < job->n_skills; i++)
		if (!may_have(config, state, &job->skills[i]))
			return lb_fail(err, LB_DENIED,
				       "skill '%.64s': in workspace '%s' only "
				       "skills of the store are mounted, "
				       "read-only",
				       job->skills[i].name,
				       lb_box_workspace(config));
	return 0;
}

const char *lb_box_skills_mode(const struct lb_config *config)
{
	const char *mode = lb_config_str(config, "box.skills_mode");

	if (!mode || (lb_box_workspace(config) && strcmp(mode, "rw") == 0))
		return "ro";
	return mode;
}

int lb_box_admit_job(struct lb_config *config, const char *state,
		     const struct lb_box_job *job,
		     const struct lb_box_driver *driver, struct lb_error *err)
{
	const char *workspace = lb_box_workspace(config);
	const struct lb_box_spec *spec = job->spec;
	const char *what = NULL;

	if (!workspace)
		return 0;
	if (!driver->isolates)
		what = "commands run in a sandbox alone";
	else if (driver->is_remote)
		what = "commands run on this machine: another one knows of no "
		       "workspaces";
	else if (spec->network != LB_BOX_OFF)
		what = "there is no network";
	else if (spec->host_path || spec->n_mounts > 0)
		what = "no folder of this machine is mounted";
	else if (strcmp(spec->mount_path, LB_BOX_WORKSPACE) != 0)
		what = "files are at " LB_BOX_WORKSPACE ", and nowhere else";
	else if (!lb_box_is_below(spec->workdir, LB_BOX_WORKSPACE))
		what = "commands begin in or below " LB_BOX_WORKSPACE;
	if (what)
		return lb_fail(err, LB_DENIED, "in workspace '%s' %s",
			       workspace, what);
	return admit_skills(config, state, job, err);
}
