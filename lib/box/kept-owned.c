/* kept-owned.c - the processes that are somebody's, and those whose owner is
 * gone. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/kept.h"

enum { MOST = 4096, LAST_MS = 2000 };

/* Whose it is while it runs; pid 0: nobody's. */
static struct lb_owner owner_of(const json_t *info)
{
	const char *status = lb_json_str(info, "status");
	int64_t pid = 0, since = -1;

	if (!status || strcmp(status, "running") != 0 ||
	    !lb_json_int(info, "owner", &pid) ||
	    !lb_json_int(info, "owner_since", &since))
		return (struct lb_owner){.pid = 0};
	return (struct lb_owner){(pid_t)pid, since};
}

struct owned {
	const char *processes;
	const struct lb_owner *owner;
	struct pollfd keepers[MOST];
	size_t n;
};

static void tell_to_end(void *arg, const char *name, const json_t *info)
{
	struct owned *o = arg;
	struct lb_owner is = owner_of(info);
	lb_autofree char *folder = lb_kept_folder(o->processes, name);
	int fd;

	if (is.pid != o->owner->pid || is.since != o->owner->since ||
	    o->n == MOST)
		return;
	fd = lb_kept_hold(folder);
	if (fd < 0)
		return;
	syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0);
	o->keepers[o->n++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/* How many are still there at that time, mono ms. */
static size_t wait_for(struct owned *o, int64_t until)
{
	size_t left;
	int64_t ms;

	for (;;) {
		left = 0;
		for (size_t i = 0; i < o->n; i++) {
			if (o->keepers[i].fd >= 0 && o->keepers[i].revents) {
				close(o->keepers[i].fd);
				o->keepers[i].fd = -1;
			}
			left += o->keepers[i].fd >= 0;
		}
		ms = until - lb_clock_mono();
		if (left == 0 || ms <= 0)
			return left;
		poll(o->keepers, o->n, ms < LAST_MS ? (int)ms : LAST_MS);
	}
}

void lb_kept_end_owned(const char *processes, const struct lb_owner *owner,
		       int64_t until)
{
	struct owned *o = lb_alloc(sizeof(*o));
	struct lb_error ignored;

	o->processes = processes;
	o->owner = owner;
	lb_kept_each(processes, tell_to_end, o, &ignored);
	if (wait_for(o, until) > 0) {
		/* Their guards end what they kept. */
		for (size_t i = 0; i < o->n; i++)
			if (o->keepers[i].fd >= 0)
				syscall(SYS_pidfd_send_signal, o->keepers[i].fd,
					SIGKILL, NULL, 0);
		wait_for(o, lb_clock_mono() + LAST_MS);
	}
	for (size_t i = 0; i < o->n; i++)
		if (o->keepers[i].fd >= 0)
			close(o->keepers[i].fd);
	free(o);
}

struct orphans {
	const char *processes;
	void (*fn)(void *arg, const char *name);
	void *arg;
};

static void look(void *arg, const char *name, const json_t *info)
{
	const struct orphans *o = arg;
	struct lb_owner owner = owner_of(info);

	if (owner.pid > 0 && !lb_owner_lives(&owner))
		o->fn(o->arg, name);
}

int lb_kept_orphans(const char *processes,
		    void (*fn)(void *arg, const char *name), void *arg,
		    struct lb_error *err)
{
	struct orphans o = {processes, fn, arg};

	return lb_kept_each(processes, look, &o, err);
}
