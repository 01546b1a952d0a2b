/* bwrap-args.c - what bubblewrap is told: namespaces, mounts, environment. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/bridge.h"
#include "box/bwrap.h"

static void arg(struct lb_bwrap_args *a, const char *text)
{
	lb_buf_put(&a->text, text, strlen(text) + 1);
}

static void args_put(struct lb_bwrap_args *a, const char *const *texts)
{
	for (; *texts; texts++)
		arg(a, *texts);
}
#define args(a, ...) args_put(a, (const char *const[]){__VA_ARGS__, NULL})

static void number(struct lb_bwrap_args *a, const char *option, long long n)
{
	lb_autofree char *text = lb_printf("%lld", n);

	args(a, option, text);
}

/* One that root lays out, by that name. */
static void set_stage(struct lb_stage_source *to, const struct lb_box_source *s,
		      const char *name)
{
	*to = (struct lb_stage_source){
		.source = s->path,
		.name = name,
		.is_file = s->is_file,
		.read_only = s->mode != LB_BOX_RW,
		.dev = s->dev,
		.ino = s->ino,
	};
}

/* Mount a source: by its own name, or as root by that on the stage. */
static void mount_source(struct lb_bwrap_args *a, const struct lb_box_source *s)
{
	const char *option = s->mode == LB_BOX_RW ? "--bind" : "--ro-bind";
	lb_autofree char *path = NULL;

	if (!a->drop) {
		args(a, option, s->path, s->target);
		return;
	}
	snprintf(a->names[a->n_stages], sizeof(a->names[0]), "%d", a->n_stages);
	set_stage(&a->stages[a->n_stages], s, a->names[a->n_stages]);
	path = lb_printf("%s/%s", LB_STAGE, a->names[a->n_stages]);
	a->n_stages++;
	args(a, option, path, s->target);
}

/* /bin and its like are links into /usr, or folders of their own. */
static void put_system(struct lb_bwrap_args *a)
{
	static const char *const those[] = {"/bin", "/sbin", "/lib", "/lib64",
					    "/lib32"};
	char target[PATH_MAX];
	struct stat st;

	args(a, "--ro-bind", "/usr", "/usr");
	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++) {
		ssize_t len = readlink(those[i], target, sizeof(target) - 1);

		if (len > 0) {
			target[len] = '\0';
			args(a, "--symlink", target, those[i]);
		} else if (stat(those[i], &st) == 0) {
			args(a, "--ro-bind", those[i], those[i]);
		}
	}
}

static int put_etc(struct lb_bwrap_args *a, struct lb_box *box,
		   struct lb_error *err)
{
	struct stat st;

	if (lb_box_etc(box, err) < 0)
		return -1;
	if (fstat(box->etc, &st) < 0)
		return lb_fail_sys(err, LB_IO, "cannot look at '%s'",
				   box->etc_path);
	a->etc = (struct lb_stage_source){
		.source = box->etc_path,
		.name = "etc",
		.read_only = true,
		.dev = st.st_dev,
		.ino = st.st_ino,
	};
	if (!a->drop)
		args(a, "--ro-bind", box->etc_path, "/etc", "--ro-bind-try",
		     "/etc/ssl/certs", "/etc/ssl/certs");
	return 0;
}

static long long own_bytes(const struct lb_box_spec *spec)
{
	return (spec->quota_mb > 0 ? spec->quota_mb : LB_BWRAP_OWN_MB) << 20;
}

/*
 * The workspace and what is mounted in it. A small file system of its own over
 * .skills keeps anybody inside from moving it away between two runs.
 */
static void put_workspace(struct lb_bwrap_args *a, const struct lb_box_exec *x)
{
	lb_autofree char *pin = lb_printf("%s/.skills", x->spec->mount_path);
	bool pinned = false;

	if (x->own_workspace) {
		args(a, "--perms", "0755");
		number(a, "--size", own_bytes(x->spec));
		args(a, "--tmpfs", x->spec->mount_path);
	}
	for (int i = 0; i < x->n_sources; i++) {
		const struct lb_box_source *s = &x->sources[i];

		if (!pinned && x->pins_skills && (i > 0 || x->own_workspace)) {
			args(a, "--size", "1048576", "--tmpfs", pin);
			pinned = true;
		}
		mount_source(a, s);
	}
	if (!x->pins_skills)
		return;
	if (!pinned)
		args(a, "--size", "1048576", "--tmpfs", pin);
	args(a, "--remount-ro", pin);
}

/* Root lays out most of it before; false: it is not where it always is. */
static bool stage_workspace(struct lb_bwrap_args *a,
			    const struct lb_box_exec *x)
{
	static const char skills[] = LB_BOX_WORKSPACE "/.skills/";
	int i = 0;

	if (!a->drop || strcmp(x->spec->mount_path, LB_BOX_WORKSPACE) != 0)
		return false;
	if (x->own_workspace)
		a->stage.workspace_bytes = (uint64_t)own_bytes(x->spec);
	else if (x->n_sources == 0 || x->sources[0].is_file)
		return false;
	else
		set_stage(&a->workspace, &x->sources[i++], "workspace");
	a->stage.workspace = x->own_workspace ? NULL : &a->workspace;
	a->stage.pins_skills = x->pins_skills;
	a->stage.skills = a->skills;
	for (; i < x->n_sources; i++) {
		const struct lb_box_source *s = &x->sources[i];

		if (strncmp(s->target, skills, sizeof(skills) - 1) == 0)
			set_stage(&a->skills[a->stage.n_skills++], s,
				  s->target + sizeof(skills) - 1);
		else
			mount_source(a, s);
	}
	return true;
}

static void put_proc(struct lb_bwrap_args *a)
{
	args(a, "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys");
}

static void put_devices(struct lb_bwrap_args *a)
{
	args(a, "--dev", "/dev");
	args(a, "--perms", "1777");
	number(a, "--size", LB_BWRAP_TMP_BYTES);
	args(a, "--tmpfs", "/dev/shm", "--remount-ro", "/dev");
	args(a, "--perms", "1777");
	number(a, "--size", LB_BWRAP_TMP_BYTES);
	args(a, "--tmpfs", "/tmp", "--dir", "/run", "--dir", "/var/tmp");
}

static void set_env(struct lb_bwrap_args *a, const char *const *e)
{
	for (; e && *e; e++) {
		lb_autofree char *name = lb_strdup(*e);
		char *is = strchr(name, '=');

		if (!is)
			continue;
		*is++ = '\0';
		args(a, "--setenv", name, is);
	}
}

static void put_env(struct lb_bwrap_args *a, const struct lb_box_exec *x)
{
	bool has_network = x->spec->network != LB_BOX_OFF;

	args(a, "--clearenv", "--setenv", "PATH",
	     "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "--setenv", "HOME",
	     x->home);
	set_env(a, lb_box_environ);
	set_env(a, lb_box_environ_terminal(x->terminal));
	for (size_t i = 0; has_network && lb_bridge_env[i][0]; i++)
		args(a, "--setenv", lb_bridge_env[i][0], lb_bridge_env[i][1]);
	set_env(a, (const char *const *)x->spec->env);
}

int lb_bwrap_args(struct lb_bwrap_args *a, struct lb_box *box,
		  const struct lb_box_exec *x, bool script,
		  struct lb_error *err)
{
	bool is_staged;

	a->drop = x->drop;
	args(a, "--unshare-user", "--unshare-ipc", "--unshare-pid",
	     "--unshare-uts", "--unshare-cgroup-try", "--unshare-net", "--uid",
	     "1000", "--gid", "1000", "--hostname", "sandbox",
	     "--die-with-parent", "--new-session", "--cap-drop", "ALL");
	if (a->drop) {
		args(a, "--dev-bind", LB_STAGE_ROOT, "/");
	} else {
		if (!x->spec->read_only_rootfs) { /* else all the memory */
			number(a, "--size", LB_BWRAP_TMP_BYTES);
			args(a, "--tmpfs", "/");
		}
		put_system(a);
	}
	if (put_etc(a, box, err) < 0)
		return -1;
	is_staged = stage_workspace(a, x);
	if (!is_staged)
		put_workspace(a, x);
	put_proc(a);
	if (!a->drop)
		put_devices(a);
	if (script) {
		number(a, "--ro-bind-data", LB_BWRAP_FD_SCRIPT);
		arg(a, LB_BWRAP_SCRIPT);
	}
	a->stage.is_whole = is_staged && a->n_stages == 0 && !script &&
			    x->spec->read_only_rootfs;
	if (x->spec->read_only_rootfs && !a->stage.is_whole)
		args(a, "--remount-ro", "/");
	put_env(a, x);
	args(a, "--chdir", x->spec->mount_path, "--seccomp", "4",
	     "--json-status-fd", "5");
	a->stage.sources = a->stages;
	a->stage.n_sources = a->n_stages;
	a->stage.etc = &a->etc;
	a->stage.tmp_bytes = LB_BWRAP_TMP_BYTES;
	a->stage.uid = x->uid;
	a->stage.gid = x->gid;
	return 0;
}
