/*
 * nsjail.c - the backend nsjail: by name alone. It makes what it mounts on where
 * that is missing, so there is nothing for it to make but in file systems of its
 * own: what is below a workspace was made and looked at by us before (run.c).
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/bwrap.h"
#include "box/engine.h"
#include "box/seccomp.h"

enum { MAX_STAGES = LB_BOX_MAX_MOUNTS * 2 + 3 };

/* A program needs more addresses than memory: a bound on the absurd only. */
#define ADDRESS_BYTES ((uint64_t)4 << 30)

struct jail {
	struct lb_argv argv, env;
	/* As root: names that whoever it becomes can reach. */
	struct lb_stage_source stages[MAX_STAGES];
	char names[MAX_STAGES][16];
	int n_stages;
	bool drop;
};

static void mount_at(struct jail *j, const struct lb_box_source *s)
{
	lb_autofree char *staged = NULL;
	const char *path = s->path;
	bool writable = s->mode == LB_BOX_RW;

	if (j->drop) {
		char *name = j->names[j->n_stages];

		snprintf(name, sizeof(j->names[0]), "%d", j->n_stages);
		j->stages[j->n_stages++] = (struct lb_stage_source){
			.source = s->path,
			.name = name,
			.is_file = s->is_file,
			.read_only = !writable,
			.dev = s->dev,
			.ino = s->ino,
		};
		path = staged = lb_printf("%s/%s", LB_STAGE, name);
	}
	lb_argv_printf(&j->argv, "--bindmount%s=%s:%s", writable ? "" : "_ro",
		       path, s->target);
}

static int mount_ours(struct jail *j, const char *path, const char *target,
		      struct lb_error *err)
{
	struct lb_box_source s = {.path = path,
				  .target = target,
				  .mode = LB_BOX_RO};
	struct stat st;

	if (stat(path, &st) < 0)
		return lb_fail_sys(err, LB_IO, "cannot look at '%s'", path);
	s.dev = st.st_dev;
	s.ino = st.st_ino;
	mount_at(j, &s);
	return 0;
}

/* /bin and its like are links into /usr, or folders of their own. */
static void put_system(struct lb_argv *a)
{
	static const char *const those[] = {"/bin", "/sbin", "/lib", "/lib64",
					    "/lib32"};
	static const char *const devices[] = {"null", "zero", "full", "random",
					      "urandom"};
	char target[PATH_MAX];
	struct stat st;

	lb_argv_add(a, "--bindmount_ro=/usr:/usr", NULL);
	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++) {
		ssize_t len = readlink(those[i], target, sizeof(target) - 1);

		target[len > 0 ? len : 0] = '\0';
		if (len > 0)
			lb_argv_printf(a, "--symlink=%s:%s", target, those[i]);
		else if (stat(those[i], &st) == 0)
			lb_argv_printf(a, "--bindmount_ro=%s:%s", those[i],
				       those[i]);
	}
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		lb_argv_printf(a, "--bindmount=/dev/%s", devices[i]);
}

static void put_memory(struct lb_argv *a, const char *target, long long mb,
		       const char *mode)
{
	lb_argv_printf(a, "--mount=none:%s:tmpfs:size=%lld,mode=%s", target,
		       mb << 20, mode);
}

static void put_identity(struct lb_argv *a, const struct lb_box_exec *x)
{
	static const char *const limits[] = {"as",     "core",  "cpu",  "fsize",
					     "nofile", "nproc", "stack"};

	lb_argv_add(a, "--mode=o", "--quiet", "--time_limit=0", NULL);
	lb_argv_printf(a, "--user=1000:%lu:1", (unsigned long)x->uid);
	lb_argv_printf(a, "--group=1000:%lu:1", (unsigned long)x->gid);
	lb_argv_add(a, "--hostname=sandbox", NULL);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		lb_argv_printf(a, "--rlimit_%s=hard", limits[i]);
}

/* In the order in which they are mounted. */
static int put_mounts(struct jail *j, struct lb_box *box,
		      const struct lb_box_exec *x, const char *inside,
		      struct lb_error *err)
{
	const struct lb_box_spec *spec = x->spec;
	lb_autofree char *pin = lb_printf("%s/.skills", spec->mount_path);
	bool pinned = !x->pins_skills;

	put_system(&j->argv);
	if (lb_box_etc(box, err) < 0 ||
	    mount_ours(j, box->etc_path, "/etc", err) < 0)
		return -1;
	put_memory(&j->argv, "/dev/shm", LB_ENGINE_TMP_MB, "1777");
	put_memory(&j->argv, "/tmp", LB_ENGINE_TMP_MB, "1777");
	if (x->own_workspace)
		put_memory(&j->argv, spec->mount_path,
			   spec->quota_mb > 0 ? spec->quota_mb
					      : LB_ENGINE_OWN_MB,
			   "1777");
	for (int i = 0; i < x->n_sources; i++) {
		if (!pinned && (i > 0 || x->own_workspace)) {
			put_memory(&j->argv, pin, 1, "755");
			pinned = true;
		}
		mount_at(j, &x->sources[i]);
	}
	if (!pinned)
		put_memory(&j->argv, pin, 1, "755");
	return mount_ours(j, inside, LB_ENGINE_AT, err);
}

static void set_limits(struct lb_launch *l, const struct lb_box_exec *x)
{
	const struct lb_box_spec *spec = x->spec;

	l->file_bytes = (uint64_t)lb_engine_file_bytes(x);
	l->open_files = LB_ENGINE_OPEN_FILES;
	if (!x->group)
		l->address_bytes = (uint64_t)spec->memory_mb << 20;
	if (!x->group && l->address_bytes < ADDRESS_BYTES)
		l->address_bytes = ADDRESS_BYTES;
	/* The threads of a process together: `cpus` of them all the time. */
	if (spec->timeout_ms < INT64_MAX / 8)
		l->cpu_s = ((uint64_t)spec->timeout_ms / 1000 + 2) *
			   (uint64_t)(spec->cpus > 1 ? spec->cpus + 1 : 1);
}

static int start(struct lb_box *box, struct lb_box_exec *x, struct jail *j,
		 const struct lb_engine_run *run, struct lb_error *err)
{
	lb_autofree char *inside =
		lb_printf("%s/%s", run->folder, LB_TENDED_INSIDE);
	struct lb_launch l = {
		.group = x->group,
		.folder = "/",
		.drop = x->drop,
		.uid = x->uid,
		.gid = x->gid,
	};

	lb_argv_config(&j->argv, box->config, "box.nsjail.command");
	put_identity(&j->argv, x);
	if (put_mounts(j, box, x, inside, err) < 0)
		return -1;
	lb_argv_printf(&j->argv, "--seccomp_string=%s", lb_box_seccomp_kafel);
	lb_argv_add(&j->argv, "--cwd=/",
		    "--env=PATH=/usr/local/bin:/usr/bin:"
		    "/bin:/usr/sbin:/sbin",
		    "--", "/bin/sh", LB_ENGINE_AT "/start", NULL);
	l.argv = j->argv.at;
	l.env = j->env.at;
	l.stage.sources = j->stages;
	l.stage.n_sources = j->n_stages;
	set_limits(&l, x);
	return lb_tender_start(x,
			       &(struct lb_tended){.launch = l,
						   .folder = run->folder},
			       run->lock, err);
}

static int nsjail_exec(struct lb_box *box, struct lb_box_exec *x,
		       struct lb_error *err)
{
	struct lb_engine_run run = {.lock = -1};
	lb_autofree struct jail *j = lb_alloc(sizeof(*j));
	int result;

	if (x->terminal)
		return lb_fail(err, LB_DENIED,
			       "a sandbox of nsjail has no terminal");
	j->drop = x->drop;
	lb_argv_printf(&j->env, "PATH=/usr/local/bin:/usr/bin:/bin");
	if (!box->tidied)
		lb_engine_tidy(box, &(struct lb_argv){NULL, 0}, &j->env);
	box->tidied = true;
	result = lb_engine_begin(box, x, false, &run, err);
	if (result == 0)
		result = start(box, x, j, &run, err);
	lb_engine_end(&run, result < 0);
	lb_argv_release(&j->argv);
	lb_argv_release(&j->env);
	return result;
}

static int nsjail_explain(const char *said, struct lb_error *err)
{
	return lb_engine_explain("nsjail", said, err);
}

const struct lb_box_driver lb_box_nsjail = {
	.name = "nsjail",
	.isolates = true,
	.says = "",
	.is_tended = true,
	.exec = nsjail_exec,
	.read = lb_tender_read,
	.explain = nsjail_explain,
	.check = lb_engine_check,
	.inside = lb_bwrap_inside,
	.let_go = lb_tender_let_go,
};
