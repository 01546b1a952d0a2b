#include "net/sse.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum {
	MAX_EVENT = 16 << 20,
	KEEP = 64 << 10, /* bytes of memory a decoder keeps between events */
};

static size_t max_event(const struct lb_sse *sse)
{
	return sse->max_event ? sse->max_event : MAX_EVENT;
}

static int too_long(const struct lb_sse *sse, struct lb_error *err)
{
	return lb_fail(err, LB_DATA, "an event of the stream exceeds %zu bytes",
		       max_event(sse));
}

/* Empty it; a buffer that one event blew up is not kept for the next. */
static void clear(struct lb_buf *b)
{
	if (b->cap > KEEP)
		lb_buf_release(b);
	else
		lb_buf_reset(b);
}

static int dispatch(struct lb_sse *sse, lb_sse_fn *fn, void *arg,
		    struct lb_error *err)
{
	lb_autobuf struct lb_buf repaired = {0};
	struct lb_sse_event event = {"message", lb_buf_str(&sse->data),
				     sse->data.len, lb_buf_str(&sse->id)};
	int r = 0;

	if (sse->has_data) {
		if (sse->name.len > 0)
			event.name = sse->name.data;
		if (!lb_utf8_valid(event.data, event.len)) {
			lb_utf8_clean(&repaired, event.data, event.len);
			event.data = repaired.data;
			event.len = repaired.len;
		}
		sse->has_data = false;
		r = fn(arg, &event, err);
		clear(&sse->data);
	}
	clear(&sse->name);
	return r;
}

static int add_data(struct lb_sse *sse, const char *value, size_t len,
		    struct lb_error *err)
{
	if (sse->data.len + len + 1 > max_event(sse) + !sse->has_data)
		return too_long(sse, err);
	if (sse->has_data)
		lb_buf_putc(&sse->data, '\n');
	lb_buf_put(&sse->data, value, len);
	sse->has_data = true;
	return 0;
}

static void set_text(struct lb_buf *to, const char *value, size_t len)
{
	lb_buf_reset(to);
	lb_utf8_clean(to, value, len);
}

/* Only digits count, and only as many as a wait can have. */
static void set_retry(struct lb_sse *sse, const char *value, size_t len)
{
	long ms = 0;

	if (len == 0 || len > 9)
		return;
	for (size_t i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9')
			return;
		ms = ms * 10 + (value[i] - '0');
	}
	sse->retry_ms = ms;
}

static bool is(const char *name, size_t len, const char *wanted)
{
	return len == strlen(wanted) && memcmp(name, wanted, len) == 0;
}

static int field(struct lb_sse *sse, const char *line, size_t len,
		 struct lb_error *err)
{
	const char *colon = memchr(line, ':', len);
	size_t name = colon ? (size_t)(colon - line) : len;
	size_t from = colon ? name + 1 : len;
	const char *value;

	if (from < len && line[from] == ' ')
		from++;
	value = line + from;
	if (is(line, name, "data"))
		return add_data(sse, value, len - from, err);
	if (is(line, name, "event"))
		set_text(&sse->name, value, len - from);
	else if (is(line, name, "id") && !memchr(value, '\0', len - from))
		set_text(&sse->id, value, len - from);
	else if (is(line, name, "retry"))
		set_retry(sse, value, len - from);
	return 0;
}

/* A line without its end. */
static int line_done(struct lb_sse *sse, const char *line, size_t len,
		     lb_sse_fn *fn, void *arg, struct lb_error *err)
{
	if (!sse->started) {
		sse->started = true;
		if (len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
			line += 3;
			len -= 3;
		}
	}
	if (len == 0)
		return dispatch(sse, fn, arg, err);
	if (line[0] == ':')
		return 0;
	return field(sse, line, len, err);
}

/* The bytes of `data` end a line, of which sse->line may hold the start. */
static int line_ends(struct lb_sse *sse, const char *data, size_t len,
		     lb_sse_fn *fn, void *arg, struct lb_error *err)
{
	int r;

	if (sse->line.len + len > max_event(sse))
		return too_long(sse, err);
	if (sse->line.len == 0)
		return line_done(sse, data, len, fn, arg, err);
	lb_buf_put(&sse->line, data, len);
	r = line_done(sse, sse->line.data, sse->line.len, fn, arg, err);
	clear(&sse->line);
	return r;
}

/* The first c at or after `at`, or end. */
static const char *seek(const char *at, const char *end, char c)
{
	const char *hit = memchr(at, c, (size_t)(end - at));

	return hit ? hit : end;
}

int lb_sse_feed(struct lb_sse *sse, const char *data, size_t len, lb_sse_fn *fn,
		void *arg, struct lb_error *err)
{
	const char *at = data, *end = data + len, *stop;
	const char *lf, *cr;

	if (len > 0 && sse->after_cr) {
		sse->after_cr = false;
		at += *at == '\n';
	}
	/* Both are sought once for each hit: a stream with one kind of line
	 * end is not searched again and again for the other. */
	lf = at < end ? seek(at, end, '\n') : end;
	cr = at < end ? seek(at, end, '\r') : end;
	while (at < end) {
		if (lf < at)
			lf = seek(at, end, '\n');
		if (cr < at)
			cr = seek(at, end, '\r');
		stop = lf < cr ? lf : cr;
		if (stop == end)
			break;
		if (line_ends(sse, at, (size_t)(stop - at), fn, arg, err) < 0)
			return -1;
		at = stop + 1;
		if (*stop == '\r' && at == end)
			sse->after_cr = true;
		else if (*stop == '\r' && *at == '\n')
			at++;
	}
	if (at == end)
		return 0;
	if (sse->line.len + (size_t)(end - at) > max_event(sse))
		return too_long(sse, err);
	lb_buf_put(&sse->line, at, (size_t)(end - at));
	return 0;
}

int lb_sse_finish(struct lb_sse *sse, lb_sse_fn *fn, void *arg,
		  struct lb_error *err)
{
	if (sse->line.len > 0 && line_ends(sse, "", 0, fn, arg, err) < 0)
		return -1;
	return dispatch(sse, fn, arg, err);
}

void lb_sse_release(struct lb_sse *sse)
{
	lb_buf_release(&sse->line);
	lb_buf_release(&sse->data);
	lb_buf_release(&sse->name);
	lb_buf_release(&sse->id);
}
