/*
 * base/table.h - lists for people and for programs from one source.
 *
 * Give the column names, then a JSON object a row. On a terminal (or with
 * `people`) the rows are gathered and printed in aligned columns; otherwise
 * each row is one compact JSON line, at once. Keys that are no column appear
 * only in the JSON.
 */
#ifndef LB_BASE_TABLE_H
#define LB_BASE_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct lb_table;

/* `columns` ends with NULL and is borrowed. `json` forces JSON lines. */
struct lb_table *lb_table_open(const char *const columns[], bool json);
/*
 * A time of a row, ms: as people read it, or RFC 3339 in UTC. `key` may be the
 * one that has the number.
 */
void lb_table_time(const struct lb_table *t, json_t *row, const char *key,
		   int64_t ms);

void lb_table_row(struct lb_table *t, json_t *take);

/* Print what was gathered and release. Returns the number of rows. */
size_t lb_table_close(struct lb_table *t);

#endif
