/*
 * jsonl - in: objects with at least `text` or `chain`, from programs that are
 * not trusted with more; out: the reply itself, then its receipt.
 *
 * Only what a caller may say is copied: text, chain (without `path`), sender,
 * group, time, message_id and a valid id. See CONTRACTS in lb-records(7).
 */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/ingest.h"
#include "platform/send.h"
#include "record/chain.h"
#include "record/filter.h"
#include "record/prune.h"
#include "record/record.h"

/* 256 KiB of media, as base64 and with the head of a data URI. */
enum { MAX_INLINE = 256 * 1024 / 3 * 4 + 128 };

/* Texts taken from an object; released together. */
struct texts {
	char *at[8];
	size_t n;
};

static void release(struct texts *t)
{
	while (t->n > 0)
		free(t->at[--t->n]);
}

/*
 * The id or name at a member, as text: a string, or a whole number in its own
 * digits. NULL when there is none.
 */
static const char *text_at(struct texts *t, const struct lb_record *r,
			   const char *key)
{
	const struct lb_member *m = lb_member_find(&r->members, key);
	const json_t *v = json_object_get(r->json, key);
	char *text = NULL;

	if (json_is_string(v) && json_string_length(v) > 0)
		text = lb_strdup(json_string_value(v));
	else if (m && json_is_number(v) &&
		 strspn(m->value.at, "-0123456789") >= m->value.len)
		text = lb_strndup(m->value.at, m->value.len);
	if (text)
		t->at[t->n++] = text;
	return text;
}

/* The same below an object: {"sender":{"id":7,"name":"Ann"}}. */
static const char *inner_at(struct texts *t, const struct lb_record *r,
			    const char *outer, const char *key)
{
	const struct lb_member *m = lb_member_find(&r->members, outer);
	struct lb_record in = {0};
	struct lb_error err;
	const char *text = NULL;

	if (m && json_is_object(json_object_get(r->json, outer)) &&
	    lb_record_parse(&in, m->value.at, m->value.len, &err) == 0)
		text = text_at(t, &in, key);
	lb_record_release(&in);
	return text;
}

static const char *first(const char *a, const char *b)
{
	return a ? a : b;
}

static void put_chain(struct lb_buf *b, const struct lb_record *r)
{
	const struct lb_member *m = lb_member_find(&r->members, "chain");
	const json_t *text = json_object_get(r->json, "text");

	lb_buf_puts(b, ",\"chain\":");
	if (m) { /* local files are not a caller's to name */
		lb_prune(b, m->value, "path");
	} else {
		lb_chain_put_plain(b, json_string_value(text),
				   json_string_length(text));
	}
}

/* Media inside a record are small; larger ones are named by a URL. */
static int check_inline(const json_t *chain, struct lb_error *err)
{
	const json_t *part;
	size_t i;

	json_array_foreach(chain, i, part) if (
		json_string_length(json_object_get(part, "base64")) >
		MAX_INLINE) return lb_fail(err, LB_DATA,
					   "component %zu holds more than 256 "
					   "KiB "
					   "of media; give a url instead",
					   i);
	return 0;
}

static int check(const struct lb_record *r, struct lb_error *err)
{
	const json_t *chain = json_object_get(r->json, "chain");
	const json_t *text = json_object_get(r->json, "text");

	if (chain)
		return lb_chain_check(chain, err) < 0
			       ? -1
			       : check_inline(chain, err);
	if (!text)
		return lb_fail(err, LB_DATA, "neither 'text' nor 'chain'");
	if (!json_is_string(text))
		return lb_fail(err, LB_DATA, "'text' is not a string");
	return 0;
}

static struct lb_origin origin(const struct lb_ingest *in, struct texts *t,
			       const struct lb_record *r)
{
	const char *id = lb_json_str(r->json, "id");
	const char *group =
		first(text_at(t, r, "group"), inner_at(t, r, "group", "id"));
	struct lb_origin from = {
		.id = lb_id_valid(id) ? id : NULL,
		.platform = "jsonl",
		.bot = in->bot,
		.launcher_type = group ? "group" : "person",
		.group_name = first(text_at(t, r, "group_name"),
				    inner_at(t, r, "group", "name")),
		.sender_name = first(text_at(t, r, "sender_name"),
				     inner_at(t, r, "sender", "name")),
		.message_id = text_at(t, r, "message_id"),
	};

	from.sender_id = first(first(text_at(t, r, "sender"),
				     inner_at(t, r, "sender", "id")),
			       "anonymous");
	from.launcher_id = group ? group : from.sender_id;
	/* An event that is named and dated is the same event each time. */
	if (lb_json_int(r->json, "time", &from.time) && from.time >= 0)
		from.event_id = from.message_id;
	else
		from.time = lb_clock_now();
	return from;
}

static int one(struct lb_ingest *in, struct lb_record *r,
	       const struct lb_line *line, struct lb_error *err)
{
	struct texts t = {.n = 0};
	struct lb_buf *b = lb_out_buf(in->out);
	size_t began = b->len;
	struct lb_origin from;

	if (lb_record_parse(r, line->text, line->len, err) < 0 ||
	    check(r, err) < 0)
		return lb_error_wrap(err, "line %lu", line->number);
	from = origin(in, &t, r);
	lb_put_message(b, &from);
	put_chain(b, r);
	lb_put_end(b);
	release(&t);
	if (b->len - began > in->max_line + 1) {
		b->len = began;
		return lb_fail(err, LB_DATA, "line %lu: too long as a record",
			       line->number);
	}
	lb_out_built(in->out);
	return 0;
}

int lb_ingest_jsonl(struct lb_ingest *in, struct lb_error *err)
{
	struct lb_lines *lines = lb_lines_open(STDIN_FILENO, in->max_line);
	struct lb_record record = {0};
	struct lb_line line;
	int got = 1, r = 0;

	while (r == 0 && got > 0) {
		got = lb_lines_read(lines, err);
		while (got >= 0 && (r = lb_lines_take(lines, &line, err))) {
			if (r > 0 && one(in, &record, &line, err) == 0)
				continue;
			lb_line_refuse(in->out, "lb-ingest", &line, err);
			in->code = LB_DATA;
		}
		r = got < 0 ? -1 : lb_out_flush(in->out, err);
	}
	lb_record_release(&record);
	lb_lines_close(lines);
	return r;
}

static enum lb_sent reply(struct lb_send *send, struct lb_delivery *d)
{
	lb_out_line(send->out, d->record->text, d->record->len);
	return LB_SENT;
}

static void chunk(struct lb_send *send, const struct lb_record *r)
{
	lb_out_line(send->out, r->text, r->len);
}

const struct lb_sink lb_sink_jsonl = {
	.name = "jsonl",
	.about = "write the reply, then its receipt",
	.reply = reply,
	.chunk = chunk,
};
