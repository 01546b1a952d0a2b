#include "platform/inbox.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "record/ticket.h"
#include "store/offset.h"

/* One write of a pipe that has room; one of anything else; statuses that
 * wait, bytes. */
enum { PIECE = PIPE_BUF, LARGE = 1 << 20, SAID_MAX = 64 << 10, BUSY_MS = 100 };

enum stage { IDLE, GIVEN, PRINTING, STORING };

struct lb_inbox {
	struct lb_loop *loop;
	struct lb_queue *queue;
	struct lb_inbox_place place;
	bool waits;         /* it may have no room; a file always has */
	struct lb_buf said; /* not written yet, lines */
	size_t written;     /* of it */
	bool watching;
	int bad; /* errno of a write */
	/* What is being kept. */
	enum stage stage;
	const struct lb_buf *lines;
	char *offset;
	lb_inbox_fn *fn;
	void *arg;
	struct lb_timer soon;
};

static void flush(struct lb_inbox *in);

/* /dev/null and its like never let one wait, either. */
static bool can_wait(int fd)
{
	struct stat st;

	return isatty(fd) || (fstat(fd, &st) == 0 &&
			      (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)));
}

struct lb_inbox *lb_inbox_open(struct lb_loop *loop,
			       const struct lb_inbox_place *place,
			       struct lb_error *err)
{
	const char *name = place->queue ? place->queue : "in";
	struct lb_queue *q = lb_queue_open(place->state, name, BUSY_MS, err);
	struct lb_inbox *in;

	if (!q)
		return NULL;
	in = lb_alloc(sizeof(*in));
	in->loop = loop;
	in->queue = q;
	in->place = *place;
	in->waits = can_wait(STDOUT_FILENO);
	flush(in); /* that the reader leaves is seen from the start */
	return in;
}

void lb_inbox_close(struct lb_inbox *in)
{
	if (!in)
		return;
	lb_timer_cancel(in->loop, &in->soon);
	if (in->watching)
		lb_loop_watch(in->loop, STDOUT_FILENO, 0, NULL, NULL);
	lb_queue_close(in->queue);
	lb_buf_release(&in->said);
	free(in->offset);
	free(in);
}

int lb_inbox_offset(struct lb_inbox *in, char **offset, int64_t *time_ms,
		    struct lb_error *err)
{
	return lb_offset_get(in->queue, in->place.bot, in->place.source, offset,
			     time_ms, err);
}

bool lb_inbox_left(const struct lb_inbox *in)
{
	return in->bad == EPIPE;
}

bool lb_inbox_broken(const struct lb_inbox *in, struct lb_error *err)
{
	if (!in->bad)
		return false;
	errno = in->bad;
	lb_fail_sys(err, LB_IO, "cannot write output");
	return true;
}

bool lb_inbox_waits(const struct lb_inbox *in)
{
	return in->written < in->said.len && !in->bad;
}

bool lb_inbox_is_busy(const struct lb_inbox *in)
{
	return in->stage != IDLE;
}

int lb_inbox_put(struct lb_queue *q, const char *lines, size_t len,
		 int64_t now_ms, struct lb_error *err)
{
	const char *end = lines + len;
	struct lb_record record = {0};
	struct lb_ticket ticket = {0};
	int r = 0;

	while (lines < end && r >= 0) {
		const char *newline =
			memchr(lines, '\n', (size_t)(end - lines));
		struct lb_queue_entry e = {.text = lines};

		e.len = (size_t)((newline ? newline : end) - lines);
		r = lb_record_parse(&record, e.text, e.len, err);
		if (r == 0)
			r = lb_ticket_read(&ticket, &record, now_ms, err);
		if (r < 0)
			break;
		e.key = lb_buf_str(&ticket.key);
		e.session = lb_buf_str(&ticket.session);
		e.not_before = ticket.not_before;
		r = lb_queue_put(q, &e, now_ms, err);
		lines += e.len + 1;
	}
	lb_record_release(&record);
	lb_ticket_release(&ticket);
	return r < 0 ? -1 : 0;
}

static int store_offset(struct lb_inbox *in, int64_t now, struct lb_error *err)
{
	return in->offset
		       ? lb_offset_set(in->queue, in->place.bot,
				       in->place.source, in->offset, now, err)
		       : 0;
}

/* What is in the queue already needs no room, but that is rare. */
static int check_room(struct lb_inbox *in, struct lb_error *err)
{
	int64_t depth = in->place.max ? lb_queue_depth(in->queue, err) : 0;

	if (depth < 0)
		return -1;
	if (depth > 0 && depth >= in->place.max && in->lines->len > 0)
		return lb_fail(err, LB_IO, "queue '%s' is full: %lld records",
			       in->place.queue, (long long)depth);
	return 0;
}

static int store(struct lb_inbox *in, struct lb_error *err)
{
	int64_t now = lb_clock_now();
	int r;

	if (!in->place.queue)
		return store_offset(in, now, err);
	if (lb_queue_begin(in->queue, true, err) < 0)
		return -1;
	r = check_room(in, err);
	if (r == 0)
		r = lb_inbox_put(in->queue, lb_buf_str(in->lines),
				 in->lines->len, now, err);
	if (r == 0)
		r = store_offset(in, now, err);
	if (r == 0)
		r = lb_queue_commit(in->queue, err);
	if (r < 0)
		lb_queue_rollback(in->queue);
	return r;
}

static void finish(struct lb_inbox *in)
{
	struct lb_error err;

	in->stage = STORING;
	if (store(in, &err) < 0) {
		in->fn(in->arg, &err);
		return;
	}
	in->stage = IDLE;
	in->fn(in->arg, NULL);
}

static void on_soon(void *arg)
{
	struct lb_inbox *in = arg;

	if (!in->place.queue && in->stage == GIVEN) {
		in->stage = PRINTING;
		lb_buf_put(&in->said, lb_buf_str(in->lines), in->lines->len);
		flush(in);
	}
	if (!in->bad && (in->stage != PRINTING || !lb_inbox_waits(in)))
		finish(in);
}

/*
 * As much as goes without waiting. A pipe that poll(2) calls writable takes
 * PIPE_BUF bytes at once.
 */
static void on_writable(int fd, uint32_t events, void *arg)
{
	struct lb_inbox *in = arg;
	size_t left = in->said.len - in->written;
	size_t piece = in->waits ? PIECE : LARGE;
	ssize_t n = 0;

	if (in->waits && (events & EPOLLERR)) /* the reader is gone */
		in->bad = EPIPE;
	else if (left > 0)
		n = write(fd, in->said.data + in->written,
			  left < piece ? left : piece);
	if (n < 0 && errno != EINTR && errno != EAGAIN)
		in->bad = errno;
	if (n > 0)
		in->written += (size_t)n;
	flush(in);
	if (in->stage == PRINTING && !in->bad && !lb_inbox_waits(in))
		finish(in);
}

/* Watch standard output for room, or else for its end. */
static void flush(struct lb_inbox *in)
{
	bool more = lb_inbox_waits(in);
	uint32_t events = more ? EPOLLOUT : in->waits ? EPOLLERR : 0;

	if (in->bad)
		events = 0;
	if (!more) {
		in->written = 0;
		if (in->said.cap > LARGE)
			lb_buf_release(&in->said);
		lb_buf_reset(&in->said);
	}
	if (events || in->watching)
		lb_loop_watch(in->loop, STDOUT_FILENO, events, on_writable, in);
	in->watching = events != 0;
}

void lb_inbox_keep(struct lb_inbox *in, const struct lb_buf *lines,
		   const char *offset, lb_inbox_fn *fn, void *arg)
{
	in->stage = GIVEN;
	in->lines = lines;
	free(in->offset);
	in->offset = offset ? lb_strdup(offset) : NULL;
	in->fn = fn;
	in->arg = arg;
	lb_inbox_again(in);
}

void lb_inbox_again(struct lb_inbox *in)
{
	lb_timer_set(in->loop, &in->soon, lb_clock_mono(), on_soon, in);
}

void lb_inbox_say(struct lb_inbox *in, const struct lb_buf *line)
{
	if (in->said.len - in->written > SAID_MAX || in->bad)
		return;
	lb_buf_put(&in->said, lb_buf_str(line), line->len);
	flush(in);
}
