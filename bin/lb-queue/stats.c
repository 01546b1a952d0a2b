/* lb-queue stats */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "config/config.h"
#include "queue.h"

static bool json, prometheus;

const struct lb_opt stats_options[] = {
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	{.name = "prometheus",
	 .help = "write them as Prometheus reads them",
	 .flag = &prometheus},
	{0},
};

static const char *const columns[] = {"queue",   "depth",  "held",
				      "delayed", "dead",   "age_ms",
				      "done",    "deaths", NULL};

/* What is counted, how Prometheus calls it, and whether it only grows. */
static const struct {
	const char *name, *metric, *help;
	size_t at;
	bool counter;
} numbers[] = {
#define AT(member) offsetof(struct lb_queue_stats, member)
	{"depth", "depth", "Records that have not ended.", AT(depth), false},
	{"held", "held", "Records in somebody's hand.", AT(held), false},
	{"leases", "leases", "Sessions in somebody's hand.", AT(leases), false},
	{"delayed", "delayed", "Sessions that wait for a time.", AT(delayed),
	 false},
	{"dead", "dead", "Dead letters.", AT(dead), false},
	{"age_ms", "age_milliseconds", "Age of the oldest of the depth.",
	 AT(oldest), false},
	{"put", "put_total", "Records put.", AT(put), true},
	{"done", "done_total", "Records done.", AT(done), true},
	{"retried", "retried_total", "Tries that failed and may pass.",
	 AT(retried), true},
	{"deaths", "deaths_total", "Copies that died at work.", AT(deaths),
	 true},
	{"dropped", "dropped_total", "Records dropped to make room.",
	 AT(dropped), true},
#undef AT
};

enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

struct all {
	struct lb_table *table;
	json_t *rows; /* of all queues */
	struct lb_error *err;
	int r;
};

static int add(void *arg, const char *name)
{
	struct all *all = arg;
	struct lb_queue_stats s = {0};
	struct lb_queue *q;
	json_t *row;
	int64_t now = lb_clock_now();

	all->r = queue_look(name, &q, all->err);
	if (all->r > 0)
		all->r = lb_queue_stats(q, now, &s, all->err);
	lb_queue_close(q);
	if (all->r < 0)
		return 1;
	if (s.oldest > 0) /* a clock that was set back makes nothing younger */
		s.oldest = now > s.oldest ? now - s.oldest : 0;
	row = lb_json_pack("{s:s}", "queue", name);
	for (int i = 0; i < NUMBERS; i++) {
		int64_t v;

		memcpy(&v, (const char *)&s + numbers[i].at, sizeof(v));
		json_object_set_new(row, numbers[i].name, json_integer(v));
	}
	json_array_append_new(all->rows, row);
	return 0;
}

static void print_prometheus(const json_t *rows)
{
	const json_t *row;
	size_t n;

	for (int i = 0; i < NUMBERS; i++) {
		printf("# HELP lb_queue_%s %s\n# TYPE lb_queue_%s %s\n",
		       numbers[i].metric, numbers[i].help, numbers[i].metric,
		       numbers[i].counter ? "counter" : "gauge");
		json_array_foreach(rows, n, row)
			printf("lb_queue_%s{queue=\"%s\"} %lld\n",
			       numbers[i].metric, lb_json_str(row, "queue"),
			       (long long)json_integer_value(
				       json_object_get(row, numbers[i].name)));
	}
}

static void print_table(const json_t *rows)
{
	struct lb_table *table = lb_table_open(columns, json);

	for (size_t i = 0; i < json_array_size(rows); i++)
		lb_table_row(table, json_incref(json_array_get(rows, i)));
	lb_table_close(table);
}

int stats_verb(int argc, char **argv)
{
	struct lb_error err;
	lb_autofree char *state = lb_config_state(&err);
	json_auto_t *rows = json_array();
	struct all all = {.rows = rows, .err = &err};
	int r = state ? 0 : -1;

	if (r == 0 && argc > 0)
		add(&all, queue_name(argc, argv));
	else if (r == 0)
		r = lb_queue_names(state, add, &all, &err);
	if (r < 0 || all.r < 0)
		return lb_report(&err);
	if (prometheus)
		print_prometheus(rows);
	else
		print_table(rows);
	return LB_OK;
}
