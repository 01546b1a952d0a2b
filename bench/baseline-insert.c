/*
 * baseline-insert.c - the least that keeps lines safe: INSERT of (id, line)
 * into one table, one transaction a read of 256 KiB, WAL, synchronous=FULL.
 *
 *     baseline-insert FILE.db < LINES
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ = 256 * 1024 };

static sqlite3 *db;
static sqlite3_stmt *insert;

static void must(int result)
{
	if (result == SQLITE_OK || result == SQLITE_DONE)
		return;
	fprintf(stderr, "baseline-insert: %s\n", sqlite3_errmsg(db));
	exit(1);
}

static void put(const char *line, size_t len)
{
	const char *id = memmem(line, len, "\"id\":\"", 6);
	const char *end = id ? memchr(id + 6, '"', len) : NULL;

	if (!end)
		exit(1);
	sqlite3_bind_text(insert, 1, id + 6, (int)(end - id - 6),
			  SQLITE_STATIC);
	sqlite3_bind_text(insert, 2, line, (int)len, SQLITE_STATIC);
	must(sqlite3_step(insert));
	must(sqlite3_reset(insert));
}

/* All whole lines; returns how many bytes they were. */
static size_t burst(const char *text, size_t len)
{
	const char *p = text, *newline;

	must(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL));
	while ((newline = memchr(p, '\n', len - (size_t)(p - text)))) {
		put(p, (size_t)(newline - p));
		p = newline + 1;
	}
	must(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
	return (size_t)(p - text);
}

int main(int argc, char **argv)
{
	static char buf[2 * READ];
	size_t have = 0;
	ssize_t got;

	if (argc != 2)
		return 64;
	must(sqlite3_open(argv[1], &db));
	must(sqlite3_exec(db,
			  "PRAGMA journal_mode = WAL; PRAGMA synchronous = "
			  "FULL; PRAGMA wal_autocheckpoint = 4000;"
			  "CREATE TABLE t(id TEXT NOT NULL UNIQUE, line TEXT)",
			  NULL, NULL, NULL));
	must(sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?, ?)", -1, &insert,
				NULL));
	while ((got = read(0, buf + have, READ)) > 0) {
		size_t done;

		have += (size_t)got;
		done = burst(buf, have);
		have -= done;
		memmove(buf, buf + done, have);
	}
	sqlite3_finalize(insert);
	must(sqlite3_close(db));
	return 0;
}
