#include "box/mounts.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/key.h"
#include "box/member.h"
#include "box/mounts-never.h"
#include "box/place.h"

/* What all mounts of a spec are judged by. */
struct judge {
	struct lb_config *config;
	enum lb_box_asker asker;
	const struct lb_box_spec *spec;
	struct lb_box_ours ours;
	char *root;
	uid_t who;
};

/* A source that is judged. */
struct source {
	const char *asked; /* as somebody wrote it */
	char *path;        /* as it really is; owned */
	struct stat st;
	bool writable;
	bool is_workspace;
};

static int refuse(const struct source *s, enum lb_exit code, const char *why,
		  struct lb_error *err)
{
	if (s->path && strcmp(s->path, s->asked) != 0)
		return lb_fail(err, code, "cannot mount '%.100s' (%.100s): %s",
			       s->asked, s->path, why);
	return lb_fail(err, code, "cannot mount '%.128s': %s", s->asked, why);
}

/* A path that some other program would read otherwise than we do. */
static bool is_odd(const char *path)
{
	return strchr(path, ':') || lb_has_control(path);
}

static int resolve(struct source *s, struct lb_error *err)
{
	if (is_odd(s->asked))
		return refuse(s, LB_DATA,
			      "a path with ':' or a control character in it",
			      err);
	s->path = realpath(s->asked, NULL);
	if (!s->path || stat(s->path, &s->st) < 0)
		return refuse(s, LB_NOINPUT, strerror(errno), err);
	if (is_odd(s->path))
		return refuse(s, LB_DENIED,
			      "its real path has ':' or a control character "
			      "in it",
			      err);
	if (S_ISDIR(s->st.st_mode))
		return 0;
	if (!S_ISREG(s->st.st_mode))
		return refuse(s, LB_DENIED,
			      "it is neither a folder nor a regular file", err);
	if (s->is_workspace)
		return refuse(s, LB_DATA,
			      "it is a file, and a workspace is a folder; a "
			      "file is mounted beside it, read-only (lb-exec "
			      "--mount=FILE:/mnt/NAME:ro)",
			      err);
	if (s->writable)
		return refuse(s, LB_DENIED,
			      "a file is only mounted read-only; name its "
			      "folder, or mount it :ro",
			      err);
	return 0;
}

/* A workspace, or something in it: whose is it? */
static int check_workspace(const struct judge *j, const struct source *s,
			   struct lb_error *err)
{
	lb_autofree char *folder =
		lb_box_folder(j->spec->session ? j->spec->session : "");
	lb_autofree char *own = lb_printf("%s/%s", j->ours.workspaces, folder);

	if (strcmp(s->path, j->ours.workspaces) == 0)
		return refuse(s, LB_DENIED,
			      "all workspaces are in it, and a sandbox sees "
			      "one of them",
			      err);
	/* No session's folder begins so: it is those of box.workspace. */
	if (s->path[strlen(j->ours.workspaces) + 1] == '.')
		return refuse(s, LB_DENIED, "it belongs to others", err);
	/* Nothing would keep .skills in its place then (run.c), while other
	 * sandboxes of the session mount there. */
	if (s->writable &&
	    !strchr(s->path + strlen(j->ours.workspaces) + 1, '/'))
		return refuse(s, LB_DENIED,
			      "it is the workspace of a session; name that "
			      "session instead",
			      err);
	if (j->asker == LB_BOX_BY_POLICY &&
	    (!j->spec->session || !lb_box_is_below(s->path, own)))
		return refuse(s, LB_DENIED,
			      "it is the workspace of another session; name "
			      "that session instead",
			      err);
	return 0;
}

static bool is_allowed(const struct judge *j, const struct source *s)
{
	const json_t *one;
	size_t i;

	if (lb_box_is_below(s->path, j->root))
		return true;
	json_array_foreach((json_t *)(uintptr_t)lb_config_get(
				   j->config, "box.local.allowed_mount_roots"),
			   i, one)
	{
		lb_autofree char *root = realpath(json_string_value(one), NULL);

		if (root && lb_box_is_below(s->path, root))
			return true;
	}
	return false;
}

/* May whoever asks have it at all? */
static int check_right(const struct judge *j, const struct source *s,
		       struct lb_error *err)
{
	bool person = j->asker == LB_BOX_BY_PERSON;

	if (is_allowed(j, s) ||
	    (person && (j->who == 0 || s->st.st_uid == j->who)))
		return 0;
	if (person)
		return refuse(s, LB_DENIED,
			      "it is not yours, and below none of "
			      "box.local.allowed_mount_roots; copy what is "
			      "needed into a folder of your own, or have it "
			      "added there",
			      err);
	return refuse(s, LB_DENIED,
		      "it is below none of box.local.allowed_mount_roots; add "
		      "it there, or mount it by a command line of your own "
		      "(lb-exec -w)",
		      err);
}

static int check_source(const struct judge *j, struct source *s,
			struct lb_error *err)
{
	struct lb_error why;

	if (resolve(s, err) < 0)
		return -1;
	if (lb_box_is_below(s->path, j->ours.workspaces)) {
		if (check_workspace(j, s, err) < 0)
			return -1;
	} else if (lb_box_is_below(s->path, j->ours.skills)) {
		if (s->writable)
			return refuse(s, LB_DENIED,
				      "skills are only mounted read-only", err);
	} else if (lb_box_never(&j->ours, s->path, &why) < 0) {
		return refuse(s, LB_DENIED, why.text, err);
	} else if (check_right(j, s, err) < 0) {
		return -1;
	}
	/* by root a sandbox is run as who owns what it may write */
	if (s->writable && j->who == 0 && s->st.st_uid == 0)
		return refuse(s, LB_DENIED,
			      "it belongs to root, and nothing in a sandbox is "
			      "ever root: chown it to whoever is to work in "
			      "it, or mount it read-only (:ro)",
			      err);
	return 0;
}

static int judge_source(const struct judge *j, char **path,
			enum lb_box_mode mode, struct lb_error *err)
{
	struct source s = {.asked = *path,
			   .writable = mode == LB_BOX_RW,
			   .is_workspace = path == &j->spec->host_path};
	int bad = check_source(j, &s, err);

	if (!bad) {
		free(*path);
		*path = lb_steal(&s.path);
	}
	free(s.path);
	return bad;
}

static int bad_target(const char *target, const char *why, struct lb_error *err)
{
	return lb_fail(err, LB_DATA, "cannot mount at '%.128s': %s", target,
		       why);
}

static bool is_inside(const char *path, const char *folder)
{
	return strcmp(path, folder) != 0 && lb_box_is_below(path, folder);
}

/* Where the sandbox has files of its own. */
static bool is_taken(const char *target)
{
	return lb_box_is_below(target, LB_BOX_WORKSPACE "/.skills") ||
	       lb_box_is_below(target, LB_BOX_WORKSPACE "/.home");
}

/*
 * Is the workspace one that commands before this one wrote to? They may have
 * put a link where something is to be mounted, to have it made elsewhere.
 */
static bool may_be_prepared(const struct lb_box_spec *spec)
{
	bool kept = spec->session ||
		    (spec->host_path && spec->host_path_mode != LB_BOX_NONE);

	return kept && spec->host_path_mode != LB_BOX_RO;
}

static int check_target(const struct lb_box_spec *spec, size_t i,
			struct lb_error *err)
{
	const char *target = spec->mounts[i].mount_path;

	if (*target != '/' || is_odd(target))
		return bad_target(target,
				  "it is no absolute path, or has ':' or a "
				  "control character in it",
				  err);
	if (!is_inside(target, spec->mount_path) && !is_inside(target, "/mnt"))
		return bad_target(target,
				  "it is neither below the workspace nor below "
				  "/mnt",
				  err);
	if (is_taken(target) || lb_box_is_below(spec->mount_path, target))
		return bad_target(target, "that place is taken", err);
	if (may_be_prepared(spec) && is_inside(target, spec->mount_path))
		return bad_target(target,
				  "a command can put something else in its "
				  "place, as the workspace is kept and can be "
				  "written to; mount it below /mnt",
				  err);
	for (size_t j = 0; j < i; j++) {
		const char *other = spec->mounts[j].mount_path;

		if (strcmp(other, target) == 0)
			return bad_target(target, "two are to be there", err);
		if (lb_box_is_below(other, target) ||
		    lb_box_is_below(target, other))
			return bad_target(target,
					  "one of two is to be in the other",
					  err);
	}
	return 0;
}

static int check_all(struct judge *j, struct lb_box_spec *spec,
		     struct lb_error *err)
{
	if (strcmp(spec->mount_path, LB_BOX_WORKSPACE) != 0 &&
	    (is_odd(spec->mount_path) || is_taken(spec->mount_path) ||
	     (!is_inside(spec->mount_path, LB_BOX_WORKSPACE) &&
	      !is_inside(spec->mount_path, "/mnt"))))
		return bad_target(spec->mount_path,
				  "the workspace is at or below /workspace, or "
				  "below /mnt",
				  err);
	for (size_t i = 0; i < spec->n_mounts; i++)
		if (check_target(spec, i, err) < 0)
			return -1;
	if (spec->host_path && spec->host_path_mode != LB_BOX_NONE &&
	    judge_source(j, &spec->host_path, spec->host_path_mode, err) < 0)
		return -1;
	for (size_t i = 0; i < spec->n_mounts; i++)
		if (judge_source(j, &spec->mounts[i].host_path,
				 spec->mounts[i].mode, err) < 0)
			return -1;
	return 0;
}

/* Is a source of the asker's mounted at all? */
static bool has_sources(const struct lb_box_spec *spec)
{
	return spec->n_mounts > 0 ||
	       (spec->host_path && spec->host_path_mode != LB_BOX_NONE);
}

/* The real path of a folder that need not be there yet. */
static char *real(char *take)
{
	char *path = realpath(take, NULL);

	if (!path)
		return take;
	free(take);
	return path;
}

int lb_box_mounts_check(struct lb_config *config, const char *state,
			enum lb_box_asker asker, struct lb_box_spec *spec,
			struct lb_error *err)
{
	struct judge j = {.config = config, .asker = asker, .spec = spec};
	int bad;

	if (!has_sources(spec))
		return check_all(&j, spec, err);
	j.root = real(lb_box_base(config, state));
	j.who = geteuid();
	j.ours.state = real(lb_strdup(state));
	j.ours.root = j.root;
	j.ours.workspaces = real(lb_box_workspaces(config, state));
	j.ours.skills = real(lb_box_skills(config, state));
	bad = check_all(&j, spec, err);
	free(j.root);
	free(j.ours.state);
	free(j.ours.workspaces);
	free(j.ours.skills);
	return bad;
}
