/* cgroup.c - a group of processes, its limits and its end. */
#include "box/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/mem.h"

enum {
	PERIOD_US = 100000, /* what a new group has */
	LEAST_QUOTA_US = 1000
};

/* Groups of one process are told apart. */
static unsigned made;

/* Numbers of processes are those of a namespace: 0 where it is not known. */
static unsigned long namespace_of_pids(void)
{
	static struct stat st;

	return st.st_ino || stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

char *lb_cgroup_name(unsigned n)
{
	return lb_printf("lb-%ld-%u-%lu", (long)getpid(), n,
			 namespace_of_pids());
}

bool lb_cgroup_is_left_over(const char *name)
{
	unsigned long space;
	unsigned n;
	long pid;
	char more;

	return sscanf(name, "lb-%ld-%u-%lu%c", &pid, &n, &space, &more) == 3 &&
	       space == namespace_of_pids() && pid > 0 &&
	       kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static int write_to(const char *folder, const char *file, const char *text)
{
	lb_autofree char *path = lb_printf("%s/%s", folder, file);
	lb_autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);

	return fd >= 0 && write(fd, text, len) == (ssize_t)len ? 0 : -1;
}

static int put(const char *folder, const char *file, long long value)
{
	lb_autofree char *text = lb_printf("%lld", value);

	return write_to(folder, file, text);
}

static long long bytes(const struct lb_cgroup_limits *l)
{
	return (long long)l->memory_mb << 20;
}

static long long cpu_quota(const struct lb_cgroup_limits *l)
{
	double us = l->cpus * PERIOD_US;

	return us < LEAST_QUOTA_US ? LEAST_QUOTA_US : (long long)us;
}

static int limit_v1(const char *folder, int kind,
		    const struct lb_cgroup_limits *l)
{
	switch (kind) {
	case LB_CGROUP_MEMORY:
		if (put(folder, "memory.limit_in_bytes", bytes(l)) < 0)
			return -1;
		/* Where swap is counted: none beyond that. */
		if (put(folder, "memory.memsw.limit_in_bytes", bytes(l)) < 0 &&
		    errno != ENOENT)
			return -1;
		return 0;
	case LB_CGROUP_PIDS:
		return put(folder, "pids.max", l->pids);
	case LB_CGROUP_CPUACCT:
		return 0;
	default:
		return put(folder, "cpu.cfs_quota_us", cpu_quota(l));
	}
}

static int limit_v2(const char *folder, const struct lb_cgroup_limits *l)
{
	lb_autofree char *cpu = lb_printf("%lld %d", cpu_quota(l), PERIOD_US);

	if (put(folder, "memory.max", bytes(l)) < 0 ||
	    put(folder, "pids.max", l->pids) < 0 ||
	    write_to(folder, "cpu.max", cpu) < 0)
		return -1;
	if (write_to(folder, "memory.swap.max", "0") < 0 && errno != ENOENT)
		return -1;
	if (write_to(folder, "memory.oom.group", "1") < 0 && errno != ENOENT)
		return -1;
	return 0;
}

static int make_one(struct lb_cgroup *g, const char *below, const char *name,
		    int kind, const struct lb_cgroup_limits *limits)
{
	char *folder = lb_printf("%s/%s", below, name);
	/* A process that moves itself as the one thread it is need not wait
	 * for all others of the machine, as one does in cgroup.procs. */
	lb_autofree char *procs =
		lb_printf("%s/%s", folder,
			  g->version == 2 ? "cgroup.procs" : "tasks");
	int at = g->n;

	if (mkdir(folder, 0755) < 0) {
		free(folder);
		return -1;
	}
	g->folders[at] = folder;
	g->joins[at] = -1;
	g->n++;
	if ((g->version == 2 ? limit_v2(folder, limits)
			     : limit_v1(folder, kind, limits)) < 0)
		return -1;
	g->joins[at] = open(procs, O_WRONLY | O_CLOEXEC);
	return g->joins[at] < 0 ? -1 : 0;
}

/* Without it nothing is limited less: it is done without. */
static void make_counting(struct lb_cgroup *g, const char *below,
			  const char *name,
			  const struct lb_cgroup_limits *limits)
{
	int before = g->n;

	g->counts = LB_CGROUP_CPUACCT;
	if (make_one(g, below, name, LB_CGROUP_CPUACCT, limits) == 0)
		return;
	g->counts = -1;
	if (g->n == before)
		return;
	rmdir(g->folders[before]);
	free(g->folders[before]);
	g->n = before;
}

int lb_cgroup_make(const struct lb_cgroups *groups,
		   const struct lb_cgroup_limits *limits, struct lb_cgroup *g,
		   struct lb_error *err)
{
	lb_autofree char *name = lb_cgroup_name(++made);
	int kinds = groups->version == 2 ? 1 : LB_CGROUP_CPUACCT, bad;

	*g = (struct lb_cgroup){.version = groups->version, .counts = -1};
	if (!groups->version)
		return lb_fail(err, groups->why.code, "%s", groups->why.text);
	for (int kind = 0; kind < kinds; kind++) {
		if (make_one(g, groups->below[kind], name, kind, limits) == 0)
			continue;
		bad = errno;
		lb_cgroup_end(g);
		errno = bad;
		return lb_fail_sys(err, LB_OS,
				   "cannot make a control group below '%s'",
				   groups->below[kind]);
	}
	if (!limits->counts_cpu)
		return 0;
	g->counts = groups->version == 2 ? 0 : LB_CGROUP_CPU;
	if (groups->version == 1 && groups->below[LB_CGROUP_CPUACCT])
		make_counting(g, groups->below[LB_CGROUP_CPUACCT], name,
			      limits);
	return 0;
}

int lb_cgroup_join(const struct lb_cgroup *g)
{
	for (int i = 0; i < g->n; i++)
		if (write(g->joins[i], "0", 1) != 1)
			return -1;
	return 0;
}

/* The number behind a word at the beginning of a line. */
static long count_of(const char *folder, const char *file, const char *word)
{
	lb_autofree char *path = lb_printf("%s/%s", folder, file);
	lb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[1024];
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at = text;
	size_t len = strlen(word);

	if (got <= 0)
		return 0;
	text[got] = '\0';
	for (; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, word, len) == 0)
			return strtol(at + len, NULL, 10);
	}
	return 0;
}

bool lb_cgroup_was_short(const struct lb_cgroup *g)
{
	if (g->n == 0)
		return false;
	return count_of(g->folders[LB_CGROUP_MEMORY],
			g->version == 2 ? "memory.events"
					: "memory.oom_control",
			"oom_kill ") > 0;
}

int64_t lb_cgroup_cpu_ms(const struct lb_cgroup *g)
{
	lb_autofree char *path = NULL;
	lb_autoclose int fd = -1;
	char text[64];
	ssize_t got;

	if (g->counts < 0 || g->counts >= g->n)
		return -1;
	if (g->version == 2)
		return count_of(g->folders[g->counts], "cpu.stat",
				"usage_usec ") /
		       1000;
	path = lb_printf("%s/cpuacct.usage", g->folders[g->counts]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (got <= 0)
		return -1;
	text[got] = '\0';
	return strtoll(text, NULL, 10) / 1000000;
}

/* Send SIGKILL to everything in it. */
static void kill_all(const char *folder)
{
	lb_autofree char *path = lb_printf("%s/cgroup.procs", folder);
	FILE *f;
	long pid;

	if (write_to(folder, "cgroup.kill", "1") == 0)
		return;
	f = fopen(path, "re");
	if (!f)
		return;
	while (fscanf(f, "%ld", &pid) == 1)
		if (pid > 1)
			kill((pid_t)pid, SIGKILL);
	fclose(f);
}

/* Without what is in it; false: something lives on. */
static bool remove_group(const char *folder)
{
	if (rmdir(folder) == 0 || errno != EBUSY)
		return true;
	kill_all(folder);
	return rmdir(folder) == 0 || errno != EBUSY;
}

/* The first of them goes last: where it is not, none is. */
bool lb_cgroup_end(struct lb_cgroup *g)
{
	for (int i = 0; i < g->n; i++) {
		if (g->joins[i] >= 0)
			close(g->joins[i]);
		g->joins[i] = -1;
	}
	while (g->n > 0 && remove_group(g->folders[g->n - 1]))
		free(g->folders[--g->n]);
	return g->n == 0;
}
