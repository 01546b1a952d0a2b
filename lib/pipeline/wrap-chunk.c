/* wrap-chunk.c - a piece of an answer, while it is made. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "pipeline/head.h"
#include "pipeline/wrap.h"

/* What becomes of a chunk. */
struct piece {
	const struct lb_output *o;
	struct lb_stream *stream; /* NULL: nothing is known of it */
	struct lb_buf head;
	const char *text;
	size_t len;
	int64_t not_before;
};

/* Which tools are called is said between what the model says. */
static void add_calls(struct lb_wrap *wrap, struct lb_stream *s,
		      const json_t *names)
{
	lb_autobuf struct lb_buf line = {0};
	const char *text = lb_buf_str(&s->text);
	size_t len = s->text.len;

	lb_head_calls(&line, wrap->config, names);
	if (line.len == 0)
		return;
	if (len > 0 && (len < 2 || memcmp(text + len - 2, "\n\n", 2) != 0))
		lb_stream_add(&wrap->streams, s, "\n\n", 2);
	lb_stream_add(&wrap->streams, s, line.data, line.len);
	lb_stream_add(&wrap->streams, s, "\n\n", 2);
}

/* The text as it may be given out; of a stream that is not known, none. */
static void read_text(struct lb_wrap *wrap, const struct lb_record *r,
		      struct piece *p)
{
	const json_t *text = json_object_get(r->json, "text");
	struct lb_stream *s = p->stream;
	int64_t now = lb_clock_mono();
	size_t from = s ? s->text.len : 0, at;

	p->len = 0;
	if (!s)
		return;
	lb_json_int(r->json, "seq", &s->seq);
	if (p->o->track_calls)
		add_calls(wrap, s, json_object_get(r->json, "calls"));
	if (!lb_stream_feed(&wrap->streams, s, json_string_value(text),
			    json_string_length(text), &at, now)) {
		p->stream = NULL;
		return;
	}
	p->text = lb_buf_str(&s->text) + from;
	p->len = s->text.len - from;
	if (p->len > 0 && s->not_before == 0 && p->o->delay_max > 0)
		p->not_before = s->not_before =
			lb_head_delay(p->o, r, lb_clock_now());
}

/* Does it go on as it came? */
static bool is_same(const struct lb_record *r, const struct piece *p)
{
	const json_t *text = json_object_get(r->json, "text");

	return p->head.len == 0 && p->not_before == 0 &&
	       p->len == json_string_length(text) &&
	       (p->len == 0 ||
		memcmp(p->text, json_string_value(text), p->len) == 0) &&
	       !(p->o->remove_think && json_object_get(r->json, "reasoning"));
}

static void put_piece(struct lb_buf *out, const struct lb_record *r,
		      const struct piece *p)
{
	const char *changed[5] = {"text"};
	size_t n = 1;

	if (is_same(r, p)) {
		lb_buf_put(out, r->text, r->len);
		lb_buf_putc(out, '\n');
		return;
	}
	if (p->o->remove_think)
		changed[n++] = "reasoning";
	if (p->head.len > 0)
		changed[n++] = "head";
	if (p->not_before > 0)
		changed[n++] = "not_before";
	lb_splice(out, r, "chunk", changed);
	lb_put_strn(out, "text", p->text, p->len);
	if (p->head.len > 0)
		lb_buf_printf(out, ",\"head\":[%s]", p->head.data);
	if (p->not_before > 0)
		lb_put_int(out, "not_before", p->not_before);
	lb_put_end(out);
}

void lb_wrap_chunk(struct lb_wrap *wrap, const struct lb_record *r,
		   struct lb_buf *out)
{
	const json_t *text = json_object_get(r->json, "text");
	lb_autobuf struct lb_buf key = {0};
	struct piece p = {.o = lb_output_of(&wrap->outputs, r->json),
			  .text = json_is_string(text) ? json_string_value(text)
						       : "",
			  .len = json_string_length(text)};
	int64_t seq = -1;

	lb_json_int(r->json, "seq", &seq);
	if (seq == 0)
		lb_head_put(&p.head, p.o, r);
	if (lb_output_keeps_streams(p.o)) {
		lb_stream_key(&key, r);
		p.stream = seq == 0 ? lb_stream_open(&wrap->streams,
						     lb_buf_str(&key), p.o,
						     lb_clock_mono())
				    : lb_stream_find(&wrap->streams,
						     lb_buf_str(&key));
		read_text(wrap, r, &p);
	}
	put_piece(out, r, &p);
	lb_buf_release(&p.head);
}

void lb_wrap_tail(const struct lb_stream *s, const struct lb_record *reply,
		  size_t from, int64_t not_before, struct lb_buf *out)
{
	static const char *const with[] = {
		"id",          "bot",       "platform",   "launcher_type",
		"launcher_id", "sender_id", "message_id", "session",
		"reply_to",    "target",    "thread",     "pipeline",
		NULL,
	};

	lb_pick_members(out, reply, "chunk", with);
	lb_put_int(out, "seq", s->seq + 1);
	lb_put_strn(out, "text", lb_buf_str(&s->text) + from,
		    s->text.len - from);
	if (not_before > 0)
		lb_put_int(out, "not_before", not_before);
	lb_put_end(out);
}
