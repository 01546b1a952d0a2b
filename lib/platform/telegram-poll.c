/* telegram-poll.c - updates: asked for, kept, confirmed. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/telegram-ingest.h"

/*
 * After a week without any the platform numbers updates anew, from anywhere:
 * by then the number is of no use, and would hide what is new.
 */
enum { STALE_MS = 6 * 24 * 3600 * 1000, BUSY_TRIES = 50, BUSY_MS = 100 };

static void take(struct poller *p);
static void keep_again(struct poller *p);
static void on_kept(void *arg, const struct lb_error *why);

static void forget(struct poller *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_decref(p->pending[i].json);
	p->n_pending -= n;
	memmove(p->pending, p->pending + n, p->n_pending * sizeof(*p->pending));
}

static void on_answered(void *arg, const struct lb_answer *a)
{
	struct poller *p = arg;

	p->answering--;
	if (a->outcome != LB_TRY_OK)
		lb_log(LB_INFO, NULL, "%s", a->why);
}

/* Somebody pressed a button, which waits for a word. */
static void answer_callbacks(struct poller *p, bool drop)
{
	struct lb_error err;

	while (p->n_callbacks > 0) {
		lb_autofree char *id = p->callbacks[--p->n_callbacks];
		json_auto_t *params =
			lb_json_pack("{s:s}", "callback_query_id", id);

		if (!drop &&
		    lb_telegram_ask(p->api,
				    &(struct lb_telegram_request){
					    .method = "answerCallbackQuery",
					    .params = params,
					    .safe = true,
				    },
				    on_answered, p, &err))
			p->answering++;
	}
}

void poll_release(struct poller *p)
{
	forget(p, p->n_pending);
	answer_callbacks(p, true);
	free(p->callbacks);
	lb_buf_release(&p->lines);
}

/* In the order of their numbers, each once. */
static void pend(struct poller *p, int64_t id, json_t *update)
{
	size_t at = p->n_pending;

	while (at > 0 && p->pending[at - 1].id > id)
		at--;
	if (at > 0 && p->pending[at - 1].id == id)
		return;
	if (p->n_pending == PENDING_MAX)
		return; /* it comes again: nothing confirmed it */
	memmove(p->pending + at + 1, p->pending + at,
		(p->n_pending - at) * sizeof(*p->pending));
	p->pending[at] =
		(struct update){id, json_incref(update), lb_clock_mono()};
	p->n_pending++;
}

/* False: one of them has no number, so nothing can be said of any. */
static bool pend_all(struct poller *p, const json_t *updates)
{
	size_t i;
	json_t *one;
	int64_t id;

	if (!json_is_array(updates))
		return false;
	json_array_foreach((json_t *)(uintptr_t)updates, i, one)
	{
		if (!lb_json_int(one, "update_id", &id) || id < 0 ||
		    id == INT64_MAX)
			return false;
		if (id >= p->next)
			pend(p, id, one);
	}
	return true;
}

static void on_updates(void *arg, const struct lb_answer *a)
{
	struct poller *p = arg;
	bool none;

	p->ask = NULL;
	if (a->code == LB_CODE_MALFORMED && a->outcome != LB_TRY_OK &&
	    p->limit > 1)
		p->limit /= 2; /* perhaps it was too much at once */
	if (a->outcome != LB_TRY_OK) {
		poller_failed(p, a, poll_start);
		return;
	}
	if (!pend_all(p, a->result)) {
		poller_failed(p,
			      &(struct lb_answer){
				      .outcome = LB_TRY_AGAIN,
				      .code = LB_CODE_MALFORMED,
				      .wait_ms = -1,
				      .said = "",
				      .why = "getUpdates: the answer is no "
					     "list of updates",
			      },
			      poll_start);
		return;
	}
	p->limit = POLL_LIMIT;
	poller_connected(p);
	none = json_array_size(a->result) == 0;
	if (none && p->in->once && p->n_pending == 0)
		poller_end(p, LB_OK, "%s", "");
	else
		take(p);
}

void poll_start(struct poller *p)
{
	bool held = p->n_pending > 0;
	/* After trouble, to hear at once that it is over; another poller is
	 * only noticed by one that stays. */
	bool quick =
		p->in->once || held || (!p->connected && p->conflicts == 0);
	int64_t timeout = quick ? 0 : p->poll_ms / 1000;
	json_t *params =
		lb_json_pack("{s:I, s:i, s:[s,s,s,s]}", "timeout",
			     (json_int_t)timeout, "limit", p->limit,
			     "allowed_updates", "message", "edited_message",
			     "channel_post", "callback_query");

	if (!held && p->next > 0 && lb_clock_now() - p->next_time > STALE_MS) {
		lb_log(LB_INFO, NULL,
		       "the offset is older than six days: begun anew");
		p->next = 0;
	}
	if (p->next > 0)
		json_object_set_new(params, "offset", json_integer(p->next));
	poller_ask(p, "getUpdates", params, timeout * 1000, on_updates);
}

/* What the parser says of the connection is told at once, the rest kept. */
static void put_records(struct poller *p, const struct lb_buf *records,
			bool album, struct lb_buf *lines)
{
	static const char status[] = "{\"kind\":\"status\"";

	if (records->len > sizeof(status) &&
	    memcmp(records->data, status, sizeof(status) - 1) == 0)
		lb_inbox_say(p->inbox, records);
	else if (album && p->album_ms > 0)
		album_add(lines, records);
	else
		lb_buf_put(lines, lb_buf_str(records), records->len);
}

/* One update becomes lines, files and callbacks; an album's first part takes
 * the other parts with it. */
static void parse(struct poller *p, size_t at, struct lb_buf *lines,
		  struct lb_telegram_file **files, size_t *n_files)
{
	struct lb_telegram_parse one = {
		.self = &p->self,
		.bot = p->in->bot,
		.state = p->in->state,
		.bots = p->other_bots,
		.now = lb_clock_now(),
	};
	struct lb_error err;

	if (lb_telegram_parse(&one, p->pending[at].json, &err) < 0) {
		lb_warn("%s", err.text);
	} else {
		put_records(p, &one.records, one.album, lines);
		*files =
			lb_grow(*files,
				(*n_files + one.n_files) * sizeof(**files) + 1);
		if (one.n_files > 0)
			memcpy(*files + *n_files, one.files,
			       one.n_files * sizeof(**files));
		*n_files += one.n_files;
		one.n_files = 0; /* the caller's now */
		if (one.callback) {
			p->callbacks =
				lb_grow(p->callbacks,
					(p->n_callbacks + 1) * sizeof(char *));
			p->callbacks[p->n_callbacks++] =
				lb_steal(&one.callback);
		}
	}
	lb_telegram_parse_release(&one);
}

static void parse_album(struct poller *p, size_t first, bool *done)
{
	struct lb_telegram_file *files = NULL;
	lb_autobuf struct lb_buf lines = {0};
	size_t n_files = 0;
	int64_t chat = 0, other = 0;
	const char *group = album_of(p->pending[first].json, &chat), *of;

	for (size_t i = first; i < p->cut; i++) {
		bool part = i == first;

		if (!part && group && p->album_ms > 0 && !done[i]) {
			of = album_of(p->pending[i].json, &other);
			part = of && chat == other && strcmp(of, group) == 0;
		}
		if (!part)
			continue;
		parse(p, i, &lines, &files, &n_files);
		done[i] = true;
	}
	lb_buf_put(&p->lines, lb_buf_str(&lines), lines.len);
	media_want(p->media, files, n_files);
	for (size_t i = 0; i < n_files; i++) {
		free(files[i].ref);
		free(files[i].path);
	}
	free(files);
}

/* What can be kept of what is pending. */
static void take(struct poller *p)
{
	bool done[PENDING_MAX] = {false};
	lb_autofree char *offset = NULL;
	int64_t until = 0, now = lb_clock_mono();

	p->cut = album_cut(p, now, &until);
	if (p->cut == 0 && p->n_pending > 0) {
		poller_wait(p, NULL, NULL, until - now, poll_start);
		return;
	}
	if (p->cut == 0) {
		poll_start(p);
		return;
	}
	lb_buf_reset(&p->lines);
	for (size_t i = 0; i < p->cut; i++)
		if (!done[i])
			parse_album(p, i, done);
	offset = lb_printf("%" PRId64, p->pending[p->cut - 1].id + 1);
	lb_inbox_keep(p->inbox, &p->lines, offset, on_kept, p);
}

/* The store is in use, full or away: what is pending waits. */
static void not_kept(struct poller *p, const struct lb_error *why)
{
	size_t n = p->store_failures++;
	bool busy = why->code == LB_AGAIN && n < BUSY_TRIES;

	if (p->stopping || why->code == LB_DATA || why->code == LB_CONFIG ||
	    why->code == LB_BUG) {
		poller_end(p, why->code, "%s", why->text);
		return;
	}
	poller_wait(p, busy ? NULL : "lost", why->text,
		    busy ? BUSY_MS
			 : poller_pause(n < BUSY_TRIES ? n : n - BUSY_TRIES),
		    keep_again);
}

static void keep_again(struct poller *p)
{
	lb_inbox_again(p->inbox);
}

static void on_kept(void *arg, const struct lb_error *why)
{
	struct poller *p = arg;

	if (why) {
		not_kept(p, why);
		return;
	}
	p->store_failures = 0;
	if (p->cut > 0)
		p->next = p->pending[p->cut - 1].id + 1;
	p->next_time = lb_clock_now();
	forget(p, p->cut);
	answer_callbacks(p, p->stopping);
	media_go(p->media);
	poller_connected(p);
	if (p->stopping)
		poller_end(p, LB_OK, "%s", "");
	else
		poll_start(p);
}

void poll_first(struct poller *p)
{
	if (!p->drop_pending) {
		poll_start(p);
		return;
	}
	/* Once: from now on the bot was here, though nothing has come yet. */
	p->drop_pending = false;
	p->cut = 0;
	lb_inbox_keep(p->inbox, &p->lines, "0", on_kept, p);
}

void poll_stop(struct poller *p)
{
	if (lb_inbox_is_busy(p->inbox))
		lb_inbox_again(p->inbox);
	else if (p->n_pending > 0)
		take(p);
	else
		poller_end(p, LB_OK, "%s", "");
}
