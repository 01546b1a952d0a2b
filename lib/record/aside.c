#include "record/aside.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "record/load.h"
#include "record/scan.h"

/* A line that waits. */
struct held {
	struct held *next;
	char *text;
	size_t len;
	unsigned long number;
};

struct lb_aside {
	struct lb_aside *next;
	char *session;
	char *text; /* of the record */
	size_t len;
	pid_t pid;
	int fd;     /* what comes of it; -1: it has ended */
	bool whole; /* it ended as it should */
	struct lb_buf got;
	struct held *held, **end, *taken;
};

static void held_free(struct held *h)
{
	if (h)
		free(h->text);
	free(h);
}

void lb_aside_free(struct lb_aside *one)
{
	while (one->held) {
		struct held *h = one->held;

		one->held = h->next;
		held_free(h);
	}
	held_free(one->taken);
	lb_buf_release(&one->got);
	free(one->session);
	free(one->text);
	free(one);
}

/* ---- which session ---- */

static json_t *member(const struct lb_members *of, const char *key)
{
	const struct lb_member *m = lb_member_find(of, key);
	lb_autobuf struct lb_buf mended = {0};

	return m ? lb_record_load(m->value.at, m->value.len, &mended) : NULL;
}

/* The one that a line names, or whose it is; NULL: nobody's. Caller frees. */
static char *session_of(const char *text, size_t len)
{
	struct lb_members members = {0};
	char *name = NULL;

	if (lb_scan(text, len, &members)) {
		json_auto_t *session = member(&members, "session"),
			    *bot = member(&members, "bot"),
			    *type = member(&members, "launcher_type"),
			    *id = member(&members, "launcher_id");

		if (json_is_string(session))
			name = lb_strdup(json_string_value(session));
		else if (json_is_string(bot) && json_is_string(type) &&
			 json_is_string(id))
			name = lb_session_name(json_string_value(bot),
					       json_string_value(type),
					       json_string_value(id));
	}
	lb_members_release(&members);
	return name;
}

/* ---- while a record is in hand ---- */

void lb_asides_begin(struct lb_asides *asides, const struct lb_record *r,
		     struct lb_out *out)
{
	asides->record = r;
	asides->out = out;
	asides->began = lb_out_buf(out)->len;
	asides->left = false;
}

static void add(struct lb_asides *asides, struct lb_aside *one)
{
	if (!asides->first)
		asides->end = &asides->first;
	*asides->end = one;
	asides->end = &one->next;
	asides->n++;
}

bool lb_aside(struct lb_asides *asides)
{
	struct lb_aside *one;
	struct lb_error err;
	pid_t pid;
	int fd;

	if (!asides || !asides->record || asides->is_child)
		return true;
	pid = lb_proc_split(&fd, &err);
	if (pid < 0) {
		lb_warn("others wait: %s", err.text);
		return true;
	}
	if (pid == 0) {
		asides->is_child = true;
		lb_out_skip(asides->out, asides->began);
		return true;
	}
	one = lb_alloc(sizeof(*one));
	one->pid = pid;
	one->fd = fd;
	one->end = &one->held;
	one->text = lb_strndup(asides->record->text, asides->record->len);
	one->len = asides->record->len;
	one->session = session_of(one->text, one->len);
	add(asides, one);
	asides->left = true;
	return false;
}

bool lb_aside_left(const struct lb_asides *asides)
{
	return asides && asides->left;
}

void lb_asides_end(struct lb_asides *asides, int result)
{
	struct lb_error err;

	if (asides->is_child)
		_exit(result == 0 && lb_out_flush(asides->out, &err) == 0
			      ? LB_OK
			      : LB_IO);
	if (asides->left)
		lb_out_buf(asides->out)->len = asides->began;
	asides->record = NULL;
	asides->left = false;
}

/* ---- what waits behind them ---- */

bool lb_asides_hold(struct lb_asides *asides, const struct lb_line *line)
{
	lb_autofree char *session = NULL;
	struct lb_aside *one = asides->first;
	struct held *h;

	if (!one)
		return false;
	session = session_of(line->text, line->len);
	while (session && one &&
	       (!one->session || strcmp(one->session, session) != 0))
		one = one->next;
	if (!session || !one)
		return false;
	h = lb_alloc(sizeof(*h));
	h->text = lb_strndup(line->text, line->len);
	h->len = line->len;
	h->number = line->number;
	*one->end = h;
	one->end = &h->next;
	asides->held++;
	asides->bytes += h->len;
	return true;
}

bool lb_asides_full(const struct lb_asides *asides)
{
	return asides->n >= LB_ASIDES || asides->held >= LB_ASIDES_HELD ||
	       asides->bytes >= LB_ASIDES_BYTES;
}

bool lb_aside_line(struct lb_asides *asides, struct lb_aside *one,
		   struct lb_line *line)
{
	struct held *h = one->held;

	held_free(one->taken);
	one->taken = h;
	if (!h)
		return false;
	one->held = h->next;
	asides->held--;
	asides->bytes -= h->len;
	*line = (struct lb_line){h->text, h->len, h->number, false};
	return true;
}

/* ---- their ends ---- */

static bool has_ended(struct lb_aside *one)
{
	char piece[16 * 1024];
	ssize_t n = read(one->fd, piece, sizeof(piece));
	int status = 0;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (n > 0)
		lb_buf_put(&one->got, piece, (size_t)n);
	if (n > 0 && one->got.len <= LB_ASIDES_BYTES)
		return false;
	if (n > 0)
		kill(one->pid, SIGKILL);
	close(one->fd);
	one->fd = -1;
	while (waitpid(one->pid, &status, 0) < 0 && errno == EINTR)
		;
	one->whole = n == 0 && status == 0 && one->got.len > 0 &&
		     one->got.data[one->got.len - 1] == '\n';
	return true;
}

bool lb_asides_wait(struct lb_asides *asides, int fd)
{
	struct pollfd polled[LB_ASIDES + 1] = {{.fd = fd, .events = POLLIN}};
	bool ended = false;

	while (!ended && polled[0].revents == 0) {
		size_t n = 1;

		for (struct lb_aside *a = asides->first; a; a = a->next)
			polled[n++] =
				(struct pollfd){.fd = a->fd, .events = POLLIN};
		if (poll(polled, n, -1) < 0)
			continue; /* only a signal, or no memory for now */
		n = 1;
		for (struct lb_aside *a = asides->first; a; a = a->next)
			if (polled[n++].revents != 0 && has_ended(a))
				ended = true;
	}
	return polled[0].revents != 0;
}

static void put_died(struct lb_aside *one, const char *stage,
		     struct lb_out *out)
{
	const struct lb_problem why = {stage, LB_CODE_INTERNAL,
				       "the process that had it in hand died",
				       false, -1};
	struct lb_record r = {0};
	struct lb_error err;

	if (lb_record_parse(&r, one->text, one->len, &err) == 0)
		lb_put_error(lb_out_buf(out), &r, &why);
	lb_out_built(out);
	lb_record_release(&r);
}

struct lb_aside *lb_asides_take(struct lb_asides *asides, const char *stage,
				struct lb_out *out)
{
	struct lb_aside **at = &asides->first, *one;

	while (*at && (*at)->fd >= 0)
		at = &(*at)->next;
	one = *at;
	if (!one)
		return NULL;
	*at = one->next;
	if (!*at)
		asides->end = at;
	asides->n--;
	if (one->whole)
		lb_out_put(out, one->got.data, one->got.len);
	else
		put_died(one, stage, out);
	return one;
}

void lb_asides_release(struct lb_asides *asides)
{
	struct lb_aside *one;

	while ((one = asides->first)) {
		asides->first = one->next;
		if (one->fd >= 0)
			close(one->fd);
		lb_aside_free(one);
	}
	*asides = (struct lb_asides){0};
}
