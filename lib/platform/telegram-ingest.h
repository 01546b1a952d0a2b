/*
 * platform/telegram-ingest.h - what the files of the long poll share, and
 * nobody else.
 *
 *     telegram-ingest.c   from the start to the end
 *     telegram-trouble.c  how it stands: said, and what is done about it
 *     telegram-poll.c     updates: asked for, kept, confirmed
 *     telegram-album.c    pictures that were sent together are one message
 *     telegram-media.c    files, once their record is safe
 *     telegram-check.c    --check and --fetch
 *
 * Updates are pending from the answer that brought them until they are kept:
 * their records are safe and the offset behind them is stored. Only then is
 * that offset sent, by which the platform forgets them.
 */
#ifndef LB_PLATFORM_TELEGRAM_INGEST_H
#define LB_PLATFORM_TELEGRAM_INGEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/loop.h"
#include "net/http.h"
#include "platform/inbox.h"
#include "platform/ingest.h"
#include "platform/telegram-api.h"
#include "platform/telegram.h"

enum {
	POLL_LIMIT = 100,  /* updates in an answer: what the service allows */
	PENDING_MAX = 200, /* updates in memory */
	ALBUM_MAX = 10,    /* parts */
	ANSWER_MAX = 8 << 20,
	ANSWER_MS = 10 * 1000, /* beyond what a poll takes */
	USUAL_MS = 30 * 1000,  /* what lb_telegram_ask() has for that */
};

struct update {
	int64_t id;
	json_t *json;
	int64_t arrived; /* mono ms */
};

struct poller {
	struct lb_ingest *in;
	const json_t *conf;
	struct lb_loop *loop;
	struct lb_http *http;
	struct lb_telegram_api *api;
	struct lb_inbox *inbox;
	struct media *media; /* telegram-media.c */
	int lock;
	int64_t poll_ms, album_ms;
	bool other_bots, drop_pending;
	struct lb_telegram_self self;
	char source[40]; /* whose offset it is */
	/* The next update; 0: whichever there is. And when that was known. */
	int64_t next, next_time;
	struct update pending[PENDING_MAX];
	size_t n_pending;
	/* What is being kept: the first `cut` of them. */
	size_t cut;
	struct lb_buf lines;
	char **callbacks;
	size_t n_callbacks, answering;
	struct lb_timer again;
	void (*then)(struct poller *p);
	struct lb_telegram_ask *ask; /* the one that a stop calls off */
	size_t failures, conflicts, store_failures;
	int limit;
	bool connected;
	bool stopping, ended;
	struct lb_timer grace;
	struct lb_error err; /* why, unless LB_OK */
};

/* --- telegram-ingest.c --- */
/* No more: err says why. */
void poller_end(struct poller *p, enum lb_exit code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* deleteWebhook, then the poll. */
void poller_unhook(struct poller *p);
/* Ask; answers of a method that does no harm twice. */
void poller_ask(struct poller *p, const char *method, json_t *take,
		int64_t poll_ms, lb_telegram_fn *fn);

/* --- telegram-trouble.c --- */
/* A status record; retry_ms -1 and message NULL are left out. */
void poller_say(struct poller *p, const char *state, const char *message,
		int64_t retry_ms);
void poller_connected(struct poller *p);
/* A call failed: say so and do `then` after a while, or end. */
void poller_failed(struct poller *p, const struct lb_answer *a,
		   void (*then)(struct poller *p));
void poller_wait(struct poller *p, const char *state, const char *why,
		 int64_t ms, void (*then)(struct poller *p));
/* Pause that grows: 1, 2, 5, 10, 30, 60 s, a fifth more or less. */
int64_t poller_pause(size_t failures);

/* --- telegram-poll.c --- */
void poll_first(struct poller *p);
void poll_start(struct poller *p);
/* Stopping: what is pending is kept, the rest stays with the platform. */
void poll_stop(struct poller *p);
void poll_release(struct poller *p);

/* --- telegram-album.c --- */
/* The group an update is part of, and its chat; NULL: it is no part. */
const char *album_of(const json_t *update, int64_t *chat);
/*
 * How many of the pending updates can be kept now: those before the first
 * album that may lack parts. *until is when that album counts as whole.
 */
size_t album_cut(const struct poller *p, int64_t now, int64_t *until);
/* Add a part's record to the album's. */
void album_add(struct lb_buf *album, const struct lb_buf *part);

/* --- telegram-media.c --- */

#define MEDIA_PART ".part" /* what a file is called until it is whole */

struct media *media_open(struct poller *p);
void media_close(struct media *m);
/* Files that belong to one record; nothing is done before media_go(). */
void media_want(struct media *m, const struct lb_telegram_file *files,
		size_t n);
void media_go(struct media *m);
bool media_is_idle(const struct media *m);
/* One file: its path, or NULL and why. Runs the loop. */
char *media_fetch(struct media *m, const char *ref, struct lb_error *err);

/* --- telegram-check.c; in->code is LB_NO when something is wrong --- */

int check_run(struct poller *p);
int fetch_run(struct poller *p, struct lb_error *err);

#endif
