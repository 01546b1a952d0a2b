/* lb-run gc - forget what is old, as the configuration has it. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "box/attach.h"
#include "box/reap.h"
#include "config/config.h"
#include "fs/expire.h"
#include "run.h"
#include "store/answer.h"
#include "store/approval.h"
#include "store/audit.h"
#include "store/conversation.h"
#include "store/ledger.h"
#include "store/queue-look.h"

/* Rows that go in one transaction. */
enum { BATCH = 1000, BUSY_MS = 5000 };

static bool json;
static const char *config_file, *workspace;

const struct lb_opt gc_options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	{.name = "workspace",
	 .arg = "NAME",
	 .help = "of sandboxes, that one's alone",
	 .text = &workspace},
	{0},
};

struct gc {
	struct lb_config *config;
	const char *state;
	struct lb_table *table;
	int64_t now;
	struct lb_error *err;
	int r;
};

/* What was last touched before that is forgotten; INT64_MIN: nothing. */
static int64_t before(const struct gc *gc, const char *key)
{
	int64_t keep = lb_config_ms(gc->config, key);

	return keep <= 0 || keep > gc->now ? INT64_MIN : gc->now - keep;
}

static void tell(const struct gc *gc, const char *what, int64_t n)
{
	lb_table_row(gc->table, lb_json_pack("{s:s, s:I}", "what", what,
					     "removed", (json_int_t)n));
}

static int64_t purge(struct lb_queue *q, int64_t until, bool dead,
		     struct lb_error *err)
{
	int64_t n = 0, all = 0;

	do {
		n = lb_queue_purge(q, until, dead, BATCH, err);
		all += n;
	} while (n > 0);
	return n < 0 ? -1 : all;
}

static int purge_queue(void *arg, const char *name)
{
	struct gc *gc = arg;
	struct lb_queue *q = lb_queue_open(gc->state, name, BUSY_MS, gc->err);
	int64_t done = 0, dead = 0;
	lb_autofree char *what = lb_printf("queue %s", name);

	if (q && before(gc, "retention.done") != INT64_MIN)
		done = purge(q, before(gc, "retention.done"), false, gc->err);
	if (q && before(gc, "retention.dead") != INT64_MIN)
		dead = purge(q, before(gc, "retention.dead"), true, gc->err);
	gc->r = !q || done < 0 || dead < 0 ? -1 : 0;
	if (gc->r == 0)
		tell(gc, what, done + dead);
	lb_queue_close(q);
	return gc->r;
}

static int clean_queues(struct gc *gc)
{
	if (!lb_queue_exists(gc->state))
		return 0;
	if (lb_queue_names(gc->state, purge_queue, gc, gc->err) < 0)
		return -1;
	return gc->r;
}

/* What lb-send remembers of what it sent. */
static int clean_ledger(const struct gc *gc)
{
	int64_t until = before(gc, "retention.ledger"), n, all = 0;
	struct lb_ledger *ledger;

	if (until == INT64_MIN || !lb_queue_exists(gc->state))
		return 0;
	ledger = lb_ledger_open(gc->state, BUSY_MS, gc->err);
	do {
		n = ledger ? lb_ledger_expire(ledger, until, BATCH, gc->err)
			   : -1;
		all += n;
	} while (n > 0);
	if (n == 0)
		tell(gc, "ledger", all);
	lb_ledger_close(ledger);
	return n < 0 ? -1 : 0;
}

/* A table of lb.db, in a transaction of its own. */
static int clean_table(const struct gc *gc, struct lb_store *store,
		       const char *what, int64_t until,
		       int64_t (*expire)(struct lb_store *, int64_t,
					 struct lb_error *))
{
	int64_t n;

	if (until == INT64_MIN)
		return 0;
	if (lb_store_begin(store, gc->err) < 0)
		return -1;
	n = expire(store, until, gc->err);
	if (n < 0 || lb_store_commit(store, gc->err) < 0)
		return -1;
	tell(gc, what, n);
	return 0;
}

static int clean_store(const struct gc *gc)
{
	struct lb_store *store;
	int r;

	if (!lb_store_exists(gc->state) && !lb_audit_waits(gc->state))
		return 0;
	store = lb_store_open(gc->state, BUSY_MS, gc->err);
	r = !store || lb_audit_fold(store, gc->state, gc->err) < 0 ||
			    clean_table(gc, store, "audit",
					before(gc, "retention.audit"),
					lb_audit_expire) < 0 ||
			    clean_table(gc, store, "approvals",
					before(gc, "retention.audit"),
					lb_approval_expire) < 0 ||
			    clean_table(gc, store, "answers",
					before(gc, "retention.answers"),
					lb_answer_expire) < 0 ||
			    clean_table(gc, store, "conversations",
					before(gc, "retention.conversations"),
					lb_conversation_expire) < 0
		    ? -1
		    : 0;
	lb_store_close(store);
	return r;
}

static int clean_media(const struct gc *gc)
{
	lb_autofree char *folder = lb_printf("%s/media", gc->state);
	int64_t most = lb_config_bytes(gc->config, "retention.media-size");
	struct lb_expired gone;

	if (lb_fs_expire(folder, before(gc, "retention.media"), most, &gone,
			 gc->err) < 0)
		return -1;
	tell(gc, "media", gone.files);
	return 0;
}

static void count(void *arg, const char *what, const char *name)
{
	int64_t *n = arg;

	(void)what;
	(void)name;
	++*n;
}

/* Sandboxes: what they run on, and files that nobody used for long. */
static int clean_boxes(const struct gc *gc)
{
	int64_t idle = 0, files = 0;
	int r = lb_box_reap(gc->config, gc->state, count, &idle, gc->err);

	if (r == 0)
		r = lb_box_gc(gc->config, gc->state, count, &files, gc->err);
	if (r < 0)
		return -1;
	tell(gc, "idle sandboxes", idle);
	tell(gc, "workspaces", files);
	return 0;
}

/* What came into sandboxes, and what was not taken out of them. */
static int clean_attachments(const struct gc *gc)
{
	int64_t n = lb_attach_expire(gc->config, gc->state,
				     before(gc, "retention.media"), gc->err);

	if (n < 0)
		return -1;
	tell(gc, "attachments", n);
	return 0;
}

int gc_verb(int argc, char **argv)
{
	static const char *const columns[] = {"what", "removed", NULL};
	struct lb_error err;
	struct lb_config *config = lb_config_workspace(workspace, &err) < 0
					   ? NULL
					   : lb_config_load(config_file, &err);
	lb_autofree char *state = config ? lb_config_state(&err) : NULL;
	struct gc gc = {config, state, NULL, lb_clock_now(), &err, 0};
	int code = LB_OK;

	(void)argc;
	(void)argv;
	if (!state)
		return lb_report(&err);
	gc.table = lb_table_open(columns, json);
	/* Each on its own: one that fails keeps no other. */
	if (clean_queues(&gc) < 0)
		code = lb_report(&err);
	if (clean_ledger(&gc) < 0)
		code = lb_report(&err);
	if (clean_store(&gc) < 0)
		code = lb_report(&err);
	if (clean_media(&gc) < 0)
		code = lb_report(&err);
	if (clean_attachments(&gc) < 0)
		code = lb_report(&err);
	if (clean_boxes(&gc) < 0)
		code = lb_report(&err);
	lb_table_close(gc.table);
	lb_config_close(config);
	return code;
}
