#include "pipeline/burst.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* The members of an array, as spelled; nothing where there is no array. */
static struct lb_span inside(const struct lb_record *r, const char *key)
{
	const struct lb_member *m = lb_member_find(&r->members, key);
	struct lb_span s = {"", 0};
	const char *from, *end;

	if (!m || m->value.len < 2 || m->value.at[0] != '[')
		return s;
	end = m->value.at + m->value.len - 1;
	from = lb_scan_blanks(m->value.at + 1, end);
	return (struct lb_span){from, (size_t)(end - from)};
}

static void add(struct lb_buf *b, struct lb_span members, const char *between)
{
	if (members.len == 0)
		return;
	if (b->len > 0)
		lb_buf_puts(b, between);
	lb_buf_put(b, members.at, members.len);
}

static void take(struct lb_burst *b, const struct lb_record *r,
		 const struct lb_way *way)
{
	const char *id = lb_json_str(r->json, "id");

	lb_buf_put(&b->ids, id, strlen(id) + 1);
	add(&b->chain, inside(r, "chain"),
	    ",{\"type\":\"Plain\",\"text\":\"\\n\"},");
	add(&b->mentions, inside(r, "mentions"), ",");
	b->mentioned =
		b->mentioned || lb_json_bool(r->json, "mentioned_me", false);
	b->routed = b->routed || way->routed;
	b->n++;
	b->bytes += r->len;
}

struct lb_burst *lb_burst_open(const struct lb_record *r,
			       const struct lb_way *way)
{
	struct lb_burst *b = lb_alloc(sizeof(*b));

	b->text = lb_strndup(r->text, r->len);
	b->first.text = b->text;
	b->first.len = r->len;
	b->first.json = json_incref(r->json);
	lb_scan(b->text, b->first.len, &b->first.members);
	b->id = lb_strdup(lb_json_str(r->json, "id"));
	b->pipeline = way->pipeline;
	b->sender = lb_strdup(way->sender);
	take(b, &b->first, way);
	return b;
}

void lb_burst_close(struct lb_burst *b)
{
	if (!b)
		return;
	lb_record_release(&b->first);
	lb_buf_release(&b->ids);
	lb_buf_release(&b->chain);
	lb_buf_release(&b->mentions);
	lb_buf_release(&b->drops);
	free(b->id);
	free(b->sender);
	free(b->text);
	free(b);
}

bool lb_burst_has(const struct lb_burst *b, const char *id)
{
	const char *p = lb_buf_str(&b->ids), *end = p + b->ids.len;

	for (; p < end; p += strlen(p) + 1)
		if (strcmp(p, id) == 0)
			return true;
	return false;
}

static void put_drop(struct lb_buf *out, const struct lb_record *r,
		     const char *into)
{
	lb_splice(out, r, "drop",
		  (const char *const[]){"stage", "reason", "into", NULL});
	lb_put_str(out, "stage", "lb-aggregate");
	lb_put_str(out, "reason", "it is a part of the message before it");
	lb_put_str(out, "into", into);
	lb_put_end(out);
}

void lb_burst_join(struct lb_burst *b, const struct lb_record *r,
		   const struct lb_way *way)
{
	take(b, r, way);
	put_drop(&b->drops, r, b->id);
}

static void put_array(struct lb_buf *out, const char *key,
		      const struct lb_buf *members)
{
	lb_buf_printf(out, ",\"%s\":[", key);
	lb_buf_put(out, lb_buf_str(members), members->len);
	lb_buf_putc(out, ']');
}

void lb_burst_put(const struct lb_burst *b, struct lb_buf *out)
{
	/* What the first says of these is not all; the rest is its own. */
	const char *set[6] = {"chain", "pipeline"};
	size_t n = 2;

	if (b->n == 1) {
		lb_buf_put(out, b->first.text, b->first.len);
		lb_buf_putc(out, '\n');
		return;
	}
	if (b->mentions.len > 0)
		set[n++] = "mentions";
	if (b->mentioned)
		set[n++] = "mentioned_me";
	if (b->routed)
		set[n++] = "routed_by_rule";
	lb_buf_put(out, b->drops.data, b->drops.len);
	lb_splice(out, &b->first, "message", set);
	put_array(out, "chain", &b->chain);
	/* Together they may look like something else to the bot's rules. */
	lb_put_str(out, "pipeline", b->pipeline);
	if (b->mentions.len > 0)
		put_array(out, "mentions", &b->mentions);
	if (b->mentioned)
		lb_put_bool(out, "mentioned_me", true);
	if (b->routed)
		lb_put_bool(out, "routed_by_rule", true);
	lb_put_end(out);
}
