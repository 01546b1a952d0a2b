/* bwrap.c - the backend that is bubblewrap, bwrap(1). */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/bwrap.h"
#include "box/launch.h"
#include "box/seccomp.h"

enum {
	MAX_ARGUMENT = 100 * 1024,       /* bytes; the kernel takes 128 KiB */
	FILE_BYTES = 1024 * 1024 * 1024, /* a file, when nothing is said */
	OPEN_FILES = 1024,
};

/* A program needs more addresses than memory: a bound on the absurd only. */
#define ADDRESS_BYTES ((uint64_t)4 << 30)

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
		l->file_bytes = (uint64_t)LB_BWRAP_OWN_MB << 20;
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

static int start(struct lb_box_exec *x, struct lb_bwrap_args *a, const int *fds,
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
		.stage = a->stage,
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
	lb_autofree struct lb_bwrap_args *a = lb_alloc(sizeof(*a));
	lb_autoclose int text = -1, script = -1, status = -1, filter = -1;
	int fds[LB_BWRAP_FDS] = {x->in, x->out, x->err}, ends[2];

	if (lb_bwrap_args(a, box, x, is_long, err) == 0)
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
	fds[LB_BWRAP_FD_ARGS] = text;
	fds[LB_BWRAP_FD_SECCOMP] = filter;
	fds[LB_BWRAP_FD_STATUS] = status;
	fds[LB_BWRAP_FD_SCRIPT] = script;
	return start(x, a, fds, is_long ? LB_BWRAP_FDS : LB_BWRAP_FD_SCRIPT,
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
