/* Sessions that the last puts named, while nobody else has written to the
 * database. */
#include <sqlite3.h>
#include <string.h>

#include "base/mem.h"
#include "store/queue-db.h"

enum { KNOWN = 4096 }; /* a power of two */

struct known {
	char *name; /* NULL: none */
	int64_t row;
};

static size_t slot_of(const char *name)
{
	uint64_t hash = 14695981039346656037U; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211U;
	return (size_t)(hash ^ hash >> 32) & (KNOWN - 1);
}

/* It changes when another connection has written. */
static int64_t version_of(struct lb_queue *q)
{
	struct lb_error err;
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store, "PRAGMA data_version", &err);

	if (!query || lb_db_step(q->store, query, &err) <= 0)
		return -1;
	return sqlite3_column_int64(query, 0);
}

void lb_queue_known_forget(struct lb_queue *q)
{
	for (size_t i = 0; q->known && i < KNOWN; i++) {
		free(q->known[i].name);
		q->known[i].name = NULL;
	}
}

void lb_queue_known_close(struct lb_queue *q)
{
	lb_queue_known_forget(q);
	free(q->known);
}

void lb_queue_known_check(struct lb_queue *q)
{
	int64_t version = version_of(q);

	if (version < 0 || version != q->known_version ||
	    q->known_opened != q->store->opened)
		lb_queue_known_forget(q);
	q->known_version = version;
	q->known_opened = q->store->opened;
}

int64_t lb_queue_known(const struct lb_queue *q, const char *name)
{
	const struct known *k = q->known ? &q->known[slot_of(name)] : NULL;

	return k && k->name && strcmp(k->name, name) == 0 ? k->row : 0;
}

void lb_queue_known_add(struct lb_queue *q, const char *name, int64_t row)
{
	struct known *k;

	if (!q->known)
		q->known = lb_alloc(KNOWN * sizeof(*q->known));
	k = &q->known[slot_of(name)];
	free(k->name);
	k->name = lb_strdup(name);
	k->row = row;
}
