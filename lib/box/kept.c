/* kept.c - the processes that have a keeper, as others see them. */
#include "box/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/place.h"
#include "fs/lock.h"
#include "fs/tree.h"

enum {
	MOST_INFO = 256 * 1024, /* bytes */
	STOP_SLACK_MS = 12000,  /* from the kill to the keeper's end */
	GREETING_MS = 5000,
	MOST_GREETING = 512,
};

static bool is(const json_t *o, const char *key, const char *text)
{
	const char *has = lb_json_str(o, key);

	return has && strcmp(has, text) == 0;
}

int lb_kept_check_name(const char *name, struct lb_error *err)
{
	size_t len = strlen(name);

	if (len == 0 || len > LB_KEPT_NAME_MAX || name[0] == '.' ||
	    name[0] == '-' ||
	    strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			 "0123456789._-") != len)
		return lb_fail(err, LB_USAGE,
			       "a process is called by at most %d of "
			       "[A-Za-z0-9._-], not by '%s'",
			       LB_KEPT_NAME_MAX, name);
	return 0;
}

char *lb_kept_all(struct lb_config *config, const char *state)
{
	lb_autofree char *root = lb_box_root(config, state);

	return lb_kept_below(root);
}

char *lb_kept_below(const char *root)
{
	return lb_printf("%s/processes", root);
}

char *lb_kept_folder(const char *processes, const char *name)
{
	return lb_printf("%s/%s", processes, name);
}

pid_t lb_kept_keeper(const char *folder)
{
	lb_autofree char *lock = lb_printf("%s/lock", folder);

	return lb_lock_holder(lock);
}

json_t *lb_kept_info(const char *folder, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s/info", folder), *text = NULL;
	const char *status;
	size_t len;
	json_t *info;
	/* Whether it lives is asked first: it says how it ended, then ends. */
	bool lives = lb_kept_keeper(folder) != 0;

	if (lb_path_read(path, MOST_INFO, &text, &len, err) < 0)
		return NULL;
	info = json_loadb(text, len, JSON_ALLOW_NUL, NULL);
	status = lb_json_str(info, "status");
	if (!json_is_object(info) || !status) {
		json_decref(info);
		lb_fail(err, LB_IO, "'%s' is damaged", path);
		return NULL;
	}
	if (!lives && strcmp(status, "running") == 0) {
		json_object_set_new(info, "status", json_string("lost"));
		json_object_set_new(info, "attached", json_false());
	}
	return info;
}

static int by_name(const struct dirent *d)
{
	struct lb_error err;

	return lb_kept_check_name(d->d_name, &err) == 0;
}

int lb_kept_each(const char *processes,
		 void (*fn)(void *arg, const char *name, const json_t *info),
		 void *arg, struct lb_error *err)
{
	struct dirent **all;
	int n = scandir(processes, &all, by_name, alphasort);

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return lb_fail_sys(err, LB_IO, "cannot read '%s'", processes);
	for (int i = 0; i < n; i++) {
		lb_autofree char *folder =
			lb_kept_folder(processes, all[i]->d_name);
		struct lb_error gone;
		json_auto_t *info = lb_kept_info(folder, &gone);

		if (info) /* else it is only being made */
			fn(arg, all[i]->d_name, info);
		free(all[i]);
	}
	free(all);
	return 0;
}

/* The pid may be another's by now: who holds the lock is asked once more when
 * we have hold of the process. */
int lb_kept_hold(const char *folder)
{
	pid_t pid = lb_kept_keeper(folder);
	int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	if (fd >= 0 && lb_kept_keeper(folder) == pid)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool ends_within(int pidfd, int64_t ms)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	int64_t until = lb_clock_mono() + ms, left;

	while ((left = until - lb_clock_mono()) > 0)
		if (poll(&p, 1, left > 60000 ? 60000 : (int)left) > 0)
			return true;
	return false;
}

int lb_kept_stop(const char *folder, int64_t grace_ms, struct lb_error *err)
{
	lb_autoclose int keeper = lb_kept_hold(folder);
	const char *name = strrchr(folder, '/') + 1;

	if (keeper < 0)
		return lb_fail(err, LB_NOINPUT, "no process '%s' runs", name);
	if (syscall(SYS_pidfd_send_signal, keeper,
		    grace_ms > 0 ? SIGTERM : SIGINT, NULL, 0) < 0 &&
	    errno != ESRCH)
		return lb_fail_sys(err, LB_DENIED, "cannot end '%s'", name);
	if (ends_within(keeper, grace_ms + STOP_SLACK_MS))
		return 0;
	/* Its guard ends what it kept. */
	syscall(SYS_pidfd_send_signal, keeper, SIGKILL, NULL, 0);
	return ends_within(keeper, STOP_SLACK_MS)
		       ? 0
		       : lb_fail(err, LB_AGAIN, "'%s' does not end", name);
}

/* A path may be longer than an address can say; below a descriptor it is
 * short. */
static int connect_to(const char *folder)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	lb_autoclose int at =
		open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd;

	if (at < 0)
		return -1;
	snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d/socket",
		 at);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Byte by byte: what follows it is not ours. */
static int read_greeting(int fd, const char *name, struct lb_error *err)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char text[MOST_GREETING];
	size_t len = 0;
	json_auto_t *greeting = NULL;

	while (len < sizeof(text) && (len == 0 || text[len - 1] != '\n')) {
		if (poll(&p, 1, GREETING_MS) <= 0)
			return lb_fail(err, LB_AGAIN,
				       "the keeper of '%s' says nothing", name);
		if (read(fd, text + len, 1) != 1)
			break;
		len++;
	}
	greeting = json_loadb(text, len, 0, NULL);
	if (is(greeting, "kind", "attached"))
		return 0;
	return lb_fail(err, LB_AGAIN, "cannot attach to '%s': %s", name,
		       is(greeting, "code", "busy")
			       ? "somebody else is attached"
			       : "it has just ended");
}

int lb_kept_connect(const char *folder, struct lb_error *err)
{
	const char *name = strrchr(folder, '/') + 1;
	int fd = connect_to(folder);

	if (fd < 0 &&
	    (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR))
		return lb_fail(err, LB_NOINPUT, "no process '%s' runs", name);
	if (fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot reach '%s'", name);
	if (read_greeting(fd, name, err) == 0)
		return fd;
	close(fd);
	return -1;
}

struct sweep {
	int at;
	int64_t kept_ms, now;
	long most, n_ended;
	int done;
};

static void count_one(void *arg, const char *name, const json_t *info)
{
	struct sweep *s = arg;

	(void)name;
	s->n_ended += !is(info, "status", "running");
}

static void sweep_one(void *arg, const char *name, const json_t *info)
{
	static const struct lb_tree_limits no_limits;
	struct sweep *s = arg;
	int64_t ended = 0;
	struct lb_error err;

	if (is(info, "status", "running"))
		return;
	if (!lb_json_int(info, "exited_at", &ended))
		lb_json_int(info, "started_at", &ended);
	/* The oldest of too many are not told from others: names decide. */
	if (s->now - ended < s->kept_ms && s->n_ended <= s->most)
		return;
	if (lb_tree_remove(s->at, name, &no_limits, &err) == 0) {
		s->n_ended--;
		s->done++;
	}
}

int lb_kept_sweep(const char *processes, int64_t kept_ms, long most)
{
	lb_autoclose int at = open(processes, O_RDONLY | O_DIRECTORY |
						      O_NOFOLLOW | O_CLOEXEC);
	struct sweep s = {
		.at = at,
		.kept_ms = kept_ms,
		.now = lb_clock_now(),
		.most = most,
	};
	struct lb_error err;

	if (at < 0 || lb_kept_each(processes, count_one, &s, &err) < 0 ||
	    lb_kept_each(processes, sweep_one, &s, &err) < 0)
		return 0;
	return s.done;
}
