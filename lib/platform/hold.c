#include "platform/hold.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "record/ticket.h"

enum { MAX_BYTES = 8 << 20, EACH = 64 /* bytes, beside its text */ };

/* A record that was given back. */
struct out {
	char *id;
	uint64_t given; /* back as the so-many-th */
};

struct lb_hold {
	struct lb_hold *prev, *next;
	char *session;
	struct out *out; /* in the order of the session */
	size_t n;
	enum lb_code code; /* of the one that failed last */
	int64_t heard;
};

static void leave_list(struct lb_holds *all, struct lb_hold *h)
{
	*(h->prev ? &h->prev->next : &all->first) = h->next;
	*(h->next ? &h->next->prev : &all->last) = h->prev;
}

static void join_list(struct lb_holds *all, struct lb_hold *h)
{
	h->prev = all->last;
	h->next = NULL;
	*(all->last ? &all->last->next : &all->first) = h;
	all->last = h;
}

/* Forget n records from the i-th. */
static void forget(struct lb_holds *all, struct lb_hold *h, size_t i, size_t n)
{
	for (size_t k = i; k < i + n; k++) {
		all->bytes -= strlen(h->out[k].id) + EACH;
		free(h->out[k].id);
	}
	all->ids -= n;
	h->n -= n;
	if (h->n > i)
		memmove(h->out + i, h->out + i + n,
			(h->n - i) * sizeof(*h->out));
}

static void end(struct lb_holds *all, struct lb_hold *h)
{
	forget(all, h, 0, h->n);
	leave_list(all, h);
	lb_map_remove(&all->sessions, h->session);
	all->bytes -= strlen(h->session) + EACH;
	free(h->session);
	free(h->out);
	free(h);
}

void lb_holds_release(struct lb_holds *all)
{
	while (all->first)
		end(all, all->first);
	lb_map_release(&all->sessions, NULL);
}

static bool is_over(const struct lb_hold *h, int64_t now_ms)
{
	return now_ms - h->heard > LB_HOLD_MS;
}

static struct lb_hold *find(const struct lb_holds *all, const char *session,
			    int64_t now_ms)
{
	struct lb_hold *h = lb_map_find(&all->sessions, session);

	return h && !is_over(h, now_ms) ? h : NULL;
}

static void make_room(struct lb_holds *all, size_t bytes, int64_t now_ms)
{
	while (all->first && is_over(all->first, now_ms))
		end(all, all->first);
	while (all->first && (all->ids >= LB_HOLD_MAX ||
			      all->bytes + bytes + 2 * EACH > MAX_BYTES)) {
		if (!all->warned)
			lb_warn("more sessions wait for what failed than are "
				"remembered: the order of '%.64s' may be lost",
				all->first->session);
		all->warned = true;
		end(all, all->first);
	}
}

static struct lb_hold *find_or_add(struct lb_holds *all, const char *session,
				   int64_t now_ms)
{
	struct lb_hold *h = find(all, session, now_ms);

	if (h)
		return h;
	h = lb_alloc(sizeof(*h));
	h->session = lb_strdup(session);
	h->heard = now_ms;
	lb_map_add(&all->sessions, session, h);
	all->bytes += strlen(session) + EACH;
	join_list(all, h);
	return h;
}

static size_t place(const struct lb_hold *h, const char *id)
{
	size_t i = 0;

	while (i < h->n && strcmp(h->out[i].id, id) != 0)
		i++;
	return i;
}

static void give_back(struct lb_holds *all, struct lb_hold *h, const char *id,
		      int64_t now_ms)
{
	size_t i = place(h, id);

	if (i == h->n) {
		h->out = lb_grow(h->out, (h->n + 1) * sizeof(*h->out));
		h->out[h->n++].id = lb_strdup(id);
		all->ids++;
		all->bytes += strlen(id) + EACH;
	}
	h->out[i].given = ++all->given;
	h->heard = now_ms;
	leave_list(all, h);
	join_list(all, h);
}

void lb_hold_failed(struct lb_holds *all, const char *session, const char *id,
		    enum lb_code code, int64_t now_ms)
{
	size_t id_len = strlen(id), len = strlen(session);
	struct lb_hold *h;

	if (id_len > LB_TICKET_ID_MAX || len > LB_TICKET_SESSION_MAX)
		return;
	make_room(all, id_len + len, now_ms);
	h = find_or_add(all, session, now_ms);
	h->code = code;
	give_back(all, h, id, now_ms);
}

const char *lb_hold_behind(struct lb_holds *all, const char *session,
			   const char *id, int64_t now_ms, enum lb_code *code)
{
	struct lb_hold *h;
	size_t at;

	if (all->sessions.n == 0 || strlen(id) > LB_TICKET_ID_MAX)
		return NULL;
	make_room(all, strlen(id), now_ms);
	h = find(all, session, now_ms);
	if (!h)
		return NULL;
	at = place(h, id);
	for (size_t i = at; i-- > 0 && at < h->n;)
		if (h->out[i].given < h->out[at].given) {
			forget(all, h, i, 1);
			at--;
		}
	if (at == 0)
		return NULL;
	*code = h->code;
	give_back(all, h, id, now_ms);
	return h->out[0].id;
}

bool lb_hold_keeps(const struct lb_holds *all, const char *session,
		   const char *id, int64_t now_ms)
{
	const struct lb_hold *h =
		all->sessions.n > 0 ? find(all, session, now_ms) : NULL;

	return h && strcmp(h->out[0].id, id) != 0;
}

void lb_hold_ended(struct lb_holds *all, const char *session, const char *id)
{
	struct lb_hold *h = lb_map_find(&all->sessions, session);
	size_t at = h ? place(h, id) : 0;

	if (!h || at == h->n)
		return;
	forget(all, h, at, 1);
	if (h->n == 0)
		end(all, h);
}
