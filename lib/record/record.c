#include "record/record.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "record/load.h"

enum { MAX_KEPT = 64 * 1024, MAX_LINE_KEPT = 4096, MAX_COMMON = 4096 };

/* A record in a record nests deeper; our reader stops at 2048, jq at 256. */
enum { KEPT_DEPTH = 200, COMMON_DEPTH = 8 };

const char *const lb_common_keys[] = {
	"id",         "time",          "bot",
	"platform",   "launcher_type", "launcher_id",
	"sender_id",  "sender_name",   "group_name",
	"message_id", "session",       "reply_to",
	"target",     "thread",        NULL,
};

void lb_record_release(struct lb_record *r)
{
	json_decref(r->json);
	lb_members_release(&r->members);
	lb_buf_release(&r->repaired);
	*r = (struct lb_record){0};
}

/* Where and why, without the words that stand there: logs show no message. */
static int fail_at(struct lb_error *err, const json_error_t *why)
{
	const char *near = strstr(why->text, " near ");
	int len = near ? (int)(near - why->text) : (int)strlen(why->text);

	return lb_fail(err, LB_DATA, "column %d: %.*s", why->column, len,
		       why->text);
}

int lb_record_parse(struct lb_record *r, const char *text, size_t len,
		    struct lb_error *err)
{
	const struct lb_member *kind;
	json_error_t why;

	json_decref(r->json);
	r->text = text;
	r->len = len;
	r->members.n = 0;
	r->json = lb_load(&r->text, &r->len, &r->repaired, &why);
	if (!r->json)
		return fail_at(err, &why);
	if (!json_is_object(r->json))
		return lb_fail(err, LB_DATA, "not an object");
	if (!lb_scan(r->text, r->len, &r->members))
		return lb_fail(err, LB_DATA, "not one object");
	if (json_object_size(r->json) != r->members.n)
		return lb_fail(err, LB_DATA, "a key stands there twice");
	kind = lb_member_find(&r->members, "kind");
	if (kind && !lb_span_is(kind->key, "kind"))
		return lb_fail(err, LB_DATA, "'kind' is spelled with escapes");
	return 0;
}

static const char *string_at(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

struct lb_subject lb_record_subject(const struct lb_record *r)
{
	return (struct lb_subject){
		.id = string_at(r->json, "id"),
		.bot = string_at(r->json, "bot"),
		.session = string_at(r->json, "session"),
	};
}

void lb_put_begin(struct lb_buf *b, const char *kind)
{
	lb_buf_puts(b, "{\"kind\":\"");
	lb_buf_puts(b, kind);
	lb_buf_putc(b, '"');
}

static void put_key(struct lb_buf *b, const char *key)
{
	size_t len = strlen(key);

	lb_buf_reserve(b, len + 4);
	lb_buf_put(b, ",\"", 2);
	lb_buf_put(b, key, len);
	lb_buf_put(b, "\":", 2);
}

void lb_put_raw(struct lb_buf *b, const char *key, const char *raw, size_t len)
{
	put_key(b, key);
	lb_buf_put(b, raw, len);
}

void lb_put_strn(struct lb_buf *b, const char *key, const char *text,
		 size_t len)
{
	put_key(b, key);
	lb_buf_json_str(b, text, len);
}

void lb_put_str(struct lb_buf *b, const char *key, const char *text)
{
	lb_put_strn(b, key, text, strlen(text));
}

void lb_put_int(struct lb_buf *b, const char *key, int64_t v)
{
	uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char digits[24], *p = digits + sizeof(digits);

	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (v < 0)
		*--p = '-';
	put_key(b, key);
	lb_buf_put(b, p, (size_t)(digits + sizeof(digits) - p));
}

void lb_put_bool(struct lb_buf *b, const char *key, bool v)
{
	put_key(b, key);
	lb_buf_puts(b, v ? "true" : "false");
}

void lb_put_json(struct lb_buf *b, const char *key, const json_t *v)
{
	put_key(b, key);
	lb_buf_json(b, v);
}

void lb_put_end(struct lb_buf *b)
{
	lb_buf_put(b, "}\n", 2);
}

/* A member as it stands, its key with the quotes. */
static void put_member(struct lb_buf *b, const struct lb_member *m)
{
	lb_buf_reserve(b, m->key.len + m->value.len + 4);
	lb_buf_put(b, ",\"", 2);
	lb_buf_put(b, m->key.at, m->key.len);
	lb_buf_put(b, "\":", 2);
	lb_buf_put(b, m->value.at, m->value.len);
}

static bool is_in(const struct lb_member *m, const char *const *names)
{
	for (; names && *names; names++)
		if (lb_member_is(m, *names))
			return true;
	return false;
}

void lb_splice(struct lb_buf *b, const struct lb_record *r, const char *kind,
	       const char *const *without)
{
	lb_put_begin(b, kind);
	for (size_t i = 0; i < r->members.n; i++) {
		const struct lb_member *m = &r->members.at[i];

		if (!lb_span_is(m->key, "kind") && !is_in(m, without))
			put_member(b, m);
	}
}

void lb_pick_members(struct lb_buf *b, const struct lb_record *r,
		     const char *kind, const char *const *with)
{
	lb_put_begin(b, kind);
	for (size_t i = 0; i < r->members.n; i++)
		if (is_in(&r->members.at[i], with))
			put_member(b, &r->members.at[i]);
}

static void put_problem(struct lb_buf *b, const struct lb_problem *p)
{
	lb_put_str(b, "stage", p->stage);
	lb_put_str(b, "code", lb_code_name(p->code));
	lb_put_str(b, "message", p->message);
	lb_put_bool(b, "retryable", p->retryable);
	if (p->sent_parts >= 0)
		lb_put_int(b, "sent_parts", p->sent_parts);
	if (p->behind)
		lb_put_str(b, "behind", p->behind);
}

/* How deep a value nests. */
static size_t depth_of(const char *text, size_t len)
{
	const char *end = text + len;
	size_t depth = 0, most = 0;

	for (const char *p = text; p < end; p++) {
		if (*p == '"') {
			p = lb_scan_value(p, end);
			if (!p)
				break;
			p--;
		} else if (*p == '{' || *p == '[') {
			most = ++depth > most ? depth : most;
		} else if (*p == '}' || *p == ']') {
			depth--;
		}
	}
	return most;
}

/* The common keys, so far as they are what they should be: short and flat. */
static void pick_common(struct lb_buf *b, const struct lb_record *r,
			const char *kind)
{
	lb_put_begin(b, kind);
	for (size_t i = 0; i < r->members.n; i++)
		if (is_in(&r->members.at[i], lb_common_keys) &&
		    r->members.at[i].value.len <= MAX_COMMON &&
		    depth_of(r->members.at[i].value.at,
			     r->members.at[i].value.len) <= COMMON_DEPTH)
			put_member(b, &r->members.at[i]);
}

void lb_put_error(struct lb_buf *b, const struct lb_record *r,
		  const struct lb_problem *p)
{
	const char *kind = string_at(r->json, "kind");

	pick_common(b, r, "error");
	put_problem(b, p);
	if (r->len <= MAX_KEPT && depth_of(r->text, r->len) <= KEPT_DEPTH) {
		lb_put_raw(b, "record", r->text, r->len);
	} else {
		lb_autobuf struct lb_buf cut = {0};

		pick_common(&cut, r, kind ? kind : "");
		lb_buf_puts(&cut, ",\"cut\":true}");
		lb_put_raw(b, "record", cut.data, cut.len);
	}
	lb_put_end(b);
}

void lb_put_bad_line(struct lb_buf *b, const char *stage, const char *why,
		     const char *line, size_t len, unsigned long number)
{
	const struct lb_problem p = {stage, LB_CODE_DATA, why, false, -1};
	lb_autobuf struct lb_buf clean = {0};
	size_t kept = len < MAX_LINE_KEPT ? len : MAX_LINE_KEPT;

	/* A character cut in two must not read as a broken one. */
	if (kept < len)
		kept -= lb_utf8_partial(line, kept);
	lb_utf8_clean(&clean, line, kept);
	lb_put_begin(b, "error");
	lb_put_int(b, "time", lb_clock_now());
	put_problem(b, &p);
	lb_put_strn(b, "line", lb_buf_str(&clean),
		    lb_utf8_cut(lb_buf_str(&clean), clean.len, MAX_LINE_KEPT));
	lb_put_int(b, "line_number", (int64_t)number);
	lb_put_end(b);
}

void lb_put_drop(struct lb_buf *b, const struct lb_record *r, const char *stage,
		 const char *reason)
{
	lb_splice(b, r, "drop",
		  (const char *const[]){"stage", "reason", "into", NULL});
	lb_put_str(b, "stage", stage);
	lb_put_str(b, "reason", reason);
	lb_put_end(b);
}

char *lb_session_name(const char *bot, const char *launcher_type,
		      const char *launcher_id)
{
	return lb_printf("%s/%s_%s", bot, launcher_type, launcher_id);
}

char *lb_session_of_line(const char *text, size_t len)
{
	struct lb_members members = {0};
	const struct lb_member *m;
	char *name = NULL;

	if (lb_scan(text, len, &members) &&
	    (m = lb_member_find(&members, "session"))) {
		lb_autobuf struct lb_buf mended = {0};
		json_auto_t *value =
			lb_record_load(m->value.at, m->value.len, &mended);

		if (json_is_string(value))
			name = lb_strdup(json_string_value(value));
	}
	lb_members_release(&members);
	return name;
}
