/* output.c - the beginning and the end of what a stream said; see result.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "box/output.h"
#include "box/result.h"

/* Bytes that so many characters may have. */
static size_t room_for(size_t chars)
{
	return chars * 4;
}

/* What a truncated stream shows of its beginning, at most: 60 of 100. */
static size_t most_head(size_t shown)
{
	return shown - shown * 2 / 5;
}

/* A character, or an ill-formed byte that counts as one. */
static size_t step(const char *text, size_t len, bool *bad)
{
	size_t n = lb_utf8_char(text, len);

	*bad |= n == 0;
	return n > 0 ? n : 1;
}

/* Count what ends in this chunk; a character that does not is kept. */
static void count(struct lb_box_output *o, const char *text, size_t len)
{
	while (o->n_part > 0 && len > 0) {
		size_t n;

		o->part[o->n_part++] = *text++;
		len--;
		/* all of it may be ill-formed, one byte after the other */
		while (o->n_part > 0 &&
		       lb_utf8_partial(o->part, o->n_part) != o->n_part) {
			n = step(o->part, o->n_part, &o->binary);
			o->chars++;
			o->n_part -= (unsigned)n;
			memmove(o->part, o->part + n, o->n_part);
		}
	}
	while (len > 0) {
		size_t n = *text & 0x80 ? lb_utf8_char(text, len) : 1;

		if (n == 0 && lb_utf8_partial(text, len) == len) {
			memcpy(o->part, text, len);
			o->n_part = (unsigned)len;
			return;
		}
		o->binary |= n == 0;
		o->chars++;
		text += n > 0 ? n : 1;
		len -= n > 0 ? n : 1;
	}
}

static void put_head(struct lb_box_output *o, const char *text, size_t len)
{
	size_t room = room_for(most_head(o->shown)) - o->head.len;

	lb_buf_put(&o->head, text, len < room ? len : room);
}

/* Only the last bytes matter that the ring can hold. */
static void put_tail(struct lb_box_output *o, const char *text, size_t len)
{
	size_t size = room_for(o->shown), n;

	if (len > size) {
		text += len - size;
		len = size;
	}
	n = size - o->tail.len;
	n = n < len ? n : len;
	if (n > 0)
		lb_buf_put(&o->tail, text, n);
	text += n;
	len -= n;
	while (len > 0) {
		n = size - o->tail_at;
		n = n < len ? n : len;
		memcpy(o->tail.data + o->tail_at, text, n);
		o->tail_at = (o->tail_at + n) % size;
		text += n;
		len -= n;
	}
}

void lb_box_output_add(struct lb_box_output *o, const char *text, size_t len)
{
	o->bytes += len;
	count(o, text, len);
	put_head(o, text, len);
	put_tail(o, text, len);
}

void lb_box_output_release(struct lb_box_output *o)
{
	lb_buf_release(&o->head);
	lb_buf_release(&o->tail);
	*o = (struct lb_box_output){.shown = o->shown};
}

/* The ring, from its oldest byte on. */
static void unroll(const struct lb_box_output *o, struct lb_buf *out)
{
	if (o->tail.len == 0)
		return;
	lb_buf_put(out, o->tail.data + o->tail_at, o->tail.len - o->tail_at);
	lb_buf_put(out, o->tail.data, o->tail_at);
}

/* Bytes of the first n characters. */
static size_t first_chars(const char *text, size_t len, uint64_t n)
{
	bool bad = false;
	size_t at = 0;

	for (; n > 0 && at < len; n--)
		at += step(text + at, len - at, &bad);
	return at;
}

/*
 * Where the last n characters begin. The ring may begin within a character,
 * whose rest counts as some more: those are at its very beginning, before any
 * that are wanted.
 */
static size_t last_chars(const char *text, size_t len, uint64_t n)
{
	bool bad = false;
	uint64_t all = 0;

	for (size_t at = 0; at < len; all++)
		at += step(text + at, len - at, &bad);
	return all > n ? first_chars(text, len, all - n) : 0;
}

struct lb_box_split lb_box_split(uint64_t chars, size_t shown)
{
	struct lb_box_split s = {0};

	for (int i = 0; i < 4; i++) {
		uint64_t kept = s.head + s.tail, room, head, tail;
		int n = snprintf(s.notice, sizeof(s.notice),
				 "\n\n... [%llu characters truncated] ...\n\n",
				 (unsigned long long)(chars > kept
							      ? chars - kept
							      : 0));

		s.n_notice = (size_t)n;
		if (s.n_notice >= shown) {
			s.n_notice = shown;
			s.head = s.tail = 0;
			break;
		}
		room = shown - s.n_notice;
		head = room * 3 / 5;
		tail = room - head;
		if (head == s.head && tail == s.tail)
			break;
		s.head = head;
		s.tail = tail;
	}
	return s;
}

static uint64_t all_chars(const struct lb_box_output *o)
{
	return o->chars + o->n_part;
}

size_t lb_box_output_show(const struct lb_box_output *o, struct lb_buf *text,
			  bool *truncated)
{
	lb_autobuf struct lb_buf tail = {0};
	struct lb_box_split s;
	size_t head, from;

	unroll(o, &tail);
	*truncated = all_chars(o) > o->shown;
	if (!*truncated) {
		lb_utf8_clean(text, lb_buf_str(&tail), tail.len);
		return tail.len;
	}
	s = lb_box_split(all_chars(o), o->shown);
	head = first_chars(lb_buf_str(&o->head), o->head.len, s.head);
	from = last_chars(lb_buf_str(&tail), tail.len, s.tail);
	lb_utf8_clean(text, lb_buf_str(&o->head), head);
	lb_buf_put(text, s.notice, s.n_notice);
	lb_utf8_clean(text, lb_buf_str(&tail) + from, tail.len - from);
	return head + tail.len - from;
}

void lb_box_output_text(const struct lb_box_output *o, struct lb_buf *text,
			bool *truncated)
{
	lb_box_output_show(o, text, truncated);
}

bool lb_box_output_is_binary(const struct lb_box_output *o)
{
	return o->binary || o->n_part > 0;
}

size_t lb_box_output_bytes(const struct lb_box_output *o, struct lb_buf *bytes,
			   bool *truncated)
{
	lb_autobuf struct lb_buf tail = {0};
	size_t head = o->shown * 3 / 5, rest = o->shown - head;

	unroll(o, &tail);
	*truncated = o->bytes > o->shown;
	if (!*truncated) {
		lb_buf_put(bytes, lb_buf_str(&tail), tail.len);
		return tail.len;
	}
	lb_buf_put(bytes, lb_buf_str(&o->head), head);
	lb_buf_put(bytes, lb_buf_str(&tail) + tail.len - rest, rest);
	return head;
}
