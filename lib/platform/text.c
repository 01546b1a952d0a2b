/* text - each line of the input is a message, or all of it is one. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "platform/ingest.h"
#include "record/chain.h"
#include "record/filter.h"
#include "record/record.h"

static struct lb_origin origin(const struct lb_ingest *in)
{
	struct lb_origin from = {
		.time = lb_clock_now(),
		.platform = "text",
		.bot = in->bot,
		.launcher_type = in->group ? "group" : "person",
		.sender_id = in->sender ? in->sender : in->user,
	};

	from.launcher_id = in->group ? in->group : from.sender_id;
	if (in->person) {
		from.launcher_id = in->person;
		from.sender_id = in->sender ? in->sender : in->person;
	}
	from.sender_name = from.sender_id;
	return from;
}

/* Text as it may stand in a record: no NUL, no bad UTF-8, no CR at the end. */
static void clean(struct lb_buf *out, const char *text, size_t len)
{
	if (len > 0 && text[len - 1] == '\r')
		len--;
	while (len > 0) {
		const char *nul = memchr(text, '\0', len);
		size_t n = nul ? (size_t)(nul - text) : len;

		lb_utf8_clean(out, text, n);
		if (nul)
			lb_buf_puts(out, "\xef\xbf\xbd");
		n += nul != NULL;
		text += n;
		len -= n;
	}
}

static void put(struct lb_ingest *in, const char *raw, size_t len,
		unsigned long number)
{
	lb_autobuf struct lb_buf text = {0};
	const struct lb_origin from = origin(in);
	struct lb_buf *b = lb_out_buf(in->out);
	size_t began = b->len;

	clean(&text, raw, len);
	lb_put_message(b, &from);
	if (in->pipeline)
		lb_put_str(b, "pipeline", in->pipeline);
	lb_buf_puts(b, ",\"chain\":");
	lb_chain_put_plain(b, lb_buf_str(&text), text.len);
	lb_put_end(b);
	if (b->len - began > in->max_line + 1) {
		b->len = began;
		lb_put_bad_line(b, "lb-ingest", "too long as a record",
				lb_buf_str(&text), text.len, number);
		lb_complain("line %lu: too long as a record", number);
		in->code = LB_DATA;
	}
	lb_out_built(in->out);
}

/* read(2) of the input that waits, whatever somebody made of it. */
static ssize_t read_some(char *out, size_t size)
{
	ssize_t got;

	while ((got = read(STDIN_FILENO, out, size)) < 0 &&
	       (errno == EINTR || errno == EAGAIN)) {
		struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

		poll(&p, 1, -1);
	}
	return got;
}

/* All of the input, at most max_line bytes of it. */
static int whole(struct lb_ingest *in, struct lb_error *err)
{
	lb_autobuf struct lb_buf all = {0};
	char part[65536];
	ssize_t got;

	while ((got = read_some(part, sizeof(part))) > 0) {
		if (all.len + (size_t)got > in->max_line)
			return lb_fail(err, LB_DATA,
				       "the input is longer than %zu bytes",
				       in->max_line);
		lb_buf_put(&all, part, (size_t)got);
	}
	if (got < 0)
		return lb_fail_sys(err, LB_IO, "cannot read the input");
	while (all.len > 0 && strchr("\r\n", all.data[all.len - 1]))
		all.len--;
	if (all.len > 0)
		put(in, all.data, all.len, 1);
	return lb_out_flush(in->out, err);
}

int lb_ingest_text(struct lb_ingest *in, struct lb_error *err)
{
	struct lb_lines *lines;
	struct lb_line line;
	int got = 1, r = 0;

	if (in->whole)
		return whole(in, err);
	lines = lb_lines_open(STDIN_FILENO, in->max_line);
	while (r == 0 && got > 0) {
		got = lb_lines_read(lines, err);
		while (got >= 0 && (r = lb_lines_take(lines, &line, err))) {
			if (r > 0) {
				put(in, line.text, line.len, line.number);
				continue;
			}
			lb_line_refuse(in->out, "lb-ingest", &line, err);
			in->code = LB_DATA;
		}
		r = got < 0 ? -1 : lb_out_flush(in->out, err);
	}
	lb_lines_close(lines);
	return r;
}
