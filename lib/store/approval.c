#include "store/approval.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "store/db.h"

/* How far two looks at the clock may be apart: one from a time to come is
 * that of a clock which was set back, and holds for nothing. */
enum { TRIES = 8, AHEAD_MS = 60000, UNDECIDED_MS = 4 * LB_APPROVAL_MS };

/* A hash is in the database with its workspace behind it: HASH/WORKSPACE, so
 * that the same call of two is two. */
#define WORKSPACE "substr(hash, instr(hash || '/', '/') + 1)"

/*
 * The last word on this call that still holds: a request or a denial from when
 * it was asked for or decided, a grant from when it was given. 1, 0: none.
 */
static int find(struct lb_store *store, const char *hash, int64_t now_ms,
		int *state, char id[LB_APPROVAL_ID], struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT id, state FROM approvals WHERE hash = ?1 "
			    "AND state < 3"
			    " AND max(asked, decided) > ?2 - ?3"
			    " AND max(asked, decided) <= ?2 + ?4"
			    " ORDER BY max(asked, decided) DESC LIMIT 1",
			    err);
	int r;

	if (!q)
		return -1;
	lb_db_bind(q, "siii", hash, now_ms, (int64_t)LB_APPROVAL_MS,
		   (int64_t)AHEAD_MS);
	r = lb_db_step(store, q, err);
	if (r > 0) {
		snprintf(id, LB_APPROVAL_ID, "%s",
			 (const char *)sqlite3_column_text(q, 0));
		*state = sqlite3_column_int(q, 1);
	}
	return r;
}

/*
 * What waits: ?1 is now. Requests from a time to come are none, as above.
 */
#define WAITS "state = 0 AND asked > ?1 - 900000 AND asked <= ?1 + 60000"
_Static_assert(LB_APPROVAL_MS == 900000 && AHEAD_MS == 60000, "as in WAITS");

/* How many wait in all, in the session, and of who asks. */
static int count_waiting(struct lb_store *store,
			 const struct lb_approval_request *r, int64_t now_ms,
			 int64_t n[3], struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT count(*), total(session = ifnull(?2, '')"
			    " AND " WORKSPACE " = ifnull(?5, '')),"
			    " total(bot = ifnull(?3, '')"
			    " AND sender = ifnull(?4, '')"
			    " AND " WORKSPACE " = ifnull(?5, ''))"
			    " FROM approvals WHERE " WAITS,
			    err);

	if (!q)
		return -1;
	lb_db_bind(q, "issss", now_ms, r->session, r->bot, r->sender,
		   r->workspace);
	if (lb_db_step(store, q, err) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		n[i] = sqlite3_column_int64(q, i);
	return 0;
}

static int check_room(struct lb_store *store,
		      const struct lb_approval_request *r, int64_t now_ms,
		      struct lb_error *err)
{
	int64_t n[3];

	if (count_waiting(store, r, now_ms, n, err) < 0)
		return -1;
	if (n[0] >= LB_APPROVAL_ALL || n[1] >= LB_APPROVAL_EACH ||
	    n[2] >= LB_APPROVAL_EACH)
		return lb_fail(err, LB_DENIED,
			       "too many calls wait to be approved already");
	return 0;
}

/* Those that nobody decided on are nothing to keep. */
static int forget_undecided(struct lb_store *store, int64_t now_ms,
			    struct lb_error *err)
{
	return lb_db_write(store,
			   "DELETE FROM approvals WHERE state = 0"
			   " AND (asked < ? OR asked > ?)",
			   err, "ii", now_ms - UNDECIDED_MS, now_ms + AHEAD_MS);
}

/* Eight letters that a person can read out: none looks like another. */
static void make_id(char id[LB_APPROVAL_ID])
{
	static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789";
	uint64_t bits = lb_random();

	for (size_t i = 0; i < LB_APPROVAL_ID - 1; i++, bits /= 31)
		id[i] = letters[bits % 31];
	id[LB_APPROVAL_ID - 1] = '\0';
}

static int add(struct lb_store *store, const struct lb_approval_request *r,
	       int64_t now_ms, char id[LB_APPROVAL_ID], struct lb_error *err)
{
	const char *text = r->text ? r->text : "";

	if (forget_undecided(store, now_ms, err) < 0)
		return -1;
	for (int i = 0; i < TRIES; i++) {
		make_id(id);
		if (lb_db_write(
			    store,
			    "INSERT OR IGNORE INTO approvals(id, hash, session,"
			    " bot, sender, text, asked, state)"
			    " VALUES(?, ?, ifnull(?, ''), ifnull(?, ''),"
			    " ifnull(?, ''), ?, ?, 0)",
			    err, "sssssti", id, r->hash, r->session, r->bot,
			    r->sender, text,
			    lb_utf8_cut(text, strlen(text), LB_APPROVAL_TEXT),
			    now_ms) < 0)
			return -1;
		if (sqlite3_changes(store->db) > 0)
			return LB_APPROVAL_PENDING;
	}
	return lb_fail(err, LB_BUG, "no id for a request is free");
}

static int ask(struct lb_store *store, const struct lb_approval_request *r,
	       int64_t now_ms, char id[LB_APPROVAL_ID], struct lb_error *err)
{
	int state = 0, found = find(store, r->hash, now_ms, &state, id, err);

	if (found < 0)
		return -1;
	if (found == 0)
		return check_room(store, r, now_ms, err) < 0
			       ? -1
			       : add(store, r, now_ms, id, err);
	if (state == LB_APPROVAL_GRANTED &&
	    lb_db_write(store, "UPDATE approvals SET state = 3 WHERE id = ?",
			err, "s", id) < 0)
		return -1;
	return state;
}

int lb_approval_ask(struct lb_store *store,
		    const struct lb_approval_request *request, int64_t now_ms,
		    char id[LB_APPROVAL_ID], struct lb_error *err)
{
	struct lb_approval_request r = *request;
	lb_autofree char *hash =
		r.workspace ? lb_printf("%s/%s", r.hash, r.workspace) : NULL;
	bool own;
	int state;

	if (hash)
		r.hash = hash;
	id[0] = '\0';
	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	state = ask(store, &r, now_ms, id, err);
	return lb_db_end(store, own, state < 0 ? -1 : 0, err) < 0 ? -1 : state;
}

/* Why a request cannot be decided on. */
static int refuse(struct lb_store *store, const char *id, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT state, who FROM approvals WHERE id = ?",
			    err);
	int r;

	if (!q)
		return -1;
	lb_db_bind(q, "s", id);
	r = lb_db_step(store, q, err);
	if (r < 0)
		return -1;
	if (r == 0)
		return lb_fail(err, LB_NO, "no request '%.40s' waits", id);
	if (sqlite3_column_int(q, 0) == LB_APPROVAL_PENDING)
		return lb_fail(err, LB_NO,
			       "request '%s' expired: it waited for 15 minutes",
			       id);
	return lb_fail(err, LB_NO, "request '%s' was %s by %.80s", id,
		       sqlite3_column_int(q, 0) == LB_APPROVAL_DENIED
			       ? "denied"
			       : "approved",
		       (const char *)sqlite3_column_text(q, 1));
}

int lb_approval_decide(struct lb_store *store, const char *id, bool grant,
		       const char *who, int64_t now_ms, struct lb_error *err)
{
	bool own;
	int r;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	r = lb_db_write(store,
			"UPDATE approvals SET state = ?, who = ?, decided = ?"
			" WHERE id = ? AND state = 0 AND asked > ?"
			" AND asked <= ?",
			err, "isisii",
			(int64_t)(grant ? LB_APPROVAL_GRANTED
					: LB_APPROVAL_DENIED),
			who, now_ms, id, now_ms - LB_APPROVAL_MS,
			now_ms + AHEAD_MS);
	if (r == 0 && sqlite3_changes(store->db) == 0)
		r = refuse(store, id, err);
	return lb_db_end(store, own, r, err);
}

int lb_approval_each(struct lb_store *store, int64_t now_ms,
		     void (*fn)(void *arg, const json_t *request), void *arg,
		     struct lb_error *err)
{
	static const char *const keys[] = {"id",     "session", "bot",
					   "sender", "text",    "workspace"};
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT id, session, bot, sender, text, " WORKSPACE
			    ", asked FROM approvals WHERE " WAITS
			    " ORDER BY asked, id",
			    err);
	int r;

	if (!q)
		return -1;
	lb_db_bind(q, "i", now_ms);
	while ((r = lb_db_step(store, q, err)) > 0) {
		json_auto_t *one = json_object();
		int64_t asked = sqlite3_column_int64(q, 6);
		/* the last only where it has one */
		int n = sqlite3_column_bytes(q, 5) > 0 ? 6 : 5;

		for (int i = 0; i < n; i++)
			lb_json_set_str(one, keys[i],
					(const char *)sqlite3_column_text(q, i),
					(size_t)sqlite3_column_bytes(q, i));
		json_object_set_new(one, "asked", json_integer(asked));
		json_object_set_new(one, "until",
				    json_integer(asked + LB_APPROVAL_MS));
		fn(arg, one);
	}
	return r;
}

int lb_approval_is_of(struct lb_store *store, const char *id,
		      const char *workspace, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT 1 FROM approvals WHERE id = ? "
			    "AND " WORKSPACE " = ?",
			    err);

	if (!q)
		return -1;
	lb_db_bind(q, "ss", id, workspace);
	return lb_db_step(store, q, err);
}

int64_t lb_approval_expire(struct lb_store *store, int64_t before_ms,
			   struct lb_error *err)
{
	if (lb_db_write(store, "DELETE FROM approvals WHERE asked < ?", err,
			"i", before_ms) < 0)
		return -1;
	return sqlite3_changes(store->db);
}
