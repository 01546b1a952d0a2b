/* lb-queue retry */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/table.h"
#include "queue.h"

static bool all, failed, json;
static struct lb_list ids;

const struct lb_opt retry_options[] = {
	{'a', "all", .help = "all dead letters", .flag = &all},
	{.name = "failed",
	 .help = "all that an error ended, dead letters or not",
	 .flag = &failed},
	{0, "id", "ID", "what an error ended of this id; may be repeated",
	 .list = &ids},
	{.name = "json",
	 .help = "write the outcome as a line of JSON",
	 .flag = &json},
	{0},
};

static const char *const columns[] = {"queue", "retried", NULL};

struct choice {
	int64_t *rows;
	size_t n;
	bool *found; /* by ids */
};

/* An id is the key, or what stands before "/reply/1" in it. */
static bool is_of(const char *key, const char *id)
{
	size_t len = strlen(id);

	return strncmp(key, id, len) == 0 &&
	       (key[len] == '\0' || strncmp(key + len, "/reply/", 7) == 0);
}

static int choose(void *arg, const struct lb_queue_row *row)
{
	struct choice *c = arg;
	bool wanted = all || failed;

	for (size_t i = 0; i < ids.n; i++)
		if (is_of(row->key, ids.at[i]))
			wanted = c->found[i] = true;
	if (wanted) {
		c->rows = lb_grow(c->rows, (c->n + 1) * sizeof(*c->rows));
		c->rows[c->n++] = row->seq;
	}
	return 0;
}

static int revive(struct lb_queue *q, const struct choice *c, int64_t *n,
		  struct lb_error *err)
{
	if (lb_queue_begin(q, true, err) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++) {
		int got = lb_queue_revive(q, c->rows[i], lb_clock_now(), err);

		if (got < 0) {
			lb_queue_rollback(q);
			return -1;
		}
		*n += got;
	}
	return lb_queue_commit(q, err);
}

int retry_verb(int argc, char **argv)
{
	const char *name = queue_name(argc, argv);
	lb_autofree bool *found = lb_alloc(ids.n + 1);
	struct choice c = {.found = found};
	struct lb_table *table;
	struct lb_error err;
	struct lb_queue *q;
	int64_t n = 0;
	int r, code = LB_OK;

	if (all + failed + (ids.n > 0) != 1)
		lb_usage("say --all, --failed, or which with --id");
	r = queue_look(name, &q, &err);
	if (r > 0)
		r = lb_queue_each(q,
				  all ? LB_QUEUE_LIST_DEAD
				      : LB_QUEUE_LIST_FAILED,
				  -1, 0, choose, &c, &err);
	if (r >= 0 && c.n > 0)
		r = revive(q, &c, &n, &err);
	lb_queue_close(q);
	free(c.rows);
	if (r < 0)
		return lb_report(&err);
	for (size_t i = 0; i < ids.n; i++)
		if (!found[i]) {
			lb_complain("no error ended '%s'", ids.at[i]);
			code = LB_NOINPUT;
		}
	table = lb_table_open(columns, json);
	lb_table_row(table, lb_json_pack("{s:s, s:I}", "queue", name, "retried",
					 (json_int_t)n));
	lb_table_close(table);
	return code;
}
