#include "held.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "record/plain.h"

static struct entry *add(struct held *h, const char *text, size_t len)
{
	struct entry *e;

	if (h->n == h->size) {
		h->size = h->size * 2 + 64;
		h->entries = lb_grow(h->entries, h->size * sizeof(*h->entries));
	}
	e = &h->entries[h->n++];
	*e = (struct entry){.text = h->bytes.len, .len = len};
	lb_buf_put(&h->bytes, text, len);
	return e;
}

/* A text and its NUL; returns its place. */
static size_t put_text(struct held *h, const char *text, size_t len)
{
	size_t at = h->bytes.len;

	lb_buf_put(&h->bytes, text, len);
	lb_buf_putc(&h->bytes, '\0');
	return at;
}

int held_add(struct held *h, const struct lb_record *r, struct lb_error *err)
{
	static const char *const with[] = {"id", "bot", "session", NULL};
	const char *kind = json_string_value(json_object_get(r->json, "kind"));
	struct lb_ticket *t = &h->ticket;
	struct entry *e;

	if (lb_ticket_read(t, r, lb_clock_now(), err) < 0)
		return -1;
	e = add(h, r->text, r->len);
	e->not_before = t->not_before;
	e->key = put_text(h, lb_buf_str(&t->key), t->key.len);
	e->session = put_text(h, lb_buf_str(&t->session), t->session.len);
	/* What is told of it once it is in the queue. */
	e->queued = h->bytes.len;
	lb_pick_members(&h->bytes, r, "queued", with);
	lb_put_str(&h->bytes, "queue", h->queue);
	lb_put_bool(&h->bytes, "final",
		    strcmp(kind, "chunk") != 0 &&
			    !json_is_false(json_object_get(r->json, "final")));
	e->queued_len = h->bytes.len - e->queued;
	return 0;
}

static void put_member(struct held *h, const char *key, struct lb_span value)
{
	lb_put_raw(&h->bytes, key, value.at - 1, value.len + 2);
}

bool held_add_plain(struct held *h, const char *text, size_t len)
{
	const struct lb_members *m = &h->members;
	struct lb_span kind, id, session, bot;
	bool there, has_bot;
	struct entry *e;

	if (!lb_scan_kind(text, len, &kind) ||
	    !(lb_span_is(kind, "message") || lb_span_is(kind, "query")) ||
	    !lb_plain(text, len, &h->members))
		return false;
	/* Whatever is not as usual is for held_add(). */
	if (!lb_plain_str(m, "id", &id, &there) || id.len == 0 ||
	    id.len > LB_TICKET_ID_MAX ||
	    !lb_plain_str(m, "session", &session, &there) ||
	    session.len > LB_TICKET_SESSION_MAX ||
	    lb_member_find(m, "not_before") || lb_member_find(m, "final"))
		return false;
	has_bot = lb_plain_str(m, "bot", &bot, &there);
	if (there && !has_bot)
		return false;
	e = add(h, text, len);
	e->key = put_text(h, id.at, id.len);
	e->session = put_text(h, session.at, session.len);
	e->queued = h->bytes.len;
	lb_put_begin(&h->bytes, "queued");
	put_member(h, "id", id);
	if (has_bot)
		put_member(h, "bot", bot);
	put_member(h, "session", session);
	lb_put_str(&h->bytes, "queue", h->queue);
	lb_put_bool(&h->bytes, "final", true);
	e->queued_len = h->bytes.len - e->queued;
	return true;
}

void held_shift(struct held *h, size_t n)
{
	h->n -= n;
	memmove(h->entries, h->entries + n, h->n * sizeof(*h->entries));
	if (h->n == 0)
		lb_buf_reset(&h->bytes);
}

void held_release(struct held *h)
{
	lb_buf_release(&h->bytes);
	lb_ticket_release(&h->ticket);
	lb_members_release(&h->members);
	free(h->entries);
}
