#include "store/ledger.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/erase.h"
#include "store/owner.h"
#include "store/schema.h"

struct lb_ledger {
	struct lb_store *store;
	char *locks;
	struct lb_owners owners;
	int64_t owner;        /* our number; 0: none yet */
	bool joined;          /* in the transaction that is open */
	unsigned long opened; /* the store's, when that was */
};

struct lb_ledger *lb_ledger_open(const char *state, int busy_ms,
				 struct lb_error *err)
{
	struct lb_store *store =
		lb_db_open(state, &lb_schema_queue, busy_ms, err);
	struct lb_ledger *l;

	if (!store)
		return NULL;
	l = lb_alloc(sizeof(*l));
	l->store = store;
	l->locks = lb_printf("%s.owners", store->path);
	l->owners.fd = -1;
	return l;
}

void lb_ledger_close(struct lb_ledger *l)
{
	if (!l)
		return;
	lb_store_close(l->store);
	lb_owners_release(&l->owners);
	free(l->locks);
	free(l);
}

/*
 * A number that no process had before. The row is only there to make it: that
 * we live is told by the lock.
 */
static int join(struct lb_ledger *l, int64_t now_ms, struct lb_error *err)
{
	if (l->owner > 0)
		return 0;
	if (lb_db_write(l->store,
			"INSERT INTO owners(queue, pid, since) VALUES(0, ?, ?)",
			err, "ii", (int64_t)getpid(), now_ms) < 0)
		return -1;
	l->owner = sqlite3_last_insert_rowid(l->store->db);
	l->joined = true;
	if (lb_db_write(l->store, "DELETE FROM owners WHERE id = ?", err, "i",
			l->owner) < 0)
		return -1;
	return lb_owners_lock(&l->owners, l->locks, l->owner, err);
}

int lb_ledger_begin(struct lb_ledger *l, struct lb_error *err)
{
	if (lb_store_begin(l->store, err) < 0)
		return -1;
	if (l->opened != l->store->opened) { /* another file: nobody's yet */
		lb_owners_release(&l->owners);
		l->owner = 0;
		l->opened = l->store->opened;
	}
	return 0;
}

void lb_ledger_rollback(struct lb_ledger *l)
{
	lb_store_rollback(l->store);
	if (l->joined) { /* its number may become another's */
		lb_owners_unlock(&l->owners, l->owner);
		l->owner = 0;
	}
	l->joined = false;
}

int lb_ledger_commit(struct lb_ledger *l, struct lb_error *err)
{
	if (lb_store_commit(l->store, err) < 0) {
		lb_ledger_rollback(l);
		return -1;
	}
	l->joined = false;
	return 0;
}

/* The row of a part; FREE and no owner when there is none. */
static int look(struct lb_ledger *l, const struct lb_ledger_key *key,
		int64_t *owner, json_t **ids, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(l->store,
			    "SELECT state, owner, message_ids FROM ledger"
			    " WHERE bot = ? AND id = ? AND part = ?",
			    err);
	const char *text;
	int r;

	*owner = 0;
	*ids = NULL;
	if (!query)
		return -1;
	lb_db_bind(query, "ssi", key->bot, key->id, key->part);
	r = lb_db_step(l->store, query, err);
	if (r > 0) {
		text = (const char *)sqlite3_column_text(query, 2);
		*ids = text ? json_loads(text, 0, NULL) : NULL;
		*owner = sqlite3_column_int64(query, 1);
	}
	if (!json_is_array(*ids)) {
		json_decref(*ids);
		*ids = json_array();
	}
	return r > 0 ? sqlite3_column_int(query, 0) : r;
}

static int put(struct lb_ledger *l, const struct lb_ledger_key *key,
	       enum lb_ledger_state state, const json_t *ids, int64_t now_ms,
	       struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};

	lb_buf_json(&text, ids);
	return lb_db_write(
		l->store,
		"INSERT INTO ledger(bot, id, part, state, owner, time,"
		" message_ids) VALUES(?, ?, ?, ?, ?, ?, ?)"
		" ON CONFLICT(bot, id, part) DO UPDATE SET"
		" state = excluded.state, owner = excluded.owner,"
		" time = excluded.time, message_ids = excluded.message_ids",
		err, "ssiiiis", key->bot, key->id, key->part, (int64_t)state,
		l->owner, now_ms, lb_buf_str(&text));
}

int lb_ledger_look(struct lb_ledger *l, const struct lb_ledger_key *key,
		   bool anew, json_t **take_ids, struct lb_error *err)
{
	int64_t owner;
	int state = -1;

	*take_ids = NULL;
	if (lb_owners_open(&l->owners, l->locks, err) == 0)
		state = look(l, key, &owner, take_ids, err);
	if (state == LB_LEDGER_CLAIMED && !lb_owners_has(&l->owners, owner))
		state = LB_LEDGER_UNKNOWN;
	if (state < 0) {
		json_decref(*take_ids);
		*take_ids = NULL;
	}
	return state == LB_LEDGER_UNKNOWN && anew ? LB_LEDGER_FREE : state;
}

int lb_ledger_claim(struct lb_ledger *l, const struct lb_ledger_key *key,
		    bool anew, int64_t now_ms, json_t **take_ids,
		    struct lb_error *err)
{
	int state;

	*take_ids = NULL;
	if (join(l, now_ms, err) < 0)
		return -1;
	state = lb_ledger_look(l, key, anew, take_ids, err);
	if (state != LB_LEDGER_FREE ||
	    put(l, key, LB_LEDGER_CLAIMED, *take_ids, now_ms, err) == 0)
		return state;
	json_decref(*take_ids);
	*take_ids = NULL;
	return -1;
}

int lb_ledger_write(struct lb_ledger *l, const struct lb_ledger_key *key,
		    enum lb_ledger_state state, const json_t *ids,
		    int64_t now_ms, struct lb_error *err)
{
	if (state != LB_LEDGER_FREE || json_array_size(ids) > 0)
		return put(l, key, state, ids, now_ms, err);
	return lb_db_write(l->store,
			   "DELETE FROM ledger WHERE bot = ? AND id = ? AND "
			   "part = ?",
			   err, "ssi", key->bot, key->id, key->part);
}

int64_t lb_ledger_expire(struct lb_ledger *l, int64_t before_ms, int max,
			 struct lb_error *err)
{
	if (lb_ledger_begin(l, err) < 0)
		return -1;
	if (lb_db_write(l->store,
			"DELETE FROM ledger WHERE (bot, id, part) IN (SELECT "
			"bot, id,"
			" part FROM ledger WHERE time < ? LIMIT ?)",
			err, "ii", before_ms, (int64_t)max) < 0) {
		lb_ledger_rollback(l);
		return -1;
	}
	max = sqlite3_changes(l->store->db);
	return lb_ledger_commit(l, err) < 0 ? -1 : max;
}

int64_t lb_ledger_erase(struct lb_ledger *l, const char *bot, const char *id,
			struct lb_error *err)
{
	if (lb_db_write(l->store, "DELETE FROM ledger WHERE bot = ? AND id = ?",
			err, "ss", bot, id) < 0)
		return -1;
	return sqlite3_changes(l->store->db);
}
