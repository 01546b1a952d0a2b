#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "record/cut.h"
#include "record/fence.h"

/* A text that is being cut. */
struct cut {
	const char *text;
	size_t len, at, limit;
	enum lb_unit unit;
	struct lb_fence fence; /* open at `at` */
};

enum { LONGEST_MARK = 256 }; /* bytes of a line that opens a fence */

static size_t line_end(const struct cut *c, size_t at, size_t to)
{
	const char *nl = at < to ? memchr(c->text + at, '\n', to - at) : NULL;

	return nl ? (size_t)(nl - c->text) : to;
}

/* The same for lines that may be fences, which are short. */
static size_t mark_end(const struct cut *c, size_t at)
{
	size_t left = c->len - at;
	const char *nl = memchr(c->text + at, '\n',
				left < LONGEST_MARK ? left : LONGEST_MARK);

	return nl ? (size_t)(nl - c->text) : at + left;
}

/*
 * The fence that is open behind text[at..to), if `fence` is at `at`. *began is
 * where the line stands that opened it, if it is here, else `to`; *to moves
 * back where it cut the line of a fence in two.
 */
static void follow(const struct cut *c, size_t at, size_t *to,
		   struct lb_fence *fence, size_t *began)
{
	size_t from = at;

	*began = *to;
	if (at > 0 && c->text[at - 1] != '\n')
		at = line_end(c, at, *to) + 1;
	while (at < *to) {
		size_t end = mark_end(c, at);
		const char *line = c->text + at;
		struct lb_fence new;

		if (end - at > LONGEST_MARK) {
			end = line_end(c, at, *to);
		} else if (fence->mark ? lb_fence_closes(line, end - at, fence)
				       : lb_fence_opens(line, end - at, &new)) {
			if (end > *to && at > from) {
				*to = at;
				return;
			}
			*began = fence->mark ? *to : at;
			if (fence->mark)
				fence->mark = '\0';
			else
				*fence = new;
		}
		at = end + 1;
	}
}

/* What it takes to open it again, and to close it: units. */
static size_t open_units(const struct cut *c, const struct lb_fence *fence)
{
	return fence->mark ? lb_text_units(fence->line, fence->len, c->unit) + 1
			   : 0;
}

static size_t close_units(const struct lb_fence *fence)
{
	return fence->mark ? fence->count + 1 : 0;
}

/* Bytes of the next piece, and the fence that is open behind it. */
static size_t measure(const struct cut *c, size_t room, struct lb_fence *after)
{
	const char *text = c->text + c->at;
	size_t left = c->len - c->at, end, began, close;

	end = c->at + lb_cut_first(text, left, room, c->unit);
	*after = c->fence;
	if (end == c->len)
		return left;
	follow(c, c->at, &end, after, &began);
	if (!after->mark)
		return end - c->at;
	if (began > c->at && began - c->at > (end - c->at) / 2 && began < end) {
		after->mark = '\0';
		return began - c->at; /* leave the block in one piece */
	}
	close = close_units(after);
	end = c->at + lb_cut_first(text, left, room > close ? room - close : 1,
				   c->unit);
	*after = c->fence;
	follow(c, c->at, &end, after, &began);
	return end - c->at;
}

/* Blank lines, or the blanks of a line that was cut; what closes a fence
 * that was closed already. */
static void skip(struct cut *c)
{
	bool fresh = c->at == 0 || c->text[c->at - 1] == '\n';

	if (c->fence.mark && fresh) {
		size_t end = mark_end(c, c->at);

		if (lb_fence_closes(c->text + c->at, end - c->at, &c->fence)) {
			c->fence.mark = '\0';
			c->at = end < c->len ? end + 1 : end;
		}
	}
	if (!c->fence.mark && !fresh)
		while (c->at < c->len && strchr(" \t", c->text[c->at]) &&
		       c->text[c->at])
			c->at++;
	while (!c->fence.mark && c->at < c->len) {
		size_t end = c->at;

		while (end < c->len && strchr(" \t\r", c->text[end]) &&
		       c->text[end])
			end++;
		if (end < c->len && c->text[end] != '\n')
			break;
		c->at = end < c->len ? end + 1 : end;
	}
}

static size_t trimmed(const char *text, size_t len)
{
	while (len > 0 && text[len - 1] && strchr(" \t\r\n", text[len - 1]))
		len--;
	return len;
}

static void close_fence(struct lb_buf *piece, const struct lb_fence *fence)
{
	lb_buf_putc(piece, '\n');
	for (size_t i = 0; i < fence->count; i++)
		lb_buf_putc(piece, fence->mark);
}

/* The next piece. */
static void next(struct cut *c, struct lb_buf *piece)
{
	struct lb_fence after, was;
	size_t open = open_units(c, &c->fence), n;
	const char *text;

	lb_buf_reset(piece);
	if (open + close_units(&c->fence) > c->limit / 2) {
		c->fence.mark = '\0'; /* no room: text like other text */
		open = 0;
	}
	n = measure(c, c->limit - open, &after);
	if (c->at + n < c->len &&
	    open_units(c, &after) + close_units(&after) > c->limit / 2) {
		after.mark = '\0';
		n = lb_cut_first(c->text + c->at, c->len - c->at,
				 c->limit - open, c->unit);
	}
	text = c->text + c->at;
	was = c->fence;
	c->fence = after;
	c->at += n;
	n = trimmed(text, n);
	if (n == 0)
		return;
	if (was.mark) {
		lb_buf_put(piece, was.line, was.len);
		lb_buf_putc(piece, '\n');
	}
	lb_buf_put(piece, text, n);
	if (c->at < c->len && after.mark)
		close_fence(piece, &after);
}

/* Is there a character that is longer than the limit? */
static bool too_small(const struct cut *c)
{
	if (c->limit >= 4)
		return false;
	for (size_t at = 0; at < c->len;) {
		size_t n = lb_utf8_char(c->text + at, c->len - at);

		n = n ? n : 1;
		if (lb_text_units(c->text + at, n, c->unit) > c->limit)
			return true;
		at += n;
	}
	return false;
}

int lb_cut(const char *text, size_t len, size_t limit, enum lb_unit unit,
	   lb_cut_fn *fn, void *arg, struct lb_error *err)
{
	struct cut c = {text, len, 0, limit, unit, {0}};
	lb_autobuf struct lb_buf piece = {0};

	if (too_small(&c))
		return lb_fail(err, LB_CONFIG,
			       "a limit of %zu cannot hold one character",
			       limit);
	for (skip(&c); c.at < len; skip(&c)) {
		next(&c, &piece);
		if (piece.len > 0 && fn(arg, piece.data, piece.len) < 0)
			return -1;
	}
	return 0;
}
