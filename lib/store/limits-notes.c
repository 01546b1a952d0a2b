/* Notes: what processes tell each other, for a while. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/limits-db.h"
#include "store/limits.h"

enum { MAX_NOTES = 1000 };

/* As long as the file cannot be used. */
struct lb_note {
	int64_t until;
	char text[];
};

static void keep(struct lb_limits *l, const char *name, const char *text,
		 int64_t until_ms)
{
	size_t len = strlen(text) + 1;
	struct lb_note *note = lb_alloc(sizeof(*note) + len);

	note->until = until_ms;
	memcpy(note->text, text, len);
	free(lb_map_remove(&l->notes, name));
	if (l->notes.n >= MAX_NOTES)
		lb_map_release(&l->notes, free);
	lb_map_add(&l->notes, name, note);
}

static char *kept(const struct lb_limits *l, const char *name, int64_t now_ms)
{
	const struct lb_note *note = lb_map_find(&l->notes, name);

	return note && note->until > now_ms ? lb_strdup(note->text) : NULL;
}

static char *read_note(struct lb_limits *l, const char *name, int64_t now_ms)
{
	struct lb_error err;
	lb_autoquery struct sqlite3_stmt *query = lb_db_query(
		l->store, "SELECT text FROM notes WHERE name = ? AND until > ?",
		&err);
	const char *text;

	if (!query)
		return NULL;
	lb_db_bind(query, "si", name, now_ms);
	if (lb_db_step(l->store, query, &err) <= 0)
		return NULL;
	text = (const char *)sqlite3_column_text(query, 0);
	return text ? lb_strdup(text) : NULL; /* the file may be anybody's */
}

char *lb_limits_recall(struct lb_limits *l, const char *name, int64_t now_ms)
{
	/* A file is not made to be read, and nobody waits for a reader. */
	if (!l->store && l->state && !lb_limits_exist(l->state))
		return kept(l, name, now_ms);
	return lb_limits_look(l) ? read_note(l, name, now_ms)
				 : kept(l, name, now_ms);
}

void lb_limits_note(struct lb_limits *l, const char *name, const char *text,
		    int64_t until_ms)
{
	struct lb_error err;

	keep(l, name, text, until_ms);
	if (lb_limits_join(l) &&
	    lb_db_write(l->store, "REPLACE INTO notes VALUES(?, ?, ?)", &err,
			"sis", name, until_ms, text) < 0)
		lb_limits_rollback(l);
	lb_limits_commit(l);
}
