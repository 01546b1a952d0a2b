#include "record/line.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { FILE_READ = 256 * 1024, PIPE_READ = 64 * 1024 };

struct lb_lines {
	int fd;     /* borrowed */
	size_t max; /* longest line, bytes */
	char *buf;  /* buf[start..end) is read but not taken */
	size_t size, start, end;
	size_t chunk; /* bytes to ask for at a time */
	size_t seen;  /* buf[start..start+seen) holds no newline */
	unsigned long number;
	bool eof;
	bool skip; /* inside a line that was refused as too long */
};

struct lb_lines *lb_lines_open(int fd, size_t max)
{
	struct lb_lines *in = lb_alloc(sizeof(*in));
	struct stat st;

	in->fd = fd;
	in->max = max;
	in->chunk = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? FILE_READ
							       : PIPE_READ;
	in->size = in->chunk;
	in->buf = malloc(in->size);
	if (!in->buf)
		in->buf = lb_alloc(in->size); /* says so and ends */
	return in;
}

void lb_lines_close(struct lb_lines *in)
{
	if (!in)
		return;
	free(in->buf);
	free(in);
}

/* Room for one more read behind what is still to be taken. */
static void make_room(struct lb_lines *in)
{
	if (in->start > 0) {
		memmove(in->buf, in->buf + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	if (in->end == in->size) {
		in->size *= 2;
		in->buf = lb_grow(in->buf, in->size);
	}
}

int lb_lines_fill(struct lb_lines *in, struct lb_error *err)
{
	size_t room;
	ssize_t got;

	if (in->eof)
		return 0;
	make_room(in);
	room = in->size - in->end;
	if (room > in->chunk)
		room = in->chunk;
	do
		got = read(in->fd, in->buf + in->end, room);
	while (got < 0 && errno == EINTR);
	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 1;
	if (got < 0) {
		in->eof = true;
		return lb_fail_sys(err, LB_IO, "cannot read after line %lu",
				   in->number);
	}
	in->end += (size_t)got;
	in->eof = got == 0;
	return got > 0;
}

int lb_lines_read(struct lb_lines *in, struct lb_error *err)
{
	size_t had = in->end - in->start;
	int got;

	while ((got = lb_lines_fill(in, err)) > 0 &&
	       in->end - in->start == had) {
		struct pollfd p = {.fd = in->fd, .events = POLLIN};

		poll(&p, 1, -1); /* somebody made it non-blocking */
	}
	return got;
}

/* Find the end of the line at start; false when it is not here yet. */
static bool find_end(struct lb_lines *in, size_t *len, bool *whole)
{
	char *from = in->buf + in->start;
	size_t have = in->end - in->start;
	char *newline = memchr(from + in->seen, '\n', have - in->seen);

	*len = newline ? (size_t)(newline - from) : have;
	*whole = newline || in->eof;
	in->seen = *len;
	return *whole || have > in->max;
}

static bool is_blank(const char *text, size_t len)
{
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t' ||
			   text[len - 1] == '\r'))
		len--;
	return len == 0;
}

int lb_lines_take(struct lb_lines *in, struct lb_line *line,
		  struct lb_error *err)
{
	for (;;) {
		bool whole, rest = in->skip;

		if (in->start == in->end || !find_end(in, &line->len, &whole))
			return 0;
		line->text = in->buf + in->start;
		in->start += line->len;
		line->ended = whole && in->start < in->end;
		in->start += line->ended;
		in->seen = 0;
		in->skip = !whole;
		if (rest)
			continue;
		line->number = ++in->number;
		if (line->len > in->max)
			return lb_fail(err, LB_DATA,
				       "line %lu: longer than %zu bytes",
				       line->number, in->max);
		if (!is_blank(line->text, line->len))
			return 1;
	}
}

bool lb_lines_ended(const struct lb_lines *in)
{
	return in->eof && in->start == in->end;
}

int lb_lines_next(struct lb_lines *in, struct lb_line *line,
		  struct lb_error *err)
{
	int got;

	while ((got = lb_lines_take(in, line, err)) == 0) {
		got = lb_lines_read(in, err);
		if (got < 0)
			return -1;
		if (got == 0 && in->start == in->end)
			return 0;
	}
	return got;
}
