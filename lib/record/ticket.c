#include "record/ticket.h"

#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"

enum { DAY_MS = 24 * 3600 * 1000 };

const char *const lb_ending_kinds[] = {"drop", "error", "receipt", "queued",
				       NULL};

static bool is_one_of(const char *kind, const char *const *kinds)
{
	while (*kinds && strcmp(kind, *kinds) != 0)
		kinds++;
	return *kinds;
}

void lb_ticket_part(struct lb_buf *b, const char *id, int64_t part)
{
	lb_buf_printf(b, "%s/reply/%lld", id, (long long)part);
}

/* A message and all that comes of it have one id: pieces are told apart. */
static void put_key(struct lb_ticket *t, const struct lb_record *r,
		    const char *kind)
{
	int64_t part = 1, seq = 0, attempt = 1;
	char id[LB_ID_SIZE];

	lb_buf_reset(&t->key);
	if (!t->id || (!t->ends && strcmp(kind, "chunk") != 0)) {
		lb_id_new(lb_clock_now(), id);
		lb_buf_printf(&t->key, "%s/%s", kind, id);
	} else if (strcmp(kind, "reply") == 0) {
		lb_json_int(r->json, "part", &part);
		lb_ticket_part(&t->key, t->id, part);
	} else if (strcmp(kind, "chunk") == 0) {
		lb_json_int(r->json, "seq", &seq);
		lb_json_int(r->json, "attempt", &attempt);
		lb_buf_printf(&t->key, "%s/chunk/%lld/%lld", t->id,
			      (long long)attempt, (long long)seq);
	} else {
		lb_buf_puts(&t->key, t->id);
	}
}

static int check(const struct lb_ticket *t, const char *session,
		 const char *kind, int64_t now_ms, struct lb_error *err)
{
	if (t->ends && (!t->id || !*t->id))
		return lb_fail(err, LB_DATA, "a %s without an id", kind);
	if (t->id && strlen(t->id) > LB_TICKET_ID_MAX)
		return lb_fail(err, LB_DATA, "its id is longer than %d bytes",
			       LB_TICKET_ID_MAX);
	if (session && strlen(session) > LB_TICKET_SESSION_MAX)
		return lb_fail(err, LB_DATA,
			       "its session is longer than %d bytes",
			       LB_TICKET_SESSION_MAX);
	if (t->not_before > now_ms && t->not_before - now_ms > DAY_MS)
		return lb_fail(err, LB_DATA,
			       "its not_before is more than a day ahead");
	return 0;
}

int lb_ticket_read(struct lb_ticket *t, const struct lb_record *r,
		   int64_t now_ms, struct lb_error *err)
{
	static const char *const ending[] = {"message", "query", "reply", NULL};
	const char *kind = lb_json_str(r->json, "kind");
	const char *session = lb_json_str(r->json, "session");

	kind = kind ? kind : "";
	t->id = lb_json_str(r->json, "id");
	t->ends = is_one_of(kind, ending);
	t->not_before = 0;
	lb_json_int(r->json, "not_before", &t->not_before);
	if (check(t, session, kind, now_ms, err) < 0)
		return -1;
	put_key(t, r, kind);
	lb_buf_reset(&t->session);
	if (session)
		lb_buf_puts(&t->session, session);
	else /* no bot has an empty name, so this is no session of one */
		lb_buf_printf(&t->session, "/%s",
			      t->id ? t->id : lb_buf_str(&t->key));
	return 0;
}

void lb_ticket_release(struct lb_ticket *t)
{
	lb_buf_release(&t->key);
	lb_buf_release(&t->session);
	*t = (struct lb_ticket){0};
}

enum lb_ending lb_record_ending(const struct lb_record *r, const char **into)
{
	const char *kind = lb_json_str(r->json, "kind");

	if (!kind)
		return LB_ENDS_NOTHING;
	if (strcmp(kind, "drop") == 0) {
		*into = lb_json_str(r->json, "into");
		return *into ? LB_ENDS_INTO : LB_ENDS;
	}
	if (strcmp(kind, "error") == 0)
		return lb_json_bool(r->json, "retryable", false) ? LB_ENDS_RETRY
								 : LB_ENDS;
	if (strcmp(kind, "receipt") == 0)
		return lb_json_bool(r->json, "final", false) ? LB_ENDS
							     : LB_ENDS_PART;
	if (strcmp(kind, "queued") == 0 && lb_json_bool(r->json, "final", true))
		return LB_ENDS_MOVED;
	return LB_ENDS_NOTHING;
}
