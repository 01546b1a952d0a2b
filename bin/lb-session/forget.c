#include "forget.h"

#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/media.h"
#include "store/audit.h"
#include "store/limits.h"
#include "store/queue-look.h"

enum { BUSY_MS = 5000, MAX_DEPTH = 32 };

static void tell(struct forgetting *e, const char *what, int64_t n)
{
	e->all += n;
	lb_table_row(e->table,
		     lb_json_pack("{s:s, s:I, s:b}", "what", what, "removed",
				  (json_int_t)n, "dry", e->whom.dry));
}

static void once(struct lb_map *map, const char *key)
{
	static char there;

	if (!lb_map_find(map, key))
		lb_map_add(map, key, &there);
}

static void take_id(void *arg, const char *id)
{
	struct forgetting *e = arg;

	once(&e->ids, id);
}

/* Every text that may be the path of a file of ours. */
static void take_paths(struct forgetting *e, const json_t *value, int depth)
{
	const char *key;
	json_t *one;
	size_t i;

	if (depth > MAX_DEPTH)
		return;
	json_array_foreach((json_t *)(uintptr_t)value, i, one)
		take_paths(e, one, depth + 1);
	json_object_foreach((json_t *)(uintptr_t)value, key, one)
	{
		size_t len = strlen(key);

		if (json_is_string(one) && len >= 4 &&
		    strcmp(key + len - 4, "path") == 0)
			once(&e->paths, json_string_value(one));
		else
			take_paths(e, one, depth + 1);
	}
}

static void take_text(void *arg, const char *text, size_t len)
{
	json_auto_t *value = json_loadb(text, len, JSON_ALLOW_NUL, NULL);

	take_paths(arg, value, 0);
}

static const struct lb_erase_user *user_of(struct forgetting *e,
					   struct lb_erase_user *user)
{
	*user = (struct lb_erase_user){take_text, take_id, e};
	return user;
}

static int erase_store(struct forgetting *e)
{
	struct lb_erase_user user;
	struct lb_erased gone = {0};
	struct lb_store *store;
	int r;

	if (!lb_store_exists(e->state) && !lb_audit_waits(e->state))
		return 0;
	store = lb_store_open(e->state, BUSY_MS, e->err);
	r = store ? lb_audit_fold(store, e->state, e->err) : -1;
	if (r == 0)
		r = lb_store_erase(store, &e->whom, user_of(e, &user), &gone,
				   e->err);
	lb_store_close(store);
	if (r < 0)
		return -1;
	tell(e, "conversations", gone.conversations);
	tell(e, "turns", gone.turns);
	tell(e, "answers", gone.answers);
	tell(e, "audit", gone.audit);
	tell(e, "approvals", gone.approvals);
	return 0;
}

static int erase_queue(struct forgetting *e, const char *name)
{
	struct lb_erase_user user;
	struct lb_queue *q = lb_queue_open(e->state, name, BUSY_MS, e->err);
	lb_autofree char *what = lb_printf("queue %s", name);
	int64_t n = q ? lb_queue_erase(q, &e->whom, user_of(e, &user), &e->held,
				       e->err)
		      : -1;

	lb_queue_close(q);
	if (n < 0)
		return -1;
	tell(e, what, n);
	return 0;
}

static int take_name(void *arg, const char *name)
{
	json_array_append_new(arg, json_string(name));
	return 0;
}

/* Rows of the ledger are found by the ids of all the rest. */
static int64_t erase_rows(struct forgetting *e, struct lb_ledger *ledger,
			  const char *bot)
{
	int64_t all = 0, n = 0;

	for (size_t i = 0; n >= 0 && i < e->ids.size; i++)
		for (const struct lb_map_entry *at = e->ids.slots[i];
		     n >= 0 && at; at = at->next) {
			n = lb_ledger_erase(ledger, bot, at->key, e->err);
			all += n;
		}
	return n < 0 ? -1 : all;
}

static int erase_ledger(struct forgetting *e)
{
	lb_autofree char *bot =
		lb_strndup(e->whom.session, strcspn(e->whom.session, "/"));
	struct lb_ledger *ledger = lb_ledger_open(e->state, BUSY_MS, e->err);
	int64_t n = ledger && lb_ledger_begin(ledger, e->err) == 0
			    ? erase_rows(e, ledger, bot)
			    : -1;

	if (n < 0 || e->whom.dry) {
		if (ledger)
			lb_ledger_rollback(ledger);
	} else if (lb_ledger_commit(ledger, e->err) < 0) {
		n = -1;
	}
	lb_ledger_close(ledger);
	if (n < 0)
		return -1;
	tell(e, "ledger", n);
	return 0;
}

static int erase_queues(struct forgetting *e)
{
	json_auto_t *names = json_array();
	const json_t *name;
	size_t i;

	if (!lb_queue_exists(e->state))
		return 0;
	/* First all names: who reads keeps old pages in the database's log. */
	if (lb_queue_names(e->state, take_name, names, e->err) < 0)
		return -1;
	json_array_foreach(names, i, name)
	{
		if (erase_queue(e, json_string_value(name)) < 0)
			return -1;
	}
	return erase_ledger(e);
}

static int erase_limits(struct forgetting *e)
{
	int64_t (*count)(struct lb_limits *, const char *, const char *,
			 const char *, struct lb_error *) =
		e->whom.dry ? lb_limits_erasable : lb_limits_erase;
	struct lb_limits *limits;
	int64_t n;

	if (!lb_limits_exist(e->state))
		return 0;
	limits = lb_limits_open(e->state, BUSY_MS);
	n = e->whom.bot
		    ? count(limits, NULL, e->whom.bot, e->whom.sender, e->err)
		    : count(limits, e->whom.session, NULL, NULL, e->err);
	lb_limits_close(limits);
	if (n < 0)
		return -1;
	tell(e, "limits", n);
	return 0;
}

static int is_there(const char *state, const char *path)
{
	struct lb_error none;
	lb_autoclose int fd = lb_media_open(state, path, &none);

	return fd >= 0;
}

static int erase_media(struct forgetting *e)
{
	int64_t n = 0;
	struct lb_error why;

	for (size_t i = 0; i < e->paths.size; i++)
		for (const struct lb_map_entry *at = e->paths.slots[i]; at;
		     at = at->next) {
			int r = e->whom.dry ? is_there(e->state, at->key)
					    : lb_media_remove(e->state, at->key,
							      &why);

			if (r < 0 && why.code != LB_DENIED)
				return lb_fail(e->err, why.code, "%s",
					       why.text);
			n += r > 0;
		}
	tell(e, "media", n);
	return 0;
}

int forget(struct forgetting *e)
{
	if (erase_store(e) < 0 || erase_queues(e) < 0 || erase_limits(e) < 0 ||
	    erase_media(e) < 0)
		return -1;
	if (e->held > 0)
		return lb_fail(e->err, LB_AGAIN,
			       "%lld records of '%s' are in the hand of a "
			       "program: erase again when they have ended",
			       (long long)e->held, e->said);
	if (e->all == 0)
		lb_warn("nothing is kept of '%s'", e->said);
	return 0;
}
