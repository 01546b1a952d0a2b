/* lb-run status - how the bots are. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/table.h"
#include "fs/lock.h"
#include "store/queue-look.h"
#include "super.h"

enum { MAX_FILE = 4 << 20, BUSY_MS = 1000 };

static bool json;

const struct lb_opt status_options[] = {
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	{0},
};

static const char *const columns[] = {"name",     "adapter", "state", "since",
				      "restarts", "message", NULL};

/* What the lb-run of that role says, when it runs; else NULL. New. */
static json_t *read_report(const char *state, enum role role)
{
	lb_autofree char *path = report_file(state, role);
	lb_autofree char *lock =
		report_lock_file(state, role == ROLE_ALL ? ROLE_WORKER : role);
	lb_autofree char *text = NULL;
	struct lb_error err;
	json_t *o;
	int64_t pid;
	size_t len;

	if (lb_path_read(path, MAX_FILE, &text, &len, &err) < 0)
		return NULL;
	o = json_loadb(text, len, 0, NULL);
	if (lb_json_int(o, "pid", &pid) && lb_lock_holder(lock) == pid)
		return o;
	json_decref(o);
	return NULL;
}

static bool is_well(const char *state)
{
	return state &&
	       (strcmp(state, "connected") == 0 ||
		strcmp(state, "throttled") == 0 || strcmp(state, "up") == 0);
}

/* Of the flow: how its queue is. */
static void add_queue(json_t *row, const char *state)
{
	struct lb_error err;
	struct lb_queue *q = lb_queue_exists(state)
				     ? lb_queue_open(state, "in", BUSY_MS, &err)
				     : NULL;
	struct lb_queue_stats n = {0};
	lb_autofree char *text = NULL;

	if (!q || lb_queue_stats(q, lb_clock_now(), &n, &err) < 0) {
		lb_queue_close(q);
		return;
	}
	lb_queue_close(q);
	json_object_set_new(row, "depth", json_integer(n.depth));
	json_object_set_new(row, "dead", json_integer(n.dead));
	json_object_set_new(row, "deaths", json_integer(n.deaths));
	if (json_object_get(row, "message"))
		return;
	text = lb_printf("%lld waiting, %lld dead, %lld deaths",
			 (long long)n.depth, (long long)n.dead,
			 (long long)n.deaths);
	json_object_set_new(row, "message", json_string(text));
}

/* Returns how many of them are down. */
static size_t show(struct lb_table *table, const json_t *report,
		   const char *state)
{
	const json_t *all = json_object_get(report, "members");
	size_t down = 0;

	for (size_t i = 0; i < json_array_size(all); i++) {
		json_t *row = json_deep_copy(json_array_get(all, i));
		int64_t since;

		down += !is_well(lb_json_str(row, "state"));
		if (lb_json_int(row, "since", &since))
			lb_table_time(table, row, "since", since);
		if (!json_object_get(row, "adapter"))
			add_queue(row, state);
		lb_table_row(table, row);
	}
	return down;
}

/* Lines that cannot be set right may have been true long ago. */
static bool may_be_old(const char *state)
{
	lb_autofree char *folder = lb_printf("%s/run", state);

	if (access(folder, W_OK) == 0 || errno != EROFS)
		return false;
	lb_complain("'%s' cannot be written, so this may be old: %s", folder,
		    strerror(errno));
	return true;
}

/* Those that run and whose report, of the process `told`, is not there. */
static size_t silent(const char *state, const pid_t *told)
{
	pid_t last = 0;
	size_t n = 0;

	for (enum role role = ROLE_WORKER; role <= ROLE_INGEST; role++) {
		lb_autofree char *lock = report_lock_file(state, role);
		pid_t pid = lb_lock_holder(lock);

		if (pid <= 0 || pid == last || pid == told[ROLE_ALL] ||
		    pid == told[role])
			continue;
		lb_complain("process %ld cannot say how its bots are; its log "
			    "says why",
			    (long)pid);
		last = pid;
		n++;
	}
	return n;
}

int status_verb(int argc, char **argv)
{
	struct lb_error err;
	lb_autofree char *state = lb_config_state(&err);
	pid_t told[ROLE_INGEST + 1] = {0};
	size_t down = 0, running = 0;
	struct lb_table *table;

	(void)argc;
	(void)argv;
	if (!state)
		return lb_report(&err);
	table = lb_table_open(columns, json);
	for (enum role role = ROLE_ALL; role <= ROLE_INGEST; role++) {
		json_auto_t *report = read_report(state, role);

		if (!report)
			continue;
		running++;
		told[role] = (pid_t)json_integer_value(
			json_object_get(report, "pid"));
		down += show(table, report, state);
	}
	lb_table_close(table);
	down += running > 0 && may_be_old(state);
	if (silent(state, told) > 0)
		return LB_NO;
	if (running == 0)
		lb_complain("no lb-run runs for '%s'", state);
	return running == 0 || down > 0 ? LB_NO : LB_OK;
}
