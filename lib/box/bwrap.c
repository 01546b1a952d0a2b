/* bwrap.c - the backend that is bubblewrap, bwrap(1). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "box/bridge.h"
#include "box/bwrap.h"
#include "box/launch.h"
#include "box/seccomp.h"

enum {
	MAX_ARGUMENT = 100 * 1024, /* bytes; the kernel takes 128 KiB */
	MAX_STAGES = LB_BOX_MAX_MOUNTS * 2 + 2,
	TMP_BYTES = 64 * 1024 * 1024,
	OWN_MB = 256, /* of a workspace in memory, when nothing is said */
	FILE_BYTES = 1024 * 1024 * 1024, /* a file, when nothing is said */
	OPEN_FILES = 1024,
};

/* A program needs more addresses than memory: a bound on the absurd only. */
#define ADDRESS_BYTES ((uint64_t)4 << 30)

/* Descriptors of bwrap, by number; what is not needed has none. */
enum { FD_ARGS = 3, FD_SECCOMP, FD_STATUS, FD_SCRIPT, FD_ALL };

struct args {
	struct lb_buf text; /* each ends with a NUL */
	struct lb_stage stages[MAX_STAGES];
	char names[MAX_STAGES][16];
	int n_stages;
	bool drop;
};

static void arg(struct args *a, const char *text)
{
	lb_buf_put(&a->text, text, strlen(text) + 1);
}

static void args_put(struct args *a, const char *const *texts)
{
	for (; *texts; texts++)
		arg(a, *texts);
}
#define args(a, ...) args_put(a, (const char *const[]){__VA_ARGS__, NULL})

static void number(struct args *a, const char *option, long long n)
{
	lb_autofree char *text = lb_printf("%lld", n);

	args(a, option, text);
}

/* Mount a source: by its own name, or as root by that on the stage. */
static void mount_source(struct args *a, const struct lb_box_source *s)
{
	const char *option = s->mode == LB_BOX_RW ? "--bind" : "--ro-bind";
	lb_autofree char *path = NULL;

	if (!a->drop) {
		args(a, option, s->path, s->target);
		return;
	}
	snprintf(a->names[a->n_stages], sizeof(a->names[0]), "%d", a->n_stages);
	a->stages[a->n_stages] = (struct lb_stage){
		.source = s->path,
		.name = a->names[a->n_stages],
		.is_file = s->is_file,
		.dev = s->dev,
		.ino = s->ino,
	};
	path = lb_printf("%s/%s", LB_LAUNCH_STAGE, a->names[a->n_stages]);
	a->n_stages++;
	args(a, option, path, s->target);
}

/* /bin and its like are links into /usr, or folders of their own. */
static void put_system(struct args *a)
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

static int put_etc(struct args *a, struct lb_box *box, struct lb_error *err)
{
	struct lb_box_source etc = {
		.target = "/etc",
		.mode = LB_BOX_RO,
	};
	struct stat st;

	if (lb_box_etc(box, err) < 0)
		return -1;
	if (fstat(box->etc, &st) < 0)
		return lb_fail_sys(err, LB_IO, "cannot look at '%s'",
				   box->etc_path);
	etc.path = box->etc_path;
	etc.dev = st.st_dev;
	etc.ino = st.st_ino;
	mount_source(a, &etc);
	args(a, "--ro-bind-try", "/etc/ssl/certs", "/etc/ssl/certs");
	return 0;
}

static long long own_bytes(const struct lb_box_spec *spec)
{
	return (spec->quota_mb > 0 ? spec->quota_mb : OWN_MB) << 20;
}

/*
 * The workspace and what is mounted in it. A small file system of its own over
 * .skills keeps anybody inside from moving it away between two runs.
 */
static void put_workspace(struct args *a, const struct lb_box_exec *x)
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

static void put_devices(struct args *a)
{
	args(a, "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys",
	     "--dev", "/dev");
	args(a, "--perms", "1777");
	number(a, "--size", TMP_BYTES);
	args(a, "--tmpfs", "/dev/shm", "--remount-ro", "/dev");
	args(a, "--perms", "1777");
	number(a, "--size", TMP_BYTES);
	args(a, "--tmpfs", "/tmp", "--dir", "/run", "--dir", "/var/tmp");
}

static void put_env(struct args *a, const struct lb_box_exec *x)
{
	static const char *const usual[][2] = {
		{"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"},
		{"LANG", "C.UTF-8"},
		{"USER", "user"},
		{"LOGNAME", "user"},
		{"SHELL", "/bin/sh"},
		{"TMPDIR", "/tmp"},
		{"CI", "1"},
		{"PAGER", "cat"},
		{"GIT_PAGER", "cat"},
		{"GIT_TERMINAL_PROMPT", "0"},
		{"PYTHONUNBUFFERED", "1"},
	};
	bool has_network = x->spec->network != LB_BOX_OFF;

	arg(a, "--clearenv");
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		args(a, "--setenv", usual[i][0], usual[i][1]);
	args(a, "--setenv", "HOME", x->home);
	if (x->terminal)
		args(a, "--setenv", "TERM", "xterm");
	else
		args(a, "--setenv", "TERM", "dumb", "--setenv", "NO_COLOR",
		     "1");
	for (size_t i = 0; has_network && lb_bridge_env[i][0]; i++)
		args(a, "--setenv", lb_bridge_env[i][0], lb_bridge_env[i][1]);
	for (char **e = x->spec->env; e && *e; e++) {
		lb_autofree char *name = lb_strdup(*e);
		char *is = strchr(name, '=');

		if (!is)
			continue;
		*is++ = '\0';
		args(a, "--setenv", name, is);
	}
}

static int put_all(struct args *a, struct lb_box *box,
		   const struct lb_box_exec *x, bool script,
		   struct lb_error *err)
{
	args(a, "--unshare-user", "--unshare-ipc", "--unshare-pid",
	     "--unshare-uts", "--unshare-cgroup-try", "--unshare-net", "--uid",
	     "1000", "--gid", "1000", "--hostname", "sandbox",
	     "--die-with-parent", "--new-session", "--cap-drop", "ALL");
	put_system(a);
	if (put_etc(a, box, err) < 0)
		return -1;
	put_workspace(a, x);
	put_devices(a);
	if (script) {
		number(a, "--ro-bind-data", FD_SCRIPT);
		arg(a, LB_BWRAP_SCRIPT);
	}
	if (x->spec->read_only_rootfs)
		args(a, "--remount-ro", "/");
	put_env(a, x);
	args(a, "--chdir", x->spec->mount_path, "--seccomp", "4",
	     "--json-status-fd", "5");
	return 0;
}

static int memory_file(const char *name, const char *text, size_t len,
		       struct lb_error *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	size_t done = 0;
	ssize_t n = 0;

	while (fd >= 0 && done < len && n >= 0) {
		n = write(fd, text + done, len - done);
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && n >= 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return lb_fail_sys(err, LB_OS, "cannot hand on %s", name);
}

static void set_limits(struct lb_launch *l, const struct lb_box_exec *x)
{
	const struct lb_box_spec *spec = x->spec;

	l->file_bytes = spec->quota_mb > 0 ? (uint64_t)spec->quota_mb << 20
					   : FILE_BYTES;
	if (x->own_workspace && spec->quota_mb <= 0)
		l->file_bytes = (uint64_t)OWN_MB << 20;
	l->open_files = OPEN_FILES;
	if (!x->group) {
		l->address_bytes = (uint64_t)spec->memory_mb << 20;
		if (l->address_bytes < ADDRESS_BYTES)
			l->address_bytes = ADDRESS_BYTES;
	}
	/* The threads of a process together: `cpus` of them all the time. */
	if (spec->timeout_ms < INT64_MAX / 8)
		l->cpu_s = ((uint64_t)spec->timeout_ms / 1000 + 2) *
			   (uint64_t)(spec->cpus > 1 ? spec->cpus + 1 : 1);
}

static int start(struct lb_box_exec *x, struct args *a, const int *fds,
		 int n_fds, const char *script, struct lb_error *err)
{
	static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
	lb_autofree const char **argv = lb_bwrap_argv(x, script, err);
	struct lb_launch l = {
		.argv = (char *const *)(uintptr_t)argv,
		.env = (char *const *)(uintptr_t)env,
		.fds = fds,
		.n_fds = n_fds,
		.group = x->group,
		/* It ties itself, when what it started can do without it:
		 * before, that would wait for it for ever. */
		.untied = true,
		.drop = x->drop,
		.uid = x->uid,
		.gid = x->gid,
		.stages = a->stages,
		.n_stages = a->n_stages,
	};

	if (!argv)
		return -1;
	set_limits(&l, x);
	if (lb_launch(&l, &x->pid, err) == 0)
		return 0;
	if (err->code == LB_NOINPUT)
		return lb_fail(err, LB_UNAVAILABLE,
			       "bubblewrap is not installed: there is no "
			       "/usr/bin/bwrap (on Debian: apt-get install "
			       "bubblewrap)");
	if (err->code == LB_DENIED) {
		err->code = LB_UNAVAILABLE;
		lb_error_wrap(err, "there is no sandbox");
	}
	return -1;
}

/*
 * Where it reports to. It has the reading end, too: when we are gone, and before
 * it has told what it started to go on, no signal may end it, as that would wait
 * for ever; it finds no end of its filter then, and goes.
 */
static int status_pipe(int ends[2], struct lb_error *err)
{
	char name[64];
	int both;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[1]);
	both = open(name, O_RDWR | O_CLOEXEC);
	if (both < 0)
		return 0; /* no /proc: as well as can be */
	close(ends[1]);
	ends[1] = both;
	return 0;
}

static int bwrap_exec(struct lb_box *box, struct lb_box_exec *x,
		      struct lb_error *err)
{
	bool is_long = !x->spec->argv && strlen(x->spec->cmd) > MAX_ARGUMENT;
	lb_autofree struct args *a = lb_alloc(sizeof(*a));
	lb_autoclose int text = -1, script = -1, status = -1, filter = -1;
	int fds[FD_ALL] = {x->in, x->out, x->err}, ends[2];

	a->drop = x->drop;
	if (put_all(a, box, x, is_long, err) == 0)
		text = memory_file("arguments", a->text.data, a->text.len, err);
	lb_buf_release(&a->text);
	if (is_long && text >= 0)
		script = memory_file("a command", x->spec->cmd,
				     strlen(x->spec->cmd), err);
	if (text < 0 || (is_long && script < 0))
		return -1;
	if (status_pipe(ends, err) < 0)
		return -1;
	x->status = ends[0];
	status = ends[1];
	if (lb_box_seccomp(ends, err) < 0)
		return -1;
	filter = ends[0];
	x->ready = ends[1];
	fds[FD_ARGS] = text;
	fds[FD_SECCOMP] = filter;
	fds[FD_STATUS] = status;
	fds[FD_SCRIPT] = script;
	return start(x, a, fds, is_long ? FD_ALL : FD_SCRIPT,
		     is_long ? LB_BWRAP_SCRIPT : NULL, err);
}

const struct lb_box_driver lb_box_bwrap = {
	.name = "bubblewrap",
	.isolates = true,
	.says = "bwrap: ",
	.exec = bwrap_exec,
	.read = lb_bwrap_read,
	.explain = lb_bwrap_explain,
	.inside = lb_bwrap_inside,
	.let_go = lb_box_seccomp_end,
};
