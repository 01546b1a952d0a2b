/* test-cgroup - where control groups are looked for, on machines that are made
 * up of a few files. TAP. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/cgroup.h"
#include "tap.h"

#define V1                                                                     \
	"30 23 0:26 / /cg/memory rw - cgroup cgroup rw,memory\n"               \
	"31 23 0:27 / /cg/pids rw - cgroup cgroup rw,pids\n"                   \
	"32 23 0:28 /docker/x /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
#define V2 "40 23 0:30 / /cg/v2 rw,nosuid - cgroup2 cgroup2 rw\n"

static const struct {
	const char *what, *cgroup, *mountinfo, *parent;
	const char *hands_down; /* cgroup.subtree_control of boxes; NULL */
	int version;
	const char *memory, *cpu; /* below; NULL: not looked at */
} rows[] = {
	{"version 1: our own groups, each in its place",
	 "4:memory:/a/b\n3:pids:/\n2:cpu,cpuacct:/docker/x/y\n0::/\n", V1, "",
	 NULL, 1, "/cg/memory/a/b", "/cg/cpu/y"},
	{"version 1 beside 2: where memory is decides",
	 "4:memory:/\n3:pids:/\n2:cpu,cpuacct:/docker/x\n0::/u\n", V2 V1, "",
	 NULL, 1, "/cg/memory", "/cg/cpu"},
	{"version 1: below the operator's group",
	 "4:memory:/a\n3:pids:/a\n2:cpu,cpuacct:/docker/x\n", V1, "/boxes",
	 NULL, 1, "/cg/memory/a/boxes", "/cg/cpu/boxes"},
	{"version 1 without pids: nowhere",
	 "4:memory:/\n2:cpu,cpuacct:/docker/x\n", V1, "", NULL, 0, NULL, NULL},
	{"version 2: a group that hands all down", "0::/\n", V2, "boxes",
	 "memory pids cpu io", 2, "/cg/v2/boxes", NULL},
	{"version 2: a word that only begins so", "0::/\n", V2, "boxes",
	 "memory pids cpuset", 0, NULL, NULL},
	{"version 2: nothing handed down", "0::/\n", V2, "boxes", "", 0, NULL,
	 NULL},
	{"no control groups at all", "", "", "", NULL, 0, NULL, NULL},
};

static void write_file(const char *root, const char *name, const char *text)
{
	lb_autofree char *path = lb_printf("%s%s", root, name);
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static void make_folders(const char *root)
{
	static const char *const all[] = {"/proc", "/proc/self", "/cg",
					  "/cg/v2", "/cg/v2/boxes"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		lb_autofree char *path = lb_printf("%s%s", root, all[i]);

		mkdir(path, 0700);
	}
}

static void same_below(const char *root, const char *want, const char *got,
		       const char *what)
{
	lb_autofree char *full = lb_printf("%s%s", root, want);

	tap_same(full, got ? got : "nowhere", what);
}

int main(void)
{
	char root[] = "/tmp/test-cgroup-XXXXXX";
	lb_autofree char *clear = NULL;

	if (!mkdtemp(root))
		return 1;
	make_folders(root);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_cgroups g = {.looked = false};

		write_file(root, "/proc/self/cgroup", rows[i].cgroup);
		write_file(root, "/proc/self/mountinfo", rows[i].mountinfo);
		write_file(root, "/cg/v2/boxes/cgroup.subtree_control",
			   rows[i].hands_down ? rows[i].hands_down : "");
		lb_cgroups_find(&g, root, rows[i].parent);
		tap_ok(g.version == rows[i].version, rows[i].what);
		tap_ok(g.looked, "and it was looked for");
		if (rows[i].memory)
			same_below(root, rows[i].memory,
				   g.below[LB_CGROUP_MEMORY], "memory");
		if (rows[i].cpu)
			same_below(root, rows[i].cpu, g.below[LB_CGROUP_CPU],
				   "cpu");
		tap_ok(g.version > 0 || g.why.text[0], "or it says why not");
		lb_cgroups_release(&g);
	}
	clear = lb_printf("rm -rf '%s'", root);
	return system(clear) == 0 ? tap_end() : 1;
}
