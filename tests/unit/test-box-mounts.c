/*
 * test-box-mounts.c - which folders a sandbox may see. '@' is a folder of the
 * test's own, owned by whoever runs it, or by somebody else when that is root.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/mounts.h"
#include "tap.h"

enum { SOMEBODY = 12345 };

static char top[] = "/tmp/test-box-mounts.XXXXXX";
static struct lb_config *config;

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

/* Text with the test's folder for each '@'. */
static char *placed(const char *text)
{
	lb_autobuf struct lb_buf out = {0};

	for (; text && *text; text++)
		if (*text == '@')
			lb_buf_puts(&out, top);
		else
			lb_buf_putc(&out, *text);
	return lb_buf_take(&out);
}

static const char *const folders[] = {
	"@/allowed/a",
	"@/allowed/a/b",
	"@/tree",
	"@/odd:name",
	"@/home/project",
	"@/engine",
	"@/state/skills/pdf",
	"@/state/box/sessions/x",
	"@/state/box/workspaces/shop%2Fgroup_1/d",
	"@/state/box/workspaces/shop%2Fgroup_2",
	NULL,
};

static void give(const char *path)
{
	if (geteuid() == 0 && lchown(path, SOMEBODY, SOMEBODY) < 0)
		fail(path);
}

static void make_tree(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	lb_autofree char *file = placed("@/tree/file");
	lb_autofree char *link = placed("@/tree/link");
	lb_autofree char *home = placed("@/home");
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct lb_error err;
	FILE *f;

	for (size_t i = 0; folders[i]; i++) {
		lb_autofree char *path = placed(folders[i]);

		if (lb_path_make(path, &err) < 0)
			fail(path);
		give(path);
	}
	f = fopen(file, "we");
	if (!f || fclose(f) != 0 || symlink("/etc", link) < 0)
		fail("file");
	give(file);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/engine/docker.sock",
		 top);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		fail("socket");
	close(fd);
	setenv("HOME", home, 1);
}

static void read_config(void)
{
	lb_autofree char *path = placed("@/config.yaml");
	lb_autofree char *text =
		placed("box: {local: {allowed_mount_roots: [@/allowed, /etc,"
		       " @/none]}}\n");
	struct lb_error err;
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		fail(path);
	config = lb_config_load(path, &err);
	if (!config)
		fail(err.text);
}

#define POLICY LB_BOX_BY_POLICY
#define PERSON LB_BOX_BY_PERSON
#define RO LB_BOX_RO
#define RW LB_BOX_RW

/* Rows that hold for whoever runs the test. */
static const struct row {
	enum lb_box_asker asker;
	const char *source;
	enum lb_box_mode mode;
	enum lb_exit code; /* LB_OK: `want` is what is mounted */
	const char *want;  /* a part of the error */
} rows[] = {
	{POLICY, "@/allowed/a", RW, LB_OK, "@/allowed/a"},
	{POLICY, "@/allowed/a/b/../b/", RO, LB_OK, "@/allowed/a/b"},
	{PERSON, "@/tree", RW, LB_OK, "@/tree"},
	{PERSON, "@/home/project", RW, LB_OK, "@/home/project"},
	{PERSON, "@/state/skills/pdf", RO, LB_OK, "@/state/skills/pdf"},
	{POLICY, "@/state/skills", RO, LB_OK, "@/state/skills"},
	{POLICY, "@/state/box/workspaces/shop%2Fgroup_1/d", RW, LB_OK,
	 "@/state/box/workspaces/shop%2Fgroup_1/d"},
	{PERSON, "@/state/box/workspaces/shop%2Fgroup_2", RO, LB_OK,
	 "@/state/box/workspaces/shop%2Fgroup_2"},
	/* not without what keeps .skills in its place */
	{PERSON, "@/state/box/workspaces/shop%2Fgroup_2", RW, LB_DENIED,
	 "it is the workspace of a session; name that session instead"},

	{POLICY, "@/tree", RW, LB_DENIED,
	 "/tree': it is below none of box.local.allowed_mount_roots; add it "
	 "there, or mount it by a command line"},
	{POLICY, "@/allowedx", RW, LB_NOINPUT, "No such file or directory"},
	{PERSON, "@/none", RO, LB_NOINPUT, "No such file or directory"},
	{PERSON, "/dev/null", RO, LB_DENIED, "neither a folder nor"},
	{PERSON, "@/odd:name", RO, LB_DATA, "a path with ':'"},
	{PERSON, "@/tree/link", RO, LB_DENIED, "(/etc): /etc is the system's"},
	{PERSON, "@/engine", RO, LB_DENIED, "docker.sock in it has this"},
	{PERSON, "@/home", RO, LB_DENIED, "it is a home folder"},
	{PERSON, "@", RO, LB_DENIED, "/home' is in it, which is never"},
	{PERSON, "/", RO, LB_DENIED, "it is the whole machine"},
	{POLICY, "/etc", RO, LB_DENIED, "/etc is the system's, and never"},
	{PERSON, "/usr/bin", RO, LB_DENIED, "/usr is the system's"},
	{PERSON, "/proc/self/root/etc", RO, LB_DENIED, "/etc is the system's"},
	{PERSON, "/proc/self", RO, LB_DENIED, "/proc is the system's"},
	{PERSON, "/sys", RO, LB_DENIED, "/sys is the system's"},
	{PERSON, "/dev", RO, LB_DENIED, "/dev is the system's"},
	{PERSON, "/var", RO, LB_DENIED, "' is in it, which is never mounted"},
	{PERSON, "/var/lib", RO, LB_DENIED, "/var/lib is the system's"},
	{PERSON, "/root", RO, LB_DENIED, "it is a home folder"},
	{PERSON, "/home", RO, LB_DENIED, "never mounted"},
	{PERSON, "@/state", RO, LB_DENIED, "lb keeps it for itself"},
	{PERSON, "@/state/box", RO, LB_DENIED, "lb keeps it for itself"},
	{POLICY, "@/state/box/sessions/x", RO, LB_DENIED,
	 "lb keeps it for itself"},
	{PERSON, "@/state/box/workspaces", RO, LB_DENIED,
	 "all workspaces are in it"},
	{POLICY, "@/state/box/workspaces/shop%2Fgroup_2", RO, LB_DENIED,
	 "the workspace of another session"},
	{POLICY, "@/state/skills/pdf", RW, LB_DENIED, "only mounted read-only"},
	{PERSON, "@/state/skills/pdf", RW, LB_DENIED, "only mounted read-only"},
};

/* Who runs it matters for these. */
static const struct row as_root[] = {
	{PERSON, "/opt", RW, LB_DENIED, "it belongs to root, and nothing in"},
	{PERSON, "/opt", RO, LB_OK, "/opt"},
	{POLICY, "/opt", RO, LB_DENIED, "it is below none of"},
};

static const struct row as_other[] = {
	{PERSON, "/opt", RW, LB_DENIED, "it is not yours, and below none of"},
	{PERSON, "/opt", RO, LB_DENIED, "it is not yours, and below none of"},
};

static struct lb_box_spec spec_for(const char *session)
{
	return (struct lb_box_spec){
		.session = session ? lb_strdup(session) : NULL,
		.host_path_mode = RW,
		.mount_path = lb_strdup(LB_BOX_WORKSPACE),
	};
}

static void add_mount(struct lb_box_spec *spec, const char *source,
		      const char *target, enum lb_box_mode mode)
{
	spec->mounts = lb_grow(spec->mounts,
			       (spec->n_mounts + 1) * sizeof(*spec->mounts));
	spec->mounts[spec->n_mounts++] =
		(struct lb_box_mount){placed(source), lb_strdup(target), mode};
}

static int check(struct lb_box_spec *spec, enum lb_box_asker asker,
		 struct lb_error *err)
{
	lb_autofree char *state = placed("@/state");

	return lb_box_mounts_check(config, state, asker, spec, err);
}

/* What is wrong with the main mount and with another one is the same. */
static void try_row(const struct row *r, bool extra)
{
	struct lb_box_spec spec = spec_for("shop/group_1");
	lb_autofree char *want = placed(r->want);
	lb_autofree char *what =
		lb_printf("%s %s%s, %s", r->source, r->mode == RW ? "rw" : "ro",
			  extra ? " beside it" : "",
			  r->asker == PERSON ? "by a person" : "by policy");
	struct lb_error err = {0};
	bool good;

	if (extra) {
		add_mount(&spec, r->source, "/mnt/x", r->mode);
	} else {
		spec.host_path = placed(r->source);
		spec.host_path_mode = r->mode;
	}
	if (check(&spec, r->asker, &err) == 0)
		good = r->code == LB_OK &&
		       strcmp(want, extra ? spec.mounts[0].host_path
					  : spec.host_path) == 0;
	else
		good = err.code == r->code && strstr(err.text, want) &&
		       strncmp(err.text, "cannot mount '", 14) == 0;
	tap_ok(good, what);
	if (!good)
		printf("# %d '%s'\n", (int)err.code, err.text);
	lb_box_spec_release(&spec);
}

static void try_rows(const struct row *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		try_row(&r[i], false);
		try_row(&r[i], true);
	}
}

static const struct target {
	const char *main_at; /* NULL: /workspace */
	enum lb_box_mode main_mode;
	bool session;
	const char *first, *second, *want;
} targets[] = {
	{NULL, RW, true, "/mnt/a", "/mnt/b", NULL},
	{NULL, RW, true, "/mnt/a", "/mnt/ab", NULL},
	{"/workspace/sub", RW, true, "/mnt/a", NULL, NULL},
	{"/mnt/w", RW, true, "/mnt/a", NULL, NULL},
	{NULL, RO, true, "/workspace/a", NULL, NULL},
	{NULL, RW, false, "/workspace/a", "/workspace/b", NULL},
	{NULL, RW, true, "/workspace/a", NULL, "can put something else"},
	{NULL, RW, true, "/mnt/a", "/mnt/a", "two are to be there"},
	{NULL, RW, true, "/mnt/a", "/mnt/a/b", "one of two is to be in"},
	{NULL, RW, true, "/mnt/a/b", "/mnt/a", "one of two is to be in"},
	{NULL, RW, true, "/mnt", NULL, "neither below the workspace nor"},
	{NULL, RW, true, "/etc", NULL, "neither below the workspace nor"},
	{NULL, RW, true, "/workspaces", NULL, "neither below the workspace"},
	{NULL, RW, false, "/workspace", NULL, "neither below the workspace"},
	{NULL, RW, true, "mnt/a", NULL, "it is no absolute path"},
	{NULL, RW, true, "/mnt/a:b", NULL, "has ':' or a control character"},
	{NULL, RW, true, "/mnt/a\nb", NULL, "has ':' or a control character"},
	{NULL, RO, true, "/workspace/.skills/x", NULL, "that place is taken"},
	{NULL, RO, true, "/workspace/.home", NULL, "that place is taken"},
	{"/mnt/a/w", RW, true, "/mnt/a", NULL, "that place is taken"},
	{"/usr", RW, true, "/mnt/a", NULL, "the workspace is at or below"},
	{"/mnt", RW, true, "/mnt/a", NULL, "the workspace is at or below"},
	{"/", RW, true, "/mnt/a", NULL, "the workspace is at or below"},
	{"/workspace/.home", RW, true, "/mnt/a", NULL,
	 "the workspace is at or below"},
};

static void try_target(const struct target *t)
{
	struct lb_box_spec spec = spec_for(t->session ? "s" : NULL);
	lb_autofree char *what =
		lb_printf("%s %s with %s at %s", t->first,
			  t->second ? t->second : "",
			  t->session ? "a session" : "none",
			  t->main_at ? t->main_at : "its place");
	struct lb_error err = {0};
	bool good;

	if (t->main_at) {
		free(spec.mount_path);
		spec.mount_path = lb_strdup(t->main_at);
	}
	spec.host_path_mode = t->main_mode;
	add_mount(&spec, "@/tree", t->first, RO);
	if (t->second)
		add_mount(&spec, "@/tree", t->second, RO);
	if (check(&spec, PERSON, &err) == 0)
		good = !t->want;
	else
		good = t->want && err.code == LB_DATA &&
		       strstr(err.text, t->want);
	for (char *c = what; *c; c++)
		*c = *c == '\n' ? '?' : *c;
	tap_ok(good, what);
	if (!good)
		printf("# '%s'\n", err.text);
	lb_box_spec_release(&spec);
}

/* A mount of mode none is none, wherever it would be. */
static void try_none(void)
{
	struct lb_box_spec spec = spec_for(NULL);
	struct lb_error err = {0};

	spec.host_path = lb_strdup("/etc");
	spec.host_path_mode = LB_BOX_NONE;
	tap_ok(check(&spec, POLICY, &err) == 0, "what is not mounted");
	lb_box_spec_release(&spec);
}

/* Does a file do as the workspace, or beside it? */
static void try_file(bool extra, enum lb_box_mode mode, const char *want)
{
	struct lb_box_spec spec = spec_for(NULL);
	struct lb_error err = {0};
	int bad;

	if (extra) {
		add_mount(&spec, "@/tree/file", "/mnt/x", mode);
	} else {
		spec.host_path = placed("@/tree/file");
		spec.host_path_mode = mode;
	}
	bad = check(&spec, PERSON, &err);
	tap_ok(want ? bad < 0 && strstr(err.text, want) : bad == 0,
	       want ? want : "a file to be read");
	lb_box_spec_release(&spec);
}

static void try_files(void)
{
	try_file(true, RO, NULL);
	try_file(true, RW, "a file is only mounted read-only");
	try_file(false, RO, "a workspace is a folder");
	try_file(false, RW, "a workspace is a folder");
}

int main(void)
{
	lb_autofree char *remove = NULL;
	int status;

	if (!mkdtemp(top))
		fail(top);
	give(top);
	make_tree();
	read_config();
	try_rows(rows, sizeof(rows) / sizeof(rows[0]));
	if (geteuid() == 0)
		try_rows(as_root, sizeof(as_root) / sizeof(as_root[0]));
	else
		try_rows(as_other, sizeof(as_other) / sizeof(as_other[0]));
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		try_target(&targets[i]);
	try_none();
	try_files();
	lb_config_close(config);
	remove = lb_printf("rm -rf '%s'", top);
	status = system(remove);
	return tap_end() | (status != 0);
}
