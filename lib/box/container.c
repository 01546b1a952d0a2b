/*
 * container.c - the backends podman and docker, by their own programs: a
 * container a command, gone with it. Nothing of it goes through a shell, no
 * image is ever fetched, and what the engine made is looked at before the
 * command begins.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "box/bwrap.h"
#include "box/container.h"
#include "box/seccomp.h"

enum {
	SLACK_S = 60,
	FAR_S = 366 * 24 * 3600,
	SLACK = LB_ENGINE_INIT_SLACK,
	MOST_PROCESSES = 4096, /* of a user, where groups count those of one */
};

static const struct engine {
	const char *name;
	const char *command, *runtime; /* keys of the configuration */
	bool is_podman;
} podman = {"podman", "box.podman.command", "box.podman.runtime", true},
  docker = {"docker", "box.docker.command", "box.docker.runtime", false};

static const struct engine *engine_of(bool is_podman)
{
	return is_podman ? &podman : &docker;
}

/* Without systemd nobody else keeps groups, and no journal. */
static void put_program(struct lb_argv *a, struct lb_config *config,
			const struct engine *e)
{
	const char *runtime = lb_config_str(config, e->runtime);

	lb_argv_config(a, config, e->command);
	if (!e->is_podman)
		return;
	if (access("/run/systemd/system", F_OK) < 0)
		lb_argv_add(a, "--cgroup-manager", "cgroupfs",
			    "--events-backend", "file", NULL);
	if (runtime && *runtime)
		lb_argv_add(a, "--runtime", runtime, NULL);
}

void lb_container_program(struct lb_config *config, bool is_podman,
			  struct lb_argv *a)
{
	put_program(a, config, engine_of(is_podman));
}

/* The image that is asked for has to be one that an operator named. */
static int check_image(struct lb_config *config, const struct lb_box_spec *spec,
		       const char **image, struct lb_error *err)
{
	const char *own = lb_config_str(config, "box.local.image");
	const json_t *one;
	size_t i;

	*image = spec->image ? spec->image : own;
	if (!*image || !**image)
		return lb_fail(err, LB_CONFIG,
			       "there is no image for this engine: name one "
			       "that is on this machine, 'lb-config set "
			       "box.local.image NAME'");
	if (own && strcmp(*image, own) == 0)
		return 0;
	json_array_foreach((json_t *)(uintptr_t)
				   lb_config_get(config, "box.allowed_images"),
			   i, one)
	{
		if (strcmp(*image, json_string_value(one)) == 0)
			return 0;
	}
	return lb_fail(err, LB_DENIED,
		       "image '%.128s' is neither box.local.image nor one of "
		       "box.allowed_images",
		       *image);
}

static void put_limits(struct lb_argv *a, const struct lb_box_exec *x,
		       bool is_podman, bool has_cpus)
{
	const struct lb_box_spec *spec = x->spec;
	long long bytes = lb_engine_file_bytes(x), most = MOST_PROCESSES;
	long long processes = is_podman ? spec->pids_limit + SLACK : 0;

	lb_argv_printf(a, "--memory=%lldm", (long long)spec->memory_mb);
	/* together with it: no swap */
	lb_argv_printf(a, "--memory-swap=%lldm", (long long)spec->memory_mb);
	lb_argv_printf(a, "--pids-limit=%lld",
		       (long long)spec->pids_limit + SLACK);
	if (has_cpus)
		lb_argv_printf(a, "--cpus=%g", spec->cpus);
	lb_argv_printf(a, "--ulimit=nofile=%d:%d", LB_ENGINE_OPEN_FILES,
		       LB_ENGINE_OPEN_FILES);
	/* Without rights an engine may have no control groups. Its namespace is
	 * the container's own then, and so is this count. */
	if (!x->drop && processes > 0)
		most = processes;
	lb_argv_add(a, "--ulimit=core=0:0", NULL);
	lb_argv_printf(a, "--ulimit=nproc=%lld:%lld", most, most);
	lb_argv_printf(a, "--ulimit=fsize=%lld:%lld", bytes, bytes);
	lb_argv_printf(a, "--shm-size=%dm", LB_ENGINE_TMP_MB);
}

/* Who works in it: never root, here or inside. */
static void put_user(struct lb_argv *a, const struct lb_box_exec *x,
		     bool is_podman)
{
	if (is_podman && !x->drop) {
		/* without rights of its own podman is root in a namespace that
		 * is ours: we are user 1000 in it */
		lb_argv_add(a, "--userns=keep-id:uid=1000,gid=1000",
			    "--user=1000:1000", NULL);
		return;
	}
	lb_argv_printf(a, "--user=%lu:%lu", (unsigned long)x->uid,
		       (unsigned long)x->gid);
}

static void put_mount(struct lb_argv *a, const char *source, const char *target,
		      bool writable)
{
	lb_argv_printf(a, "--volume=%s:%s:%s", source, target,
		       writable ? "rw" : "ro");
}

/* What is mounted, and what is in memory. One over .skills keeps anybody inside
 * from moving it away. */
static int put_mounts(struct lb_argv *a, const struct lb_box_exec *x,
		      const char *inside, struct lb_error *err)
{
	const char *work = x->spec->mount_path;

	lb_argv_printf(a,
		       "--tmpfs=/tmp:rw,exec,nosuid,nodev,size=%dm,mode=1777",
		       LB_ENGINE_TMP_MB);
	if (x->own_workspace)
		lb_argv_printf(a,
			       "--tmpfs=%s:rw,exec,nosuid,nodev,size=%lldm,"
			       "mode=1777",
			       work,
			       x->spec->quota_mb > 0
				       ? (long long)x->spec->quota_mb
				       : LB_ENGINE_OWN_MB);
	if (x->pins_skills)
		lb_argv_printf(a,
			       "--tmpfs=%s/.skills:ro,nosuid,nodev,size=1m,"
			       "mode=755",
			       work);
	for (int i = 0; i < x->n_sources; i++) {
		const struct lb_box_source *s = &x->sources[i];

		/* a session's workspace is where an operator put it */
		if (strchr(s->path, ':') || strchr(s->target, ':'))
			return lb_fail(err, LB_DENIED,
				       "'%s' has a ':' in its path, which "
				       "engines read otherwise",
				       s->path);
		put_mount(a, s->path, s->target, s->mode == LB_BOX_RW);
	}
	put_mount(a, inside, LB_ENGINE_AT, false);
	return 0;
}

static void put_hardening(struct lb_argv *a, bool is_podman,
			  const char *profile)
{
	lb_argv_add(a, "--pull=never", "--network=none", "--hostname=sandbox",
		    "--read-only", "--cap-drop=ALL",
		    "--security-opt=no-new-privileges", NULL);
	lb_argv_printf(a, "--security-opt=seccomp=%s", profile);
	lb_argv_add(a, "--ipc=private", "--cgroupns=private",
		    "--log-driver=none", "--no-healthcheck", NULL);
	if (is_podman)
		lb_argv_add(a, "--pid=private", "--uts=private",
			    "--read-only-tmpfs=false", "--http-proxy=false",
			    "--systemd=false", "--sdnotify=ignore",
			    "--image-volume=ignore", "--no-hosts",
			    "--security-opt=label=disable",
			    "--security-opt=mask=/sys", NULL);
	else
		lb_argv_add(a, "--tmpfs=/sys:ro,size=4k", NULL);
	if (lb_container_has_init(is_podman))
		lb_argv_add(a, "--init", NULL);
}

/* What the kernel of this machine does not see into. */
static bool is_blind(struct lb_config *config, const struct engine *e)
{
	const char *runtime = lb_config_str(config, e->runtime);

	return runtime && strstr(runtime, "runsc");
}

/* The whole command. */
static int put_run(struct lb_argv *a, struct lb_box *box,
		   const struct lb_box_exec *x, const struct engine *e,
		   const struct lb_engine_run *run, struct lb_error *err)
{
	lb_autofree char *inside =
		lb_printf("%s/%s", run->folder, LB_TENDED_INSIDE);
	lb_autofree char *profile = lb_printf("%s/seccomp.json", run->folder);
	lb_autofree char *label = strndup(run->name, strlen("lb-") + 12);
	const char *runtime = lb_config_str(box->config, e->runtime), *image;
	int64_t seconds = x->spec->timeout_ms / 1000;

	if (check_image(box->config, x->spec, &image, err) < 0)
		return -1;
	put_program(a, box->config, e);
	lb_argv_add(a, "run", "--rm", "--interactive", NULL);
	lb_argv_printf(a, "--name=%s", run->name);
	lb_argv_printf(a, "--label=lb.box=%s", label ? label : "");
	if (x->terminal)
		lb_argv_add(a, "--tty", NULL);
	if (!e->is_podman && runtime && *runtime)
		lb_argv_printf(a, "--runtime=%s", runtime);
	if (e->is_podman) {
		lb_argv_printf(a, "--pidfile=%s/pid", run->folder);
		/* should nobody else be there to end it */
		lb_argv_printf(a, "--timeout=%lld",
			       (long long)(seconds < FAR_S ? seconds + SLACK_S
							   : FAR_S));
	}
	put_hardening(a, e->is_podman, profile);
	put_user(a, x, e->is_podman);
	put_limits(a, x, e->is_podman,
		   e->is_podman ||
			   !json_is_false(lb_config_get(box->config,
							"box.docker.cpu_limit_"
							"enabled")));
	if (put_mounts(a, x, inside, err) < 0)
		return -1;
	lb_argv_add(a, "--workdir=/", "--entrypoint=sh", image,
		    LB_ENGINE_AT "/start", NULL);
	return 0;
}

static void put_remove(struct lb_argv *a, struct lb_box *box,
		       const struct engine *e, const char *name)
{
	put_program(a, box->config, e);
	lb_argv_add(a, "rm", "--force", "--volumes", NULL);
	if (e->is_podman)
		lb_argv_add(a, "--time=0", NULL);
	if (name)
		lb_argv_add(a, name, NULL);
}

static int put_profile(const struct lb_engine_run *run, struct lb_error *err)
{
	size_t len = strlen(lb_box_seccomp_oci);
	lb_autoclose int fd =
		openat(run->lock, "seccomp.json",
		       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd >= 0 && write(fd, lb_box_seccomp_oci, len) == (ssize_t)len
		       ? 0
		       : lb_fail_sys(err, LB_IO,
				     "cannot make '%s/seccomp.json'",
				     run->folder);
}

/* The lists of one run. */
struct lists {
	struct lb_argv run, remove, find, env;
};

/* What is mounted in one of those cannot be looked at before it is used, so it
 * has to be what nobody else can change: a session's own folder and skills. */
static int check_blind(const struct lb_box_exec *x, const struct engine *e,
		       struct lb_error *err)
{
	if (!x->spec->host_path && x->spec->n_mounts == 0)
		return 0;
	return lb_fail(err, LB_DENIED,
		       "the runtime of %s cannot be looked into, so no folders "
		       "are mounted in it but those of sessions",
		       e->name);
}

static int start(struct lb_box *box, struct lb_box_exec *x,
		 const struct engine *e, struct lists *l,
		 const struct lb_engine_run *run, struct lb_error *err)
{
	lb_autofree char *pidfile = lb_printf("%s/pid", run->folder);
	bool blind = is_blind(box->config, e);

	if ((blind && check_blind(x, e, err) < 0) ||
	    put_run(&l->run, box, x, e, run, err) < 0 ||
	    put_profile(run, err) < 0)
		return -1;
	put_remove(&l->remove, box, e, run->name);
	put_program(&l->find, box->config, e);
	lb_argv_add(&l->find, "inspect", "--type=container",
		    "--format={{.State.Pid}}", run->name, NULL);
	return lb_tender_start(x,
			       &(struct lb_tended){
				       .launch = {.argv = l->run.at,
						  .env = l->env.at,
						  .terminal = x->terminal,
						  .folder = "/"},
				       .remove = l->remove.at,
				       .find = e->is_podman ? NULL : l->find.at,
				       .pidfile = e->is_podman ? pidfile : NULL,
				       .folder = run->folder,
				       .is_blind = blind,
			       },
			       run->lock, err);
}

static int exec_in(struct lb_box *box, struct lb_box_exec *x,
		   const struct engine *e, struct lb_error *err)
{
	struct lb_engine_run run = {.lock = -1};
	struct lists l = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
	int result;

	lb_engine_env(&l.env);
	if (!box->tidied) {
		struct lb_argv remove = {NULL, 0};

		put_remove(&remove, box, e, NULL);
		lb_engine_tidy(box, &remove, &l.env);
		lb_argv_release(&remove);
		box->tidied = true;
	}
	result = lb_engine_begin(box, x, is_blind(box->config, e), &run, err);
	if (result == 0)
		result = start(box, x, e, &l, &run, err);
	lb_engine_end(&run, result < 0);
	lb_argv_release(&l.run);
	lb_argv_release(&l.remove);
	lb_argv_release(&l.find);
	lb_argv_release(&l.env);
	return result;
}

static int podman_exec(struct lb_box *box, struct lb_box_exec *x,
		       struct lb_error *err)
{
	return exec_in(box, x, &podman, err);
}

static int docker_exec(struct lb_box *box, struct lb_box_exec *x,
		       struct lb_error *err)
{
	return exec_in(box, x, &docker, err);
}

static int podman_explain(const char *said, struct lb_error *err)
{
	return lb_engine_explain("podman", said, err);
}

static int docker_explain(const char *said, struct lb_error *err)
{
	return lb_engine_explain("docker", said, err);
}

const struct lb_box_driver lb_box_podman = {
	.name = "podman",
	.isolates = true,
	.says = "",
	.is_tended = true,
	.has_limits = true,
	.exec = podman_exec,
	.read = lb_tender_read,
	.explain = podman_explain,
	.check = lb_engine_check,
	.inside = lb_bwrap_inside,
	.let_go = lb_tender_let_go,
};

const struct lb_box_driver lb_box_docker = {
	.name = "docker",
	.isolates = true,
	.says = "",
	.is_tended = true,
	.has_limits = true,
	.exec = docker_exec,
	.read = lb_tender_read,
	.explain = docker_explain,
	.check = lb_engine_check,
	.inside = lb_bwrap_inside,
	.let_go = lb_tender_let_go,
};
