/* The tables of queue.db. */
#include <stddef.h>

#include "store/schema.h"

static const char *const steps[] = {
	"CREATE TABLE about(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE queues("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
	" depth INTEGER NOT NULL DEFAULT 0, put INTEGER NOT NULL DEFAULT 0,"
	" done INTEGER NOT NULL DEFAULT 0, died INTEGER NOT NULL DEFAULT 0,"
	" retried INTEGER NOT NULL DEFAULT 0,"
	" deaths INTEGER NOT NULL DEFAULT 0,"
	" dropped INTEGER NOT NULL DEFAULT 0,"
	/* records up to `sorted` have been put in line; how many have not */
	" sorted INTEGER NOT NULL DEFAULT 0,"
	" fresh INTEGER NOT NULL DEFAULT 0);"
	"CREATE TABLE sessions("
	" id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, name TEXT NOT NULL,"
	" owner INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0,"
	" head INTEGER NOT NULL DEFAULT 0, tail INTEGER NOT NULL DEFAULT 0,"
	" alone INTEGER NOT NULL DEFAULT 0, ready_at INTEGER,"
	" last INTEGER NOT NULL DEFAULT 0);"
	"CREATE UNIQUE INDEX sessions_name ON sessions(queue, name);"
	"CREATE INDEX sessions_ready ON sessions(queue, owner, alone, ready_at)"
	" WHERE ready_at IS NOT NULL;"
	"CREATE INDEX sessions_owner ON sessions(owner) WHERE owner <> 0;"
	"CREATE TABLE records("
	" seq INTEGER PRIMARY KEY, queue INTEGER NOT NULL, key TEXT NOT NULL,"
	" session INTEGER NOT NULL, put INTEGER NOT NULL,"
	" not_before INTEGER NOT NULL, record TEXT NOT NULL);"
	"CREATE UNIQUE INDEX records_key ON records(queue, key, session);"
	/* The next record gets the number after the highest there is. */
	"CREATE TRIGGER records_gone AFTER DELETE ON records"
	" WHEN old.seq > (SELECT ifnull(max(seq), 0) FROM records) BEGIN"
	" UPDATE queues SET sorted = min(sorted,"
	" (SELECT ifnull(max(seq), 0) FROM records)); END;"
	"CREATE TABLE line("
	" seq INTEGER PRIMARY KEY, queue INTEGER NOT NULL,"
	" session INTEGER NOT NULL, not_before INTEGER NOT NULL,"
	" next INTEGER NOT NULL DEFAULT 0,"
	" held INTEGER NOT NULL DEFAULT 0, alone INTEGER NOT NULL DEFAULT 0,"
	" tries INTEGER NOT NULL DEFAULT 0,"
	" deaths INTEGER NOT NULL DEFAULT 0);"
	"CREATE INDEX line_held ON line(session) WHERE held = 1;"
	"CREATE TABLE ends("
	" seq INTEGER PRIMARY KEY, queue INTEGER NOT NULL,"
	" how INTEGER NOT NULL, time INTEGER NOT NULL,"
	" tries INTEGER NOT NULL, deaths INTEGER NOT NULL, outcome TEXT);"
	"CREATE INDEX ends_time ON ends(queue, time);"
	"CREATE INDEX ends_dead ON ends(queue, time) WHERE how = 2;"
	"CREATE TABLE owners("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, queue INTEGER NOT NULL,"
	" token TEXT UNIQUE, until INTEGER, pid INTEGER NOT NULL,"
	" since INTEGER NOT NULL);"
	/* How far an adapter has read its platform. */
	"CREATE TABLE offsets("
	" bot TEXT NOT NULL, source TEXT NOT NULL, value TEXT NOT NULL,"
	" time INTEGER NOT NULL, PRIMARY KEY(bot, source)) WITHOUT ROWID;"
	/* What lb-send has sent: `state` is that of store/ledger.h. */
	"CREATE TABLE ledger("
	" bot TEXT NOT NULL, id TEXT NOT NULL, part INTEGER NOT NULL,"
	" state INTEGER NOT NULL, owner INTEGER NOT NULL,"
	" time INTEGER NOT NULL, message_ids TEXT,"
	" PRIMARY KEY(bot, id, part)) WITHOUT ROWID;"
	"CREATE INDEX ledger_time ON ledger(time);",
	NULL,
};

const struct lb_schema lb_schema_queue = {
	.file = "queue.db",
	.id = 0x6c627175, /* "lbqu" */
	.steps = steps,
	.pragmas = "PRAGMA synchronous = FULL;"
		   "PRAGMA cache_size = -16384;"
		   "PRAGMA wal_autocheckpoint = 16000;"
		   "PRAGMA journal_size_limit = 67108864",
};
