#include "box/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/stop.h"
#include "box/keeping.h"
#include "fs/atomic.h"
#include "fs/lock.h"

enum { DEATH_MS = 5000 /* from SIGTERM to SIGKILL */ };

static void put_info(struct lb_keeping *k, const char *status)
{
	lb_autofree char *path = lb_printf("%s/info", k->how->folder);
	lb_autobuf struct lb_buf text = {NULL};
	json_auto_t *info = json_object();
	json_t *command = json_array();
	struct lb_error err;

	for (char *const *c = k->how->command; *c; c++)
		json_array_append_new(command, lb_json_text(*c, strlen(*c)));
	json_object_set_new(info, "name", json_string(k->how->name));
	if (k->how->session)
		json_object_set_new(info, "session",
				    lb_json_text(k->how->session,
						 strlen(k->how->session)));
	json_object_set_new(info, "status", json_string(status));
	json_object_set_new(info, "command", command);
	json_object_set_new(info, "pid", json_integer(getpid()));
	json_object_set_new(info, "started_at", json_integer(k->started));
	json_object_set_new(info, "attached", json_boolean(k->client >= 0));
	json_object_set_new(info, "persistent",
			    json_boolean(k->how->idle_ms == INT64_MAX));
	if (k->how->owner.pid) {
		json_object_set_new(info, "owner",
				    json_integer(k->how->owner.pid));
		json_object_set_new(info, "owner_since",
				    json_integer(k->how->owner.since));
	}
	if (strcmp(status, "exited") == 0) {
		json_object_set_new(info, "exited_at",
				    json_integer(lb_clock_now()));
		json_object_set_new(info, "exit_code", json_integer(k->status));
		if (k->ended)
			json_object_set_new(info, "ended",
					    json_string(k->ended));
	}
	lb_buf_json(&text, info);
	lb_buf_putc(&text, '\n');
	if (lb_atomic_replace(path, text.data, text.len, &err) < 0)
		lb_keeper_log(&k->log, "%s", err.text);
}

static void on_death(void *arg)
{
	struct lb_keeping *k = arg;

	lb_guard_kill(k->guard, k->pid);
}

static void on_grace(void *arg)
{
	struct lb_keeping *k = arg;

	kill(k->pid, SIGTERM);
	lb_timer_set(k->loop, &k->death, lb_clock_mono() + DEATH_MS, on_death,
		     k);
}

static void end(struct lb_keeping *k, const char *why, int64_t grace_ms)
{
	if (k->ended && grace_ms <= 0)
		on_grace(k);
	if (k->ended)
		return;
	k->ended = why;
	lb_keeper_log(&k->log, "it is ended: %s", why);
	lb_keeping_shut(k, &k->in);
	if (grace_ms > 0)
		lb_timer_set(k->loop, &k->death, lb_clock_mono() + grace_ms,
			     on_grace, k);
	else
		on_grace(k);
}

static void on_idle(void *arg)
{
	end(arg, "nobody was attached for too long",
	    ((struct lb_keeping *)arg)->how->grace_ms);
}

/* Somebody is there, or not: it counts from now. */
static void count_idle(struct lb_keeping *k)
{
	lb_timer_cancel(k->loop, &k->idle);
	if (k->client < 0 && k->how->idle_ms < INT64_MAX)
		lb_timer_set(k->loop, &k->idle,
			     lb_clock_mono() + k->how->idle_ms, on_idle, k);
}

void lb_keeping_tell(struct lb_keeping *k)
{
	put_info(k, "running");
	count_idle(k);
}

static void on_exit_(int fd, uint32_t events, void *arg)
{
	struct lb_keeping *k = arg;
	int status;

	(void)events;
	if (waitpid(k->pid, &status, WNOHANG) != k->pid)
		return;
	lb_loop_watch(k->loop, fd, 0, NULL, NULL);
	lb_guard_forget(k->guard, k->pid);
	k->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
					: WEXITSTATUS(status);
	k->over = true;
}

static void on_owner(int fd, uint32_t events, void *arg)
{
	struct lb_keeping *k = arg;

	(void)fd;
	(void)events;
	lb_keeping_shut(k, &k->owner);
	end(k, "its owner ended", k->how->grace_ms);
}

static void on_stop(void *arg)
{
	struct lb_keeping *k = arg;

	end(k, "it was told to",
	    lb_stop_signal() == SIGTERM ? k->how->grace_ms : 0);
}

/* Below a descriptor a path is short enough for an address. */
static int listen_at(const char *folder, struct lb_error *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	lb_autofree char *path = lb_printf("%s/socket", folder);
	lb_autoclose int below = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t before = umask(0177);
	int bad;

	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/socket",
		 below);
	unlink(path); /* we have the lock: it is nobody's */
	bad = below < 0 || fd < 0 ||
	      bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	      listen(fd, 8) < 0;
	if (bad)
		lb_fail_sys(err, LB_IO, "cannot listen at '%s'", path);
	umask(before);
	if (bad && fd >= 0)
		close(fd);
	return bad ? -1 : fd;
}

static int take_place(struct lb_keeping *k, struct lb_error *err)
{
	lb_autofree char *lock = lb_printf("%s/lock", k->how->folder);
	pid_t holder = 0;

	k->lock = lb_lock_hold(lock, &holder, err);
	if (k->lock < 0)
		return err->code == LB_AGAIN
			       ? lb_fail(err, LB_AGAIN,
					 "'%s' runs already (its keeper is "
					 "%ld): 'lb-box stop %s' ends it",
					 k->how->name, (long)holder,
					 k->how->name)
			       : -1;
	if (lb_keeper_log_open(&k->log, k->how->folder, err) < 0)
		return -1;
	k->listener = listen_at(k->how->folder, err);
	if (k->listener < 0 || k->how->owner.pid == 0)
		return k->listener < 0 ? -1 : 0;
	k->owner = lb_owner_watch(&k->how->owner);
	return k->owner < 0 ? lb_fail_sys(err, LB_USAGE,
					  "the owner %ld is not there",
					  (long)k->how->owner.pid)
			    : 0;
}

static int start(struct lb_keeping *k, struct lb_error *err)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, error[2] = {-1, -1}, bad = -1;

	k->guard = lb_guard_open(err);
	if (!k->guard)
		return -1;
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
	    pipe2(error, O_CLOEXEC) < 0)
		lb_fail_sys(err, LB_OS, "cannot make a pipe");
	else
		bad = lb_guard_spawn(k->guard,
				     &(struct lb_guarded){
					     .argv = k->how->argv,
					     .in = in[0],
					     .out = out[1],
					     .err_fd = error[1],
				     },
				     &k->pid, err);
	k->in = in[1];
	k->out = out[0];
	k->err = error[0];
	for (int i = 0; i < 3; i++) {
		const int theirs[] = {in[0], out[1], error[1]};
		const int ours[] = {in[1], out[0], error[0]};

		if (theirs[i] >= 0)
			close(theirs[i]);
		if (ours[i] >= 0)
			fcntl(ours[i], F_SETFL, O_NONBLOCK);
	}
	return bad;
}

static int watch(struct lb_keeping *k, struct lb_error *err)
{
	k->pidfd = lb_proc_watch(k->pid);
	if (k->pidfd < 0)
		return lb_fail_sys(err, LB_OS, "cannot watch a process");
	lb_stop_watch(k->loop, on_stop, k);
	lb_loop_watch(k->loop, k->pidfd, EPOLLIN, on_exit_, k);
	lb_loop_watch(k->loop, k->listener, EPOLLIN, lb_keeping_accept, k);
	if (k->owner >= 0)
		lb_loop_watch(k->loop, k->owner, EPOLLIN, on_owner, k);
	lb_keeping_watch(k);
	return 0;
}

static void close_all(struct lb_keeping *k)
{
	int *const all[] = {&k->in,    &k->out,      &k->err,   &k->pidfd,
			    &k->owner, &k->listener, &k->client};

	lb_timer_cancel(k->loop, &k->idle);
	lb_timer_cancel(k->loop, &k->death);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		lb_keeping_shut(k, all[i]);
	lb_guard_close(k->guard);
	lb_way_release(&k->to);
	lb_way_release(&k->from);
	lb_keeper_log_close(&k->log);
	lb_loop_close(k->loop);
	if (k->lock >= 0)
		close(k->lock);
}

static void keep(struct lb_keeping *k)
{
	k->started = lb_clock_now();
	lb_keeping_tell(k);
	if (k->how->gate >= 0)
		close(k->how->gate);
	if (k->how->ready >= 0) {
		if (write(k->how->ready, "\n", 1) < 0)
			errno = 0; /* whoever waits may be gone */
		close(k->how->ready);
	}
	while (!k->over)
		lb_loop_turn(k->loop, -1);
	lb_keeping_drain(k);
	lb_stop_forget(k->loop);
	put_info(k, "exited");
}

int lb_keeper_run(const struct lb_keeper *how, struct lb_error *err)
{
	lb_autofree char *socket_path = lb_printf("%s/socket", how->folder);
	struct lb_keeping k = {
		.how = how,
		.loop = lb_loop_open(),
		.lock = -1,
		.listener = -1,
		.in = -1,
		.out = -1,
		.err = -1,
		.pidfd = -1,
		.owner = -1,
		.client = -1,
		.log = {.fd = -1},
	};
	int bad = take_place(&k, err);

	if (bad == 0)
		bad = start(&k, err) < 0 || watch(&k, err) < 0 ? -1 : 0;
	if (bad == 0)
		keep(&k);
	if (k.listener >= 0)
		unlink(socket_path);
	close_all(&k);
	return bad < 0 ? -1 : k.status;
}
