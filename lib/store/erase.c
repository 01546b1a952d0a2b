#include "store/erase.h"

#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"

/* Of the session, and those of the members of a group. */
#define ITS "(session = ?1 OR substr(session, 1, length(?4)) = ?4)"

/*
 * Turns that go: of the session, and those that the person spoke elsewhere. A
 * topic of a chat is the chat's.
 */
#define TURNS                                                                  \
	" FROM turns WHERE conversation IN (SELECT id FROM conversations"      \
	" WHERE " ITS ") OR (?2 IS NOT NULL AND sender = ?3 AND"               \
	" conversation IN (SELECT id FROM conversations WHERE bot = ?2))"

/* Answers: a stored reply says whom it answers. */
#define ANSWERS                                                                \
	" FROM answers WHERE session = ?1 OR (?2 IS NOT NULL AND"              \
	" json_valid(reply) AND json_extract(reply, '$.bot') = ?2"             \
	" AND json_extract(reply, '$.sender_id') = ?3)"

/* An id that was too long for a row ends with an ellipsis: it may be this. */
#define CUT(column, id)                                                        \
	"(" column " LIKE '%\xe2\x80\xa6' AND substr(" id                      \
	", 1, length(" column ") - 1) || '\xe2\x80\xa6' = " column ")"

/* What was done with tools, and asked for, in the session or by the person. */
#define DONE                                                                   \
	" WHERE " ITS                                                          \
	" OR " CUT("session",                                                  \
		   "?1") " OR (?2 IS NOT NULL AND"                             \
			 " bot = ?2 AND (sender = ?3 OR " CUT("sender",        \
							      "?3") "))"

/* What the conversations of a group's members begin with; NULL: no group. */
static char *members_of(const char *session)
{
	const char *chat = strchr(session, '/');

	if (!chat || strncmp(chat, "/group_", 7) != 0)
		return NULL;
	return lb_printf("%.*s/member_%s/", (int)(chat - session), session,
			 chat + 7);
}

/* Tell of each row: an id, then a text that may be NULL. */
static int tell(struct lb_store *store, const char *sql,
		const struct lb_whom *whom, const struct lb_erase_user *user,
		struct lb_error *err)
{
	lb_autofree char *members = NULL;
	lb_autoquery struct sqlite3_stmt *q = lb_db_query(store, sql, err);
	int r;

	if (!q)
		return -1;
	members = members_of(whom->session);
	lb_db_bind(q, "ssss", whom->session, whom->bot, whom->sender, members);
	while ((r = lb_db_step(store, q, err)) > 0) {
		const char *id = (const char *)sqlite3_column_text(q, 0);
		const char *text = (const char *)sqlite3_column_text(q, 1);

		if (user->id && id)
			user->id(user->arg, id);
		if (user->text && text)
			user->text(user->arg, text,
				   (size_t)sqlite3_column_bytes(q, 1));
	}
	return r;
}

/* Run a deletion; *n is how many went. */
static int drop(struct lb_store *store, const char *sql,
		const struct lb_whom *whom, int64_t *n, struct lb_error *err)
{
	lb_autofree char *members = members_of(whom->session);

	if (lb_db_write(store, sql, err, "ssss", whom->session, whom->bot,
			whom->sender, members) < 0)
		return -1;
	*n = sqlite3_changes(store->db);
	return 0;
}

static int erase(struct lb_store *store, const struct lb_whom *whom,
		 const struct lb_erase_user *user, struct lb_erased *e,
		 struct lb_error *err)
{
	int64_t stops;

	if (drop(store, "DELETE FROM audit" DONE, whom, &e->audit, err) < 0 ||
	    drop(store, "DELETE FROM approvals" DONE, whom, &e->approvals,
		 err) < 0)
		return -1;

	if (tell(store, "SELECT of, messages" TURNS, whom, user, err) < 0 ||
	    tell(store, "SELECT id, reply" ANSWERS, whom, user, err) < 0)
		return -1;
	if (drop(store, "DELETE" ANSWERS, whom, &e->answers, err) < 0 ||
	    drop(store, "DELETE" TURNS, whom, &e->turns, err) < 0 ||
	    drop(store,
		 "DELETE FROM conversations WHERE " ITS
		 " OR (?2 IS NOT NULL AND bot = ?2 AND turns > 0 AND id NOT IN"
		 " (SELECT conversation FROM turns) AND ?3 = ?3)",
		 whom, &e->conversations, err) < 0)
		return -1;
	return drop(store,
		    "UPDATE stopped SET sender = '' WHERE ?1 = ?1 AND bot = ?2"
		    " AND sender = ?3",
		    whom, &stops, err);
}

int lb_store_erase(struct lb_store *store, const struct lb_whom *whom,
		   const struct lb_erase_user *user, struct lb_erased *erased,
		   struct lb_error *err)
{
	int r;

	if (lb_db_run(store->db, store->path, "PRAGMA secure_delete = ON",
		      err) < 0 ||
	    lb_store_begin(store, err) < 0)
		return -1;
	r = erase(store, whom, user, erased, err);
	if (r < 0 || whom->dry)
		lb_store_rollback(store);
	else
		r = lb_store_commit(store, err);
	/* the log of the database holds old pages until it is begun anew */
	if (r == 0 && !whom->dry)
		r = lb_db_run(store->db, store->path,
			      "PRAGMA wal_checkpoint(TRUNCATE)", err);
	return r;
}
