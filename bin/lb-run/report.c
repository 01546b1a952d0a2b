/* lb-run - who we are to others: the lock, the status file, the service
 * manager. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "fs/atomic.h"
#include "fs/lock.h"
#include "super.h"

enum { SOON_MS = 50, AGAIN_MS = 2000, BLOCK = 4096 };

static void on_report(void *arg);

static const char *const role_names[] = {"all", "worker", "ingest"};

char *report_file(const char *state, enum role role)
{
	return lb_printf("%s/run/lb-run-%s.json", state, role_names[role]);
}

char *report_lock_file(const char *state, enum role role)
{
	return lb_printf("%s/run/lb-run-%s.lock", state, role_names[role]);
}

static int lock(struct super *s, enum role role, int *fd, struct lb_error *err)
{
	lb_autofree char *path = report_lock_file(s->state, role);
	pid_t holder;

	*fd = lb_lock_hold(path, &holder, err);
	if (*fd >= 0)
		return 0;
	if (err->code != LB_AGAIN)
		return -1;
	return lb_fail(err, LB_AGAIN,
		       "it runs already for '%s', as process %ld", s->state,
		       (long)holder);
}

/* One lb-run a state folder, or one for each half of the work. */
int report_lock(struct super *s, struct lb_error *err)
{
	s->locks[0] = s->locks[1] = -1;
	if (s->role != ROLE_INGEST &&
	    lock(s, ROLE_WORKER, &s->locks[0], err) < 0)
		return -1;
	if (s->role != ROLE_WORKER &&
	    lock(s, ROLE_INGEST, &s->locks[1], err) < 0)
		return -1;
	return 0;
}

static json_t *describe(const struct member *m)
{
	json_t *o =
		lb_json_pack("{s:s, s:s, s:I, s:i}", "name", m->name, "state",
			     m->state, "since", (json_int_t)m->since,
			     "restarts", (int)m->restarts);

	if (m->pid > 0)
		json_object_set_new(o, "pid", json_integer(m->pid));
	if (m->adapter)
		json_object_set_new(o, "adapter", json_string(m->adapter));
	if (m->self)
		json_object_set_new(o, "self", json_string(m->self));
	if (m->said)
		json_object_set_new(o, "message", json_string(m->said));
	return o;
}

static void pad(struct lb_buf *text, size_t len)
{
	while (text->len < len)
		lb_buf_putc(text, '\n');
}

/*
 * On a full disk there is no room for another file, but there is in the one
 * that is there: it is as long as a block.
 */
static int overwrite(const char *path, struct lb_buf *text)
{
	lb_autoclose int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || (size_t)st.st_size < text->len)
		return -1;
	pad(text, (size_t)st.st_size);
	return pwrite(fd, text->data, text->len, 0) == (ssize_t)text->len ? 0
									  : -1;
}

/* What is there and cannot be set right would be believed. */
static void write_report(struct super *s, struct lb_buf *text)
{
	static bool said;
	lb_autofree char *path = report_file(s->state, s->role);
	struct lb_error err;

	pad(text, (text->len + BLOCK - 1) / BLOCK * BLOCK);
	if (lb_atomic_replace(path, text->data, text->len, &err) == 0 ||
	    overwrite(path, text) == 0) {
		said = false;
		return;
	}
	unlink(path);
	if (!said)
		lb_complain("lb-run status cannot be told: %s", err.text);
	said = true;
	lb_timer_set(s->loop, &s->report, lb_clock_mono() + AGAIN_MS, on_report,
		     s);
}

static void on_report(void *arg)
{
	struct super *s = arg;
	json_auto_t *all = json_array(), *o = NULL;
	lb_autobuf struct lb_buf text = {0};

	for (const struct member *m = s->members; m; m = m->next)
		if (m->kind != GC && !(m->kind == BOT && m->leaving))
			json_array_append_new(all, describe(m));
	o = lb_json_pack("{s:i, s:I, s:O}", "pid", (int)getpid(), "since",
			 (json_int_t)s->began, "members", all);
	lb_buf_json(&text, o);
	lb_buf_putc(&text, '\n');
	write_report(s, &text);
}

void report_soon(struct super *s)
{
	if (!s->chat && s->report.slot == 0)
		lb_timer_set(s->loop, &s->report, lb_clock_mono() + SOON_MS,
			     on_report, s);
}

void report_close(struct super *s)
{
	lb_autofree char *path = report_file(s->state, s->role);

	unlink(path);
	for (int i = 0; i < 2; i++)
		if (s->locks[i] >= 0)
			close(s->locks[i]);
}

/* sd_notify(3): one datagram to the socket that NOTIFY_SOCKET names. */
void report_notify(const char *text)
{
	const char *to = lb_config_env("NOTIFY_SOCKET");
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	size_t len = to ? strlen(to) : 0;
	lb_autoclose int fd = -1;

	if (len == 0 || len >= sizeof(at.sun_path) ||
	    (*to != '/' && *to != '@'))
		return;
	memcpy(at.sun_path, to, len);
	if (*to == '@')
		at.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    sendto(fd, text, strlen(text), MSG_NOSIGNAL,
		   (const struct sockaddr *)&at,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) <
		    0)
		lb_warn("the service manager does not hear: %m");
}
