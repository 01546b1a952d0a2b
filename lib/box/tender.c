#include "box/tender.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "box/engine.h"
#include "fs/tree.h"

/* The tender's own descriptors, by number; the command's are above them. */
enum { FD_STATUS = 3, FD_ORDERS, FD_LOCK, FD_ALL, FD_COMMAND = 16 };

enum {
	FIND_MS = 10000,
	REMOVE_MS = 15000,
	AGAIN_MS = 200,
	REAP_MS = 5,
	STAYS_MS = 5000, /* what looks after one that is gone */
	GONE_MS = 1000,  /* what was killed */
	TRIES = 3,       /* to remove what may only just be about to be there */
	SAID = 4096,
};

/* What it waits for, by place in the list of poll(2). */
enum { ORDERS, READY, CLIENT, INIT, SOURCES };

struct tender {
	const struct lb_tended *t;
	pid_t client;
	int status; /* of waitpid(2), once the client has ended */
	int fds[SOURCES];
	int gate;   /* -1: it waits there still */
	int memory; /* where the kernel counts what it killed; -1 */
	bool short_of_memory, killed, ended;
};

/* Not everything can be killed: what another user became, or the kernel holds. */
int lb_tender_wait(pid_t pid, int64_t ms)
{
	lb_autoclose int fd = lb_proc_watch(pid);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int status;

	if (fd >= 0)
		poll(&p, 1, ms > 0 ? (int)ms : 0);
	return waitpid(pid, &status, WNOHANG) == pid ? status : -1;
}

int lb_tender_run(char *const argv[], char *const env[], int64_t timeout_ms,
		  struct lb_buf *said)
{
	int64_t until = lb_clock_mono() + timeout_ms;
	lb_autoclose int from = -1;
	int ends[2], status = -1;
	struct lb_error ignored;
	char text[SAID];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	from = ends[0];
	if (lb_proc_start(argv, env, -1, ends[1], ends[1], &pid, &ignored) < 0)
		pid = -1;
	close(ends[1]);
	while (pid > 0) {
		int64_t left = until - lb_clock_mono();
		struct pollfd p = {.fd = from, .events = POLLIN};
		ssize_t got;

		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			break;
		got = read(from, text, sizeof(text));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (said && said->len < SAID)
			lb_buf_put(said, text, (size_t)got);
	}
	if (pid > 0)
		status = lb_tender_wait(pid, until - lb_clock_mono());
	if (pid > 0 && status < 0) {
		kill(-pid, SIGKILL);
		lb_tender_wait(pid, GONE_MS);
	}
	return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static long number_at(const char *path)
{
	struct lb_error ignored;
	lb_autofree char *text = NULL;
	size_t len;

	if (lb_path_read(path, SAID, &text, &len, &ignored) < 0)
		return 0;
	return strtol(text, NULL, 10);
}

/* The first process inside, as this machine counts. */
static pid_t find(const struct tender *s)
{
	const struct lb_tended *t = s->t;
	lb_autobuf struct lb_buf said = {NULL};

	if (t->pidfile)
		return (pid_t)number_at(t->pidfile);
	if (t->find)
		return lb_tender_run(t->find, t->launch.env, FIND_MS, &said) ==
				       0
			       ? (pid_t)strtol(lb_buf_str(&said), NULL, 10)
			       : 0;
	return lb_engine_first(s->client);
}

static void say(const char *what, long number, const char *more)
{
	char line[128];
	int len = snprintf(line, sizeof(line), "{\"%s\": %ld%s}\n", what,
			   number, more);

	/* Whoever does not listen any more is gone. */
	if (write(FD_STATUS, line, (size_t)len) < 0)
		return;
}

/* It waits at the gate. */
static void on_ready(struct tender *s)
{
	pid_t pid = find(s);
	char mark;

	while (read(s->fds[READY], &mark, 1) > 0)
		continue;
	close(s->fds[READY]);
	s->fds[READY] = -1;
	if (pid <= 0)
		return;
	s->fds[INIT] = lb_proc_watch(pid);
	s->memory = lb_engine_open_memory(pid);
	say("child-pid", pid, "");
}

static void on_order(struct tender *s)
{
	char order;
	ssize_t got = read(FD_ORDERS, &order, 1);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got == 1) {
		/* Both ends are ours, so that neither waits for the other. */
		s->gate = open(LB_TENDED_GATE, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (s->gate < 0 || write(s->gate, "go\n", 3) != 3)
			s->killed = true;
	} else {
		s->killed = true;
	}
}

/* Its memory is counted as long as nobody has removed the group. */
static void on_init(struct tender *s)
{
	s->short_of_memory = lb_engine_was_short(s->memory);
	close(s->fds[INIT]);
	s->fds[INIT] = -1;
}

static void on_client(struct tender *s)
{
	if (waitpid(s->client, &s->status, WNOHANG) == s->client)
		s->ended = true;
}

static void serve(struct tender *s)
{
	static void (*const those[])(struct tender * s) = {
		[ORDERS] = on_order,
		[READY] = on_ready,
		[CLIENT] = on_client,
		[INIT] = on_init,
	};
	struct pollfd p[SOURCES];

	while (!s->ended && !s->killed) {
		for (int i = 0; i < SOURCES; i++)
			p[i] = (struct pollfd){.fd = s->fds[i],
					       .events = POLLIN};
		if (poll(p, SOURCES, -1) < 0)
			continue;
		/* How its first process ended is looked at first. */
		for (int i = SOURCES - 1; i >= 0 && !s->killed; i--)
			if (p[i].revents)
				those[i](s);
	}
}

/* Remove it, as often as it takes. */
static void remove_it(const struct tender *s)
{
	for (int i = 0; s->t->remove && i < TRIES; i++) {
		if (i > 0)
			poll(NULL, 0, AGAIN_MS);
		lb_tender_run(s->t->remove, s->t->launch.env, REMOVE_MS, NULL);
		/* One that was seen to wait is there: once will do. */
		if (s->fds[READY] < 0)
			break;
	}
}

static void kill_all(struct tender *s)
{
	if (s->fds[INIT] >= 0)
		syscall(SYS_pidfd_send_signal, s->fds[INIT], SIGKILL, NULL, 0);
	if (!s->ended) {
		kill(-s->client, SIGKILL);
		kill(s->client, SIGKILL);
		lb_tender_wait(s->client, GONE_MS);
	}
	remove_it(s);
}

/* The client ended. Where it did so by itself, the engine has removed all. */
static void tell_end(struct tender *s)
{
	bool ran = s->gate >= 0 || (s->t->is_blind && WIFEXITED(s->status) &&
				    WEXITSTATUS(s->status) != LB_ENGINE_FAILED);

	if (WIFEXITED(s->status) && ran)
		say("exit-code", WEXITSTATUS(s->status),
		    s->short_of_memory ? ", \"short\": true" : "");
	if (!ran || !WIFEXITED(s->status))
		kill_all(s);
}

static void remove_folder(const char *folder)
{
	static const struct lb_tree_limits no_limits;
	lb_autofree char *parent = lb_strdup(folder);
	char *slash = strrchr(parent, '/');
	struct lb_error ignored;
	int fd;

	*slash = '\0';
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		lb_tree_remove(fd, slash + 1, &no_limits, &ignored);
}

/* What the command has for 0, 1 and 2 is moved out of our way. */
static int set_up(int given[3])
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < 3; i++) {
		given[i] = fcntl(i, F_DUPFD_CLOEXEC, FD_COMMAND);
		if (given[i] < 0 || null < 0 || dup2(null, i) < 0)
			return -1;
	}
	for (int i = FD_STATUS; i < FD_ALL; i++)
		fcntl(i, F_SETFD, FD_CLOEXEC);
	prctl(PR_SET_NAME, "lb-tender");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

/* Our descriptors of it were closed with all others. */
static int open_group(struct lb_cgroup *group)
{
	for (int i = 0; i < group->n; i++) {
		lb_autofree char *path =
			lb_printf("%s/cgroup.procs", group->folders[i]);

		group->joins[i] = open(path, O_WRONLY | O_CLOEXEC);
		if (group->joins[i] < 0)
			return -1;
	}
	return 0;
}

static int launch(struct tender *s)
{
	struct lb_launch l = s->t->launch;
	struct lb_cgroup group =
		l.group ? *l.group : (struct lb_cgroup){.n = 0};
	struct lb_error err;
	int given[3];

	if (set_up(given) < 0 || chdir(s->t->folder) < 0 ||
	    open_group(&group) < 0)
		return -1;
	l.group = l.group ? &group : NULL;
	s->fds[READY] = open(LB_TENDED_READY,
			     O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	l.fds = given;
	l.n_fds = 3;
	if (lb_launch(&l, &s->client, &err) < 0) {
		dprintf(given[2], "%s\n", err.text);
		return -1;
	}
	for (int i = 0; i < 3; i++)
		close(given[i]);
	s->fds[CLIENT] = lb_proc_watch(s->client);
	return 0;
}

/*
 * What an engine leaves running to look after a container becomes a child of
 * ours, so that it is none of our parent's, who would never wait for it.
 */
static void reap(int64_t until)
{
	while (lb_clock_mono() < until) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno != EINTR)
			return;
		if (pid == 0)
			poll(NULL, 0, REAP_MS);
	}
}

static void __attribute__((noreturn)) tend(const struct lb_tended *t)
{
	struct tender s = {
		.t = t,
		.fds = {FD_ORDERS, -1, -1, -1},
		.gate = -1,
		.memory = -1,
	};

	if (launch(&s) == 0) {
		serve(&s);
		if (s.killed)
			kill_all(&s);
		else
			tell_end(&s);
	}
	reap(lb_clock_mono() + STAYS_MS);
	remove_folder(t->folder);
	_exit(0);
}

pid_t lb_tender_split(struct lb_box_exec *x, int lock, struct lb_error *err)
{
	int said[2] = {-1, -1}, told[2] = {-1, -1};
	bool bad = pipe2(said, O_CLOEXEC) < 0 || pipe2(told, O_CLOEXEC) < 0;
	lb_autoclose int status = said[1], orders = told[0];

	x->status = said[0];
	x->ready = told[1];
	if (bad)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	x->pid = lb_proc_split_off((const int[]){x->in, x->out, x->err, status,
						 orders, lock},
				   FD_ALL, err);
	if (x->pid == 0)
		status = orders = -1; /* they are closed; others may be that */
	return x->pid;
}

int lb_tender_start(struct lb_box_exec *x, const struct lb_tended *t, int lock,
		    struct lb_error *err)
{
	pid_t pid = lb_tender_split(x, lock, err);

	if (pid == 0)
		tend(t);
	return pid < 0 ? -1 : 0;
}

void lb_tender_read(const char *line, struct lb_box_report *report)
{
	const char *at = strstr(line, "\"child-pid\":");

	if (at)
		report->child = (pid_t)strtol(at + 12, NULL, 10);
	at = strstr(line, "\"exit-code\":");
	if (at)
		report->exit_code = (int)strtol(at + 12, NULL, 10);
	report->short_of_memory |= strstr(line, "\"short\":") != NULL;
}

int lb_tender_let_go(int ready)
{
	return write(ready, "g", 1) == 1 ? 0 : -1;
}
