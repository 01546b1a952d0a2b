/* engine-check.c - is what waits in an engine as it should be? */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "box/engine.h"

enum { MOST = 64 * 1024 };

/* What a file of a process says; NULL. */
static char *of_process(pid_t pid, const char *name)
{
	lb_autofree char *path = lb_printf("/proc/%ld/%s", (long)pid, name);
	struct lb_error ignored;
	char *text = NULL;
	size_t len;

	return lb_path_read(path, MOST, &text, &len, &ignored) < 0 ? NULL
								   : text;
}

/* The rest of a line that begins so; NULL. */
static const char *line_of(const char *text, const char *begins)
{
	size_t len = strlen(begins);

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (strncmp(text, begins, len) == 0)
			return text + len;
	return NULL;
}

static bool says(const char *status, const char *name, const char *value)
{
	const char *line = line_of(status, name);

	return line && strncmp(line, value, strlen(value)) == 0 &&
	       line[strlen(value)] == '\n';
}

/* All four of a process's user ids are that one, as this machine counts. */
static bool is_user(const char *status, const char *name, unsigned long id)
{
	lb_autofree char *four =
		lb_printf("%lu\t%lu\t%lu\t%lu", id, id, id, id);

	return says(status, name, four);
}

/* In no group but its own. */
static bool has_groups(const struct lb_box_exec *x, const char *status)
{
	lb_autofree char *own = lb_printf("%lu \n", (unsigned long)x->gid);
	const char *line = line_of(status, "Groups:\t");

	return !line || (strncmp(line, own, strlen(own)) != 0 &&
			 line[strspn(line, " ")] != '\n');
}

static const char *what_is_open(const struct lb_box_exec *x, const char *status)
{
	static const char none[] = "0000000000000000";

	if (!is_user(status, "Uid:\t", x->uid) || x->uid == 0)
		return "it is somebody else than it should be";
	if (!is_user(status, "Gid:\t", x->gid) || x->gid == 0)
		return "it is in another group than it should be";
	if (has_groups(x, status))
		return "it is in more groups than its own";
	if (!says(status, "CapPrm:\t", none) ||
	    !says(status, "CapBnd:\t", none) ||
	    !says(status, "CapInh:\t", none))
		return "it has capabilities";
	if (!says(status, "NoNewPrivs:\t", "1"))
		return "it could get privileges";
	if (!says(status, "Seccomp:\t", "2"))
		return "its system calls are not filtered";
	return NULL;
}

/*
 * The folder of the group that counts a process's memory; caller frees. NULL.
 * Version 2 has one line, "0::PATH"; version 1 one for each controller.
 */
static char *memory_folder(pid_t pid, int *version)
{
	lb_autofree char *groups = of_process(pid, "cgroup");

	for (char *line = groups; line && *line;) {
		char *end = strchr(line, '\n'), *what = strchr(line, ':');
		char *path = what ? strchr(what + 1, ':') : NULL;

		if (!path || !end)
			break;
		*path++ = *end = '\0';
		*version = what[1] ? 1 : 2;
		if (strstr(what + 1, "memory"))
			return lb_printf("/sys/fs/cgroup/memory%s", path);
		if (!what[1] &&
		    access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0)
			return lb_printf("/sys/fs/cgroup%s", path);
		line = end + 1;
	}
	return NULL;
}

static bool is_limited(pid_t pid, int64_t memory_mb)
{
	int version = 0;
	lb_autofree char *folder = memory_folder(pid, &version);
	lb_autofree char *path = NULL, *text = NULL;
	struct lb_error ignored;
	long long most;
	size_t len;

	if (!folder)
		return false;
	path = lb_printf("%s/%s", folder,
			 version == 2 ? "memory.max" : "memory.limit_in_bytes");
	if (lb_path_read(path, MOST, &text, &len, &ignored) < 0)
		return false;
	most = strtoll(text, NULL, 10);
	return most > 0 && most <= memory_mb << 20;
}

int lb_engine_check(const struct lb_box_exec *x, pid_t child,
		    enum lb_box_limits *limits, struct lb_error *err)
{
	lb_autofree char *status = of_process(child, "status");
	const char *why = status ? what_is_open(x, status)
				 : "its process cannot be seen from here";

	*limits = is_limited(child, x->spec->memory_mb) ? LB_BOX_CGROUP
							: LB_BOX_RLIMIT;
	return why ? lb_fail(err, LB_UNAVAILABLE,
			     "there is no sandbox: what the engine made is not "
			     "closed: %s; nothing was run",
			     why)
		   : 0;
}

/* Is it the first one of a PID namespace below ours? */
static bool is_first(pid_t pid)
{
	lb_autofree char *status = of_process(pid, "status");
	const char *numbers = line_of(status, "NSpid:\t");
	const char *end = numbers ? strchr(numbers, '\n') : NULL;

	return end && end - numbers > 2 && memcmp(end - 2, "\t1", 2) == 0;
}

pid_t lb_engine_first(pid_t engine)
{
	lb_autofree char *name = lb_printf("task/%ld/children", (long)engine);
	lb_autofree char *children = of_process(engine, name);
	char *at = children, *end;

	for (long pid; at && (pid = strtol(at, &end, 10)) > 0; at = end)
		if (is_first((pid_t)pid))
			return (pid_t)pid;
	return 0;
}

int lb_engine_open_memory(pid_t pid)
{
	int version = 0;
	lb_autofree char *folder = memory_folder(pid, &version);
	lb_autofree char *path = lb_printf("%s/%s", folder ? folder : "",
					   version == 2 ? "memory.events"
							: "memory.oom_control");

	return folder ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

bool lb_engine_was_short(int take_fd)
{
	char text[1024];
	ssize_t got =
		take_fd < 0 ? -1 : pread(take_fd, text, sizeof(text) - 1, 0);
	const char *count;

	if (take_fd >= 0)
		close(take_fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	count = line_of(text, "oom_kill ");
	return count && strtol(count, NULL, 10) > 0;
}
