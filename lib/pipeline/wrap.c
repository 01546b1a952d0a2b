#include "pipeline/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"
#include "config/notice.h"
#include "pipeline/head.h"
#include "pipeline/long-text.h"
#include "record/chain.h"
#include "record/cut.h"

int lb_wrap_open(struct lb_wrap *wrap, struct lb_config *config,
		 struct lb_error *err)
{
	*wrap = (struct lb_wrap){.config = config};
	wrap->empty = lb_json_pack("{s:s, s:s}", "code", "malformed", "message",
				   "the answer is empty");
	return lb_outputs_open(&wrap->outputs, config, err);
}

void lb_wrap_release(struct lb_wrap *wrap)
{
	lb_streams_release(&wrap->streams);
	lb_outputs_release(&wrap->outputs);
	json_decref(wrap->empty);
}

/* An answer on its way through. */
struct answer {
	struct lb_wrap *wrap;
	const struct lb_record *r;
	const struct lb_output *o;
	const json_t *chain;
	const json_t *failed;     /* {code, message}; or NULL */
	struct lb_stream *stream; /* what was streamed of it; or NULL */
	size_t given;             /* bytes of that, in its chunks */
	struct lb_buf text;       /* what it says */
	struct lb_buf head;       /* what is before that */
	bool changed;             /* that is not what its chain says */
	bool plain;               /* its chain is text alone */
	bool whole;               /* nobody cut it before us */
	int64_t not_before;
};

static bool only_plain(const json_t *chain)
{
	const json_t *part;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)chain, i, part)
	{
		const char *type = lb_json_str(part, "type");

		if (!type || strcmp(type, "Plain") != 0)
			return false;
	}
	return true;
}

/* Is there anything for people but text? */
static bool shows_more(const json_t *chain)
{
	static const char *const nothing[] = {"Plain", "Source", "Quote", "At"};
	const json_t *part;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)chain, i, part)
	{
		const char *type = lb_json_str(part, "type");
		bool more = type != NULL;

		for (size_t n = 0; n < sizeof(nothing) / sizeof(*nothing); n++)
			more = more && strcmp(type, nothing[n]) != 0;
		if (more)
			return true;
	}
	return false;
}

static bool is_blank(const struct lb_buf *text)
{
	const char *s = lb_buf_str(text);

	return s[strspn(s, " \t\r\n")] == '\0';
}

/* The tools that were called, in order; new. */
static json_t *names_of(const json_t *tools)
{
	json_t *names = json_array();
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(tools, "list"), i, call)
		json_array_append(names, json_object_get(call, "name"));
	return names;
}

static void read_text(struct answer *a)
{
	json_auto_t *names = names_of(json_object_get(a->r->json, "tools"));
	struct lb_buf *text = &a->text;
	lb_autobuf struct lb_buf said = {0};

	lb_chain_plain(a->chain, &said);
	a->given = a->stream ? a->stream->text.len : 0;
	if (a->stream && lb_stream_end(&a->wrap->streams, a->stream,
				       lb_buf_str(&said), said.len)) {
		lb_buf_put(text, lb_buf_str(&a->stream->text),
			   a->stream->text.len);
	} else {
		a->given = SIZE_MAX; /* its chunks said something else */
		if (a->o->track_calls)
			lb_head_calls(text, a->wrap->config, names);
		if (text->len > 0)
			lb_buf_puts(text, "\n\n");
		if (lb_output_changes_text(a->o))
			lb_said_whole(a->o, lb_buf_str(&said), said.len, text);
		else
			lb_buf_put(text, lb_buf_str(&said), said.len);
	}
	a->changed = text->len != said.len ||
		     memcmp(lb_buf_str(text), lb_buf_str(&said), said.len) != 0;
}

/* What another try in other words could cure is said. */
static const char *notice_of(const json_t *failed)
{
	const char *code = lb_json_str(failed, "code");

	return code && strcmp(code, "content_filter") == 0
		       ? "failed-content_filter"
		       : "failed";
}

/* What the user reads of a failure, behind what was streamed already. */
static void add_words(struct answer *a)
{
	const char *message = lb_json_str(a->failed, "message");

	if (is_blank(&a->text) && !a->stream)
		lb_buf_reset(&a->text);
	if (a->text.len > 0)
		lb_buf_puts(&a->text, "\n\n");
	/* A provider's words may repeat what was asked, or be anything. */
	if (a->o->failures == LB_SHOW_ERROR && message && *message &&
	    a->o->words)
		lb_words_mask(a->o->words, message, strlen(message), &a->text);
	else if (a->o->failures == LB_SHOW_ERROR && message && *message)
		lb_buf_puts(&a->text, message);
	else if (*a->o->hint)
		lb_buf_puts(&a->text, a->o->hint);
	else
		lb_buf_puts(&a->text,
			    lb_notice(a->wrap->config, notice_of(a->failed)));
	a->changed = a->plain = true;
}

static void put_hidden(struct lb_buf *out, const struct answer *a)
{
	const char *message = lb_json_str(a->failed, "message");
	const struct lb_problem p = {
		.stage = "lb-wrap",
		.code = lb_code_find(lb_json_str(a->failed, "code")),
		.message = message ? message : "the reply failed",
		.sent_parts = -1,
	};

	lb_put_error(out, a->r, &p);
}

/* The chain of a reply, its brackets left out. */
static void put_components(struct lb_buf *b, const struct answer *a)
{
	const struct lb_member *m = lb_member_find(&a->r->members, "chain");
	bool said = false;
	const json_t *part;
	size_t i;

	if (!a->changed && m && m->value.len >= 2) {
		lb_buf_put(b, m->value.at + 1, m->value.len - 2);
		return;
	}
	/* All of the text stands where the first of it did. */
	json_array_foreach((json_t *)(uintptr_t)a->chain, i, part)
	{
		const char *type = lb_json_str(part, "type");
		bool plain = type && strcmp(type, "Plain") == 0;

		if (a->plain || (plain && (said || a->text.len == 0)))
			continue;
		lb_buf_puts(b, b->len > 0 ? "," : "");
		said = said || plain;
		if (!plain)
			lb_buf_json(b, part);
		else
			lb_chain_put_text(b, lb_buf_str(&a->text), a->text.len);
	}
	if (!said && a->text.len > 0) {
		lb_buf_puts(b, b->len > 0 ? "," : "");
		lb_chain_put_text(b, lb_buf_str(&a->text), a->text.len);
	}
}

struct part {
	const char *components; /* in place of the text; or NULL */
	const char *text;
	size_t len;
	int64_t number;
	bool final;
};

static void put_part(struct lb_buf *out, const struct answer *a,
		     const struct part *p)
{
	static const char *const changed[] = {"chain", "text",   "part",
					      "final", "failed", "not_before",
					      NULL};
	/* What is said of the whole answer stands in its last part. */
	static const char *const not_yet[] = {
		"chain",      "text",        "part",   "final", "failed",
		"not_before", "usage",       "rounds", "tools", "model",
		"ended",      "passed_over", NULL,
	};
	bool first = p->number == 1;
	const char *head = first ? lb_buf_str(&a->head) : "";

	lb_splice(out, a->r, "reply", p->final ? changed : not_yet);
	lb_buf_puts(out, ",\"chain\":[");
	lb_buf_puts(out, head);
	if (*head && (p->components ? *p->components != '\0' : p->len > 0))
		lb_buf_putc(out, ',');
	if (p->components)
		lb_buf_puts(out, p->components);
	else if (p->len > 0)
		lb_chain_put_text(out, p->text, p->len);
	lb_buf_putc(out, ']');
	lb_put_strn(out, "text", p->text, p->len);
	lb_put_int(out, "part", p->number);
	lb_put_bool(out, "final", p->final);
	if (p->final && a->failed)
		lb_put_json(out, "failed", a->failed);
	if (first && a->not_before > 0)
		lb_put_int(out, "not_before", a->not_before);
	lb_put_end(out);
}

static void put_parts(struct lb_buf *out, const struct answer *a,
		      struct lb_buf *why)
{
	struct part p = {.text = lb_buf_str(&a->text), .number = 1};
	size_t left = a->text.len;

	for (; left > a->o->threshold; p.number++) {
		p.len = lb_cut_first(p.text, left, a->o->threshold,
				     LB_UNIT_CODE_POINTS);
		if (p.len == left)
			break;
		put_part(out, a, &p);
		p.text += p.len;
		left -= p.len;
	}
	p.len = left;
	p.final = true;
	put_part(out, a, &p);
	if (p.number > 1)
		lb_buf_printf(why, "%s%lld parts", why->len ? "; " : "",
			      (long long)p.number);
}

/* Too long, and of the sort that can be made into something else. */
static bool is_long(const struct answer *a)
{
	return a->whole && a->plain && a->o->strategy != LB_LONG_NONE &&
	       lb_utf8_count(lb_buf_str(&a->text), a->text.len) >
		       a->o->threshold;
}

static void put_long(struct lb_buf *out, const struct answer *a,
		     struct lb_buf *why)
{
	lb_autobuf struct lb_buf components = {0};
	struct part p = {.text = lb_buf_str(&a->text),
			 .len = a->text.len,
			 .number = 1,
			 .final = true};

	if (a->o->strategy == LB_LONG_SPLIT ||
	    lb_long_text(a->o, a->wrap, p.text, p.len, &components) ==
		    LB_LONG_SPLIT) {
		put_parts(out, a, why);
		return;
	}
	p.components = lb_buf_str(&components);
	put_part(out, a, &p);
	lb_buf_puts(why, why->len ? "; one component for a long text"
				  : "one component for a long text");
}

static void put_answer(struct lb_buf *out, const struct answer *a)
{
	lb_autobuf struct lb_buf components = {0};
	struct part p = {.text = lb_buf_str(&a->text), .len = a->text.len};
	int64_t asked = 0;

	lb_json_int(a->r->json, "not_before", &asked);
	if (!a->changed && a->head.len == 0 && a->not_before == asked) {
		lb_buf_put(out, a->r->text, a->r->len);
		lb_buf_putc(out, '\n');
		return;
	}
	p.number = 1;
	lb_json_int(a->r->json, "part", &p.number);
	p.final = lb_json_bool(a->r->json, "final", true);
	put_components(&components, a);
	p.components = lb_buf_str(&components);
	put_part(out, a, &p);
}

/* What is around the text, and when it goes. */
static void surround(struct answer *a, struct lb_buf *out)
{
	struct lb_stream *s = a->stream;
	int64_t now = lb_clock_now();

	lb_json_int(a->r->json, "not_before", &a->not_before);
	if (a->whole && (!s || s->not_before == 0))
		a->not_before = lb_head_delay(a->o, a->r, now);
	else if (s && s->not_before > now)
		a->not_before = s->not_before; /* no time of its own */
	if (s && !a->failed && a->given < a->text.len)
		lb_wrap_tail(s, a->r, a->given,
			     a->not_before > now ? a->not_before : 0, out);
	if (a->whole)
		lb_head_put(&a->head, a->o, a->r);
}

static void finish(struct answer *a, struct lb_buf *out, struct lb_buf *why)
{
	if (a->failed && a->o->failures == LB_HIDE) {
		put_hidden(out, a);
		lb_buf_puts(why, "a failure that the pipeline hides");
		return;
	}
	if (a->failed) {
		add_words(a);
		lb_buf_puts(why, "words for a failure");
	}
	surround(a, out);
	if (is_long(a))
		put_long(out, a, why);
	else
		put_answer(out, a);
}

void lb_wrap_reply(struct lb_wrap *wrap, const struct lb_record *r,
		   struct lb_buf *out, struct lb_buf *why)
{
	lb_autobuf struct lb_buf key = {0};
	int64_t part = 1;
	struct answer a = {
		.wrap = wrap,
		.r = r,
		.o = lb_output_of(&wrap->outputs, r->json),
		.chain = json_object_get(r->json, "chain"),
		.failed = json_object_get(r->json, "failed"),
	};

	if (json_is_null(a.failed))
		a.failed = NULL;
	lb_json_int(r->json, "part", &part);
	a.whole = part == 1 && lb_json_bool(r->json, "final", true);
	a.plain = only_plain(a.chain);
	lb_stream_key(&key, r);
	a.stream = lb_stream_find(&wrap->streams, lb_buf_str(&key));
	if (a.stream && a.stream->came == 0 && a.stream->text.len == 0) {
		/* it was begun, and is given whole */
		lb_stream_close(&wrap->streams, a.stream);
		a.stream = NULL;
	}
	read_text(&a);
	if (a.whole && !a.failed && is_blank(&a.text) && !shows_more(a.chain))
		a.failed = wrap->empty;
	finish(&a, out, why);
	if (a.stream)
		lb_stream_close(&wrap->streams, a.stream);
	lb_buf_release(&a.text);
	lb_buf_release(&a.head);
}
