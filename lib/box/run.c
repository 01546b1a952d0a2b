#include "box/run.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/proc.h"
#include "box/admit.h"
#include "box/place.h"
#include "box/reap.h"

static void forget(const struct lb_box_run *run, pid_t pid)
{
	if (run->box->guard && !run->x.group && pid > 0)
		lb_guard_forget(run->box->guard, pid);
}

void lb_run_dismiss_guard(struct lb_box_run *run)
{
	forget(run, run->x.pid);
	forget(run, run->report.child);
	run->x.pid = 0;
	run->report.child = 0;
	if (run->box->guard)
		lb_guard_dismiss(run->box->guard);
}

void lb_run_free(struct lb_box_run *run)
{
	forget(run, run->x.pid);
	forget(run, run->report.child);
	lb_bridge_end(&run->bridge);
	lb_box_stream_close(&run->out);
	lb_box_stream_close(&run->err);
	lb_box_feed_close(&run->feed);
	if (run->has_session)
		lb_box_session_close(&run->session);
	for (int i = 0; i < LB_RUN_SOURCES; i++)
		free(run->targets[i]);
	if (run->x.status >= 0)
		close(run->x.status);
	if (run->x.ready >= 0)
		close(run->x.ready);
	if (run->pidfd >= 0)
		close(run->pidfd);
	if (run->child_fd >= 0)
		close(run->child_fd);
	free(run->home);
	json_decref(run->report.answer);
	if (run->measured >= 0)
		close(run->measured);
	if (run->disk >= 0)
		close(run->disk);
	lb_box_end_group(run->box, &run->group);
	lb_box_result_release(&run->result);
	free(run);
}

/* The next source: as it is now, which is as it has to be later. */
static int add_source(struct lb_box_run *run, const char *path,
		      const char *target, enum lb_box_mode mode,
		      struct lb_error *err)
{
	struct lb_box_source *s = &run->sources[run->x.n_sources];
	struct stat st;

	if (run->x.n_sources == LB_RUN_SOURCES)
		return lb_fail(err, LB_DATA, "there are too many mounts");
	if (lstat(path, &st) < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot mount '%s'", path);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return lb_fail(err, LB_DENIED,
			       "cannot mount '%s': it is neither a folder nor "
			       "a file",
			       path);
	*s = (struct lb_box_source){
		.path = path,
		.target = target,
		.mode = mode,
		.is_file = S_ISREG(st.st_mode),
		.dev = st.st_dev,
		.ino = st.st_ino,
	};
	run->x.n_sources++;
	return 0;
}

/* A folder of ours in a workspace, whatever somebody inside put there. */
static int own_folder(const struct lb_box_run *run, const char *name,
		      struct lb_error *err)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS,
	};
	const struct lb_box_session *s = &run->session;
	lb_autofree char *aside =
		lb_printf("%s.%lld.aside", name, (long long)lb_clock_now());
	int fd = (int)syscall(SYS_openat2, s->workspace_fd, name, &how,
			      sizeof(how));

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
		return lb_fail_sys(err, LB_IO, "cannot open '%s/%s'",
				   s->workspace, name);
	if (errno != ENOENT &&
	    renameat(s->workspace_fd, name, s->workspace_fd, aside) < 0)
		return lb_fail_sys(err, LB_IO, "cannot move '%s/%s' away",
				   s->workspace, name);
	if (mkdirat(s->workspace_fd, name, 0755) < 0 && errno != EEXIST)
		return lb_fail_sys(err, LB_IO, "cannot make '%s/%s'",
				   s->workspace, name);
	fd = (int)syscall(SYS_openat2, s->workspace_fd, name, &how,
			  sizeof(how));
	if (fd < 0 ||
	    (s->drop && fchownat(fd, "", s->uid, s->gid, AT_EMPTY_PATH) < 0)) {
		lb_fail_sys(err, LB_IO, "cannot make '%s/%s'", s->workspace,
			    name);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(fd);
	return 0;
}

/* A file system keeps the size that it was made with. */
static void note_quota(const struct lb_box_run *run)
{
	long long asked = run->job.spec->quota_mb, is = run->session.quota_mb;

	if (run->session.quota != LB_BOX_QUOTA_HARD || asked <= 0 ||
	    asked == is)
		return;
	json_array_append_new(
		run->result.notes,
		json_sprintf("workspace_quota_mb: %lld was asked for, and this "
			     "session's workspace was made with %lld",
			     asked, is));
}

/* Where the workspace comes from, and who works in it. */
static int take_workspace(struct lb_box_run *run, struct lb_error *err)
{
	const struct lb_box_spec *spec = run->job.spec;
	bool is_mounted =
		spec->host_path && spec->host_path_mode != LB_BOX_NONE;
	struct lb_box_uids uids = {0};

	run->result.quota = LB_BOX_QUOTA_NONE;
	run->x.home = "/tmp";
	if (run->driver->is_remote && !is_mounted) /* it has the sessions */
		return 0;
	run->x.drop = geteuid() == 0 && run->driver->isolates;
	if (run->x.drop && lb_box_uids(run->box->config, &uids, err) < 0)
		return -1;
	run->x.uid = run->x.drop ? uids.first : geteuid();
	run->x.gid = run->x.drop ? uids.first : getegid();
	run->result.quota =
		spec->quota_mb > 0 ? LB_BOX_QUOTA_SOFT : LB_BOX_QUOTA_NONE;
	if (is_mounted && run->job.n_skills > 0)
		return lb_fail(err, LB_DENIED,
			       "skills are only mounted in a workspace that is "
			       "the sandbox's own, not in '%s'",
			       spec->host_path);
	if (is_mounted) {
		return add_source(run, spec->host_path, spec->mount_path,
				  spec->host_path_mode, err);
	}
	if (!spec->session) {
		run->x.own_workspace = true;
		run->x.pins_skills = run->job.n_skills > 0;
		run->result.quota = LB_BOX_QUOTA_HARD;
		return 0;
	}
	if (lb_box_session_open(&run->session, run->box->config,
				run->box->state, spec->session, spec->quota_mb,
				err) < 0)
		return -1;
	run->has_session = true;
	if (spec->persistent &&
	    lb_box_session_persist(&run->session, true, err) < 0)
		return -1;
	run->x.session = &run->session;
	run->x.uid = run->session.uid;
	run->x.gid = run->session.gid;
	run->x.pins_skills = true;
	if (spec->host_path_mode != LB_BOX_RO)
		run->x.home = run->home =
			lb_printf("%s/.home", spec->mount_path);
	run->result.quota = run->session.quota;
	note_quota(run);
	if (own_folder(run, ".skills", err) < 0 ||
	    own_folder(run, ".home", err) < 0)
		return -1;
	return add_source(run, run->session.workspace, spec->mount_path,
			  spec->host_path_mode == LB_BOX_RO ? LB_BOX_RO
							    : LB_BOX_RW,
			  err);
}

/* Whose the first folder is that may be written to: root works as he who owns
 * it. That root himself owns none of them, mounts.c has seen to. */
static int take_owner(struct lb_box_run *run, struct lb_error *err)
{
	struct stat st;

	for (int i = 0; i < run->x.n_sources; i++) {
		const struct lb_box_source *s = &run->sources[i];

		if (s->mode != LB_BOX_RW)
			continue;
		if (stat(s->path, &st) < 0)
			return lb_fail_sys(err, LB_NOINPUT, "cannot mount '%s'",
					   s->path);
		if (st.st_uid == 0)
			continue;
		run->x.uid = st.st_uid;
		run->x.gid = st.st_gid ? st.st_gid : (gid_t)st.st_uid;
		break;
	}
	return 0;
}

static int take_mounts(struct lb_box_run *run, struct lb_error *err)
{
	const struct lb_box_spec *spec = run->job.spec;

	for (size_t i = 0; i < run->job.n_skills; i++) {
		const struct lb_box_skill *s = &run->job.skills[i];
		char *target =
			lb_printf("%s/.skills/%s", spec->mount_path, s->name);

		if (run->x.n_sources == LB_RUN_SOURCES ||
		    strchr(s->name, '/') || s->name[0] == '.') {
			free(target);
			return lb_fail(err, LB_DATA, "'%s' is no skill's name",
				       s->name);
		}
		run->targets[run->x.n_sources] = target;
		if (add_source(run, s->path, target,
			       s->writable ? LB_BOX_RW : LB_BOX_RO, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < spec->n_mounts; i++)
		if (spec->mounts[i].mode != LB_BOX_NONE &&
		    add_source(run, spec->mounts[i].host_path,
			       spec->mounts[i].mount_path, spec->mounts[i].mode,
			       err) < 0)
			return -1;
	return run->x.drop && !run->has_session ? take_owner(run, err) : 0;
}

/* Limits for all of it together, where they can be had. */
static int take_group(struct lb_box_run *run, struct lb_error *err)
{
	struct lb_box *box = run->box;
	const struct lb_box_spec *spec = run->job.spec;
	const char *parent = lb_config_str(box->config, "box.cgroup");
	struct lb_error why;

	run->result.limits = LB_BOX_RLIMIT;
	if (run->driver->is_remote && run->job.need_groups)
		return lb_fail(err, LB_UNAVAILABLE,
			       "control groups are needed, and %s does not say "
			       "whether there are any before it runs something",
			       run->driver->name);
	if (run->driver->has_limits)
		return 0;
	if (!box->groups.looked)
		lb_cgroups_find(&box->groups, "", parent ? parent : "");
	if (lb_cgroup_make(&box->groups,
			   &(struct lb_cgroup_limits){
				   .memory_mb = spec->memory_mb,
				   .pids = spec->pids_limit + 2,
				   .cpus = spec->cpus,
				   .counts_cpu = run->job.counts_cpu,
			   },
			   &run->group, &why) == 0) {
		run->x.group = &run->group;
		run->result.limits = LB_BOX_CGROUP;
		return 0;
	}
	return run->job.need_groups
		       ? lb_fail(err, LB_UNAVAILABLE,
				 "control groups are needed and cannot be "
				 "had: %s",
				 why.text)
		       : 0;
}

static void changed(void *arg);

static void set_up(struct lb_box_run *run)
{
	struct lb_box_result *r = &run->result;
	size_t shown = run->job.shown ? run->job.shown : LB_BOX_SHOWN;

	run->pidfd = run->child_fd = run->x.status = run->x.ready = -1;
	run->measured = run->disk = -1;
	run->group = (struct lb_cgroup){.version = 0};
	run->x.spec = run->job.spec;
	run->x.sources = run->sources;
	run->report.exit_code = -1;
	run->session.workspace_fd = -1;
	run->feed.from = run->feed.to = -1;
	r->session = run->job.spec->session;
	r->backend = run->driver->name;
	r->isolated = run->driver->isolates;
	r->out.shown = r->err.shown = shown;
	r->notes = json_array();
	r->refused = json_array();
	run->out = (struct lb_box_stream){.loop = run->box->loop,
					  .fd = -1,
					  .sink = run->job.out,
					  .shows = !run->job.terminal,
					  .kept = &r->out,
					  .changed = changed,
					  .arg = run};
	run->err = run->out;
	run->err.sink = run->job.err;
	run->err.kept = &r->err;
	/* What a backend says of itself is for us, not for the reader. */
	run->is_one = run->job.terminal ||
		      lb_run_is_one_place(run->job.out, run->job.err);
	if (run->job.out >= 0)
		(run->is_one ? &run->out : &run->err)->holds =
			run->driver->says;
}

static void changed(void *arg)
{
	lb_run_look(arg);
}

static int begin(struct lb_box_run *run, struct lb_error *err)
{
	if (run->driver->may && run->driver->may(run->box, err) < 0)
		return -1;
	if (lb_box_admit_job(run->box->config, run->box->state, &run->job,
			     run->driver, err) < 0)
		return -1;
	if (lb_box_mounts_check(run->box->config, run->box->state,
				run->job.asker, run->job.spec, err) < 0)
		return -1;
	if (take_workspace(run, err) < 0 || take_mounts(run, err) < 0 ||
	    take_group(run, err) < 0)
		return -1;
	if (run->driver->is_tended && !run->driver->is_remote &&
	    run->job.spec->network != LB_BOX_OFF)
		json_array_append_new(
			run->result.notes,
			json_string("no network is reachable from a sandbox of "
				    "this backend; do not retry"));
	else if (run->driver->isolates && !run->driver->is_remote)
		run->result.network = lb_bridge_note(run->job.spec);
	if (run->result.quota == LB_BOX_QUOTA_SOFT)
		run->measured =
			open(run->sources[0].path,
			     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return lb_run_launch(run, err);
}

struct lb_box_run *lb_box_start(struct lb_box *box,
				const struct lb_box_job *job,
				struct lb_error *err)
{
	const struct lb_box_driver *driver =
		job->on_host ? &lb_box_host : lb_box_select(box, err);
	struct lb_box_run *run;

	if (!driver)
		return NULL;
	run = lb_alloc(sizeof(*run));
	run->box = box;
	run->job = *job;
	run->driver = driver;
	set_up(run);
	if (begin(run, err) < 0 || lb_run_watch(run, err) < 0) {
		lb_run_free(run);
		return NULL;
	}
	if (!box->swept)
		lb_cgroups_sweep(&box->groups);
	box->swept = true;
	lb_box_reap_sometimes(box->config, box->state);
	return run;
}
