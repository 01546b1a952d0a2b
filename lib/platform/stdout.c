/*
 * stdout - answers as text: chunks as they come, then of the final reply only
 * what was not yet printed.
 *
 * One answer streams at a time. What other conversations finish meanwhile is
 * held and printed after it. What failed is a line on stderr.
 */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "platform/send.h"
#include "record/chain.h"

enum { MAX_HELD = 1024 * 1024, MAX_LATE = 10000 };

struct lb_screen {
	char *id;           /* whose text streams now; NULL for nobody's */
	size_t printed;     /* bytes of that text on the screen */
	size_t passed;      /* bytes of it in the parts that came */
	struct lb_buf tail; /* the end of a character or sequence to come */
	struct lb_buf held; /* finished answers of others */
	/* Those of which a chunk was passed over: they are printed whole. */
	struct lb_map late;
	bool crowded; /* there were more of them than are remembered */
	bool mid_line;
};

static struct lb_screen *screen_of(struct lb_send *send)
{
	if (!send->screen)
		send->screen = lb_alloc(sizeof(*send->screen));
	return send->screen;
}

void lb_screen_close(struct lb_screen *s)
{
	if (!s)
		return;
	free(s->id);
	lb_buf_release(&s->tail);
	lb_buf_release(&s->held);
	lb_map_release(&s->late, NULL);
	free(s);
}

/* Bytes at the end that may be the start of an escape sequence. */
static size_t unfinished(const char *text, size_t len)
{
	const char *esc = memrchr(text, 27, len);
	size_t from = esc ? (size_t)(esc - text) : len;

	if (len - from > 64)
		from = len; /* no sequence is that long */
	for (size_t i = from + 2; i < len && text[from + 1] == '['; i++)
		if (text[i] >= 0x40 && text[i] <= 0x7e)
			from = len;
	if (from + 1 < len && text[from + 1] != '[')
		from = len;
	return from < len ? len - from : lb_utf8_partial(text, len);
}

static void print(struct lb_send *send, struct lb_screen *s, const char *text,
		  size_t len, bool last)
{
	lb_autobuf struct lb_buf shown = {0};
	size_t keep;

	if (!send->terminal) {
		lb_out_put(send->out, text, len);
	} else {
		lb_buf_put(&s->tail, text, len);
		keep = last ? 0 : unfinished(s->tail.data, s->tail.len);
		lb_text_visible(&shown, s->tail.data, s->tail.len - keep);
		lb_buf_shift(&s->tail, s->tail.len - keep);
		lb_out_put(send->out, lb_buf_str(&shown), shown.len);
	}
	if (len > 0)
		s->mid_line = text[len - 1] != '\n';
}

static void end_line(struct lb_send *send, struct lb_screen *s)
{
	print(send, s, "", 0, true);
	if (s->mid_line)
		lb_out_put(send->out, "\n", 1);
	s->mid_line = false;
}

static void release_held(struct lb_send *send, struct lb_screen *s)
{
	lb_out_put(send->out, lb_buf_str(&s->held), s->held.len);
	lb_buf_release(&s->held);
}

/* The answer that streams is over. */
static void end_stream(struct lb_send *send, struct lb_screen *s)
{
	end_line(send, s);
	free(s->id);
	s->id = NULL;
	s->printed = s->passed = 0;
	release_held(send, s);
}

/* Does this answer stream now? One that missed its turn does not any more. */
static bool may_stream(struct lb_screen *s, const char *id)
{
	if (s->id && strcmp(s->id, id) == 0)
		return true;
	if (lb_map_find(&s->late, id))
		return false;
	if (!s->id && !s->crowded)
		return true;
	s->crowded = s->late.n >= MAX_LATE;
	if (!s->crowded)
		lb_map_add(&s->late, id, s);
	return false;
}

/* Its final part came. */
static void not_late(struct lb_screen *s, const char *id)
{
	lb_map_remove(&s->late, id);
	s->crowded = s->crowded && s->late.n > 0;
}

void lb_screen_end(struct lb_send *send)
{
	end_stream(send, send->screen);
}

static void chunk(struct lb_send *send, const struct lb_record *r)
{
	struct lb_screen *s = screen_of(send);
	const char *id = lb_json_str(r->json, "id");
	const json_t *text = json_object_get(r->json, "text");
	size_t len = json_string_length(text);

	if (!id || len == 0 || !may_stream(s, id))
		return;
	if (!s->id)
		s->id = lb_strdup(id);
	print(send, s, json_string_value(text), len, false);
	s->printed += len;
}

/* A whole part that did not stream. */
static void print_other(struct lb_send *send, struct lb_screen *s,
			const struct lb_delivery *d)
{
	lb_autobuf struct lb_buf text = {0};
	bool line = d->final && d->text.len > 0 &&
		    d->text.data[d->text.len - 1] != '\n';

	if (send->terminal)
		lb_text_visible(&text, lb_buf_str(&d->text), d->text.len);
	else
		lb_buf_put(&text, lb_buf_str(&d->text), d->text.len);
	if (line)
		lb_buf_putc(&text, '\n');
	lb_buf_put(&s->held, text.data, text.len);
	if (s->id && s->held.len > MAX_HELD)
		end_line(send, s);
	if (!s->id || s->held.len > MAX_HELD)
		release_held(send, s);
}

/* On a terminal what is said on stderr must stand behind what was printed. */
static void show_all(struct lb_send *send)
{
	struct lb_error err;

	if (lb_out_flush(send->out, &err) < 0)
		return; /* the next flush fails again and is reported */
}

/* A failed reply: its words are for stderr, after what streamed of it. */
static void complain(const struct lb_delivery *d, size_t streamed)
{
	const struct lb_subject of = lb_record_subject(d->record);
	const char *code = lb_json_str(d->failed, "code");
	const char *why = lb_json_str(d->failed, "message");
	const char *words = lb_buf_str(&d->text);

	words += streamed < d->text.len ? streamed : d->text.len;
	words += strspn(words, "\n ");
	lb_log(LB_ERROR, &of, "%s: %s%s%s%s", code ? code : "internal",
	       why ? why : "no reason given",
	       *words ? " (the user reads: " : "", words, *words ? ")" : "");
}

static enum lb_sent reply(struct lb_send *send, struct lb_delivery *d)
{
	struct lb_screen *s = screen_of(send);
	bool mine = s->id && strcmp(s->id, d->id) == 0;
	size_t done = 0;

	if (mine) { /* chunks are of the text alone: no @name, no [Image] */
		lb_buf_reset(&d->text);
		lb_chain_plain(json_object_get(d->record->json, "chain"),
			       &d->text);
	}
	if (d->final)
		not_late(s, d->id);
	if (mine && s->printed > s->passed)
		done = s->printed - s->passed;
	if (done > d->text.len)
		done = d->text.len;
	if (d->failed) {
		if (mine)
			end_stream(send, s);
		show_all(send);
		complain(d, done);
		return LB_SENT;
	}
	if (!mine) {
		print_other(send, s, d);
		return LB_SENT;
	}
	print(send, s, lb_buf_str(&d->text) + done, d->text.len - done,
	      d->final);
	s->passed += d->text.len;
	if (d->final)
		end_stream(send, s);
	return LB_SENT;
}

static void ended(struct lb_send *send, const struct lb_record *r)
{
	struct lb_screen *s = screen_of(send);
	const char *id = lb_json_str(r->json, "id");
	const char *kind = lb_json_str(r->json, "kind");
	const char *code = lb_json_str(r->json, "code");
	const char *why = lb_json_str(r->json, "message");
	const struct lb_subject of = lb_record_subject(r);

	if (id && s->id && strcmp(s->id, id) == 0)
		end_stream(send, s);
	if (id)
		not_late(s, id);
	show_all(send);
	if (strcmp(kind, "error") == 0)
		lb_log(LB_ERROR, &of, "%s: %s", code ? code : "internal",
		       why ? why : "no reason given");
}

const struct lb_sink lb_sink_stdout = {
	.name = "stdout",
	.about = "print the answers as text",
	.reply = reply,
	.chunk = chunk,
	.ended = ended,
	.text = true,
};
