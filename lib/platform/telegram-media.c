/* telegram-media.c - files, once their record is safe. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "platform/media.h"
#include "platform/telegram-ingest.h"

enum { AT_ONCE = 4, WAITING_MAX = 1000, TRIES = 2, AGAIN_MS = 1000 };

/* Bytes that the files of one record may still have. */
struct budget {
	int64_t left;
	int users;
};

struct item {
	struct item *next;
	struct media *media;
	struct budget *budget;
	char *ref;
	char *path;      /* NULL: named when the platform tells the file's */
	char *temporary; /* it is written here first */
	int fd;
	int tries;
	int64_t taken; /* of the budget: what it is said to have, or more */
	int64_t bytes; /* it has so far */
	bool running;
	struct lb_telegram_ask *ask;
	struct lb_timer timer;
	struct lb_error *why; /* of media_fetch(); else the log gets it */
};

struct media {
	struct poller *poller;
	struct item *items, *wanted; /* under way or next; not yet safe */
	size_t n, running;
	bool full;     /* said so */
	bool starting; /* a file that is there ends at once */
};

static void start(struct media *m);

struct media *media_open(struct poller *p)
{
	struct media *m = lb_alloc(sizeof(*m));

	m->poller = p;
	return m;
}

static void drop_file(struct item *item)
{
	if (item->fd >= 0)
		close(item->fd);
	item->fd = -1;
	if (item->temporary)
		unlink(item->temporary);
	free(lb_steal(&item->temporary));
	item->budget->left += item->taken;
	item->taken = item->bytes = 0;
}

static void item_free(struct item *item)
{
	lb_telegram_cancel(item->ask);
	lb_timer_cancel(item->media->poller->loop, &item->timer);
	drop_file(item);
	if (--item->budget->users == 0)
		free(item->budget);
	free(item->ref);
	free(item->path);
	free(item);
}

static void free_all(struct item *list)
{
	while (list) {
		struct item *next = list->next;

		item_free(list);
		list = next;
	}
}

void media_close(struct media *m)
{
	if (!m)
		return;
	free_all(m->items);
	free_all(m->wanted);
	free(m);
}

bool media_is_idle(const struct media *m)
{
	return !m->items;
}

static struct item *want(struct media *m, struct budget *budget,
			 const char *ref, const char *path)
{
	struct item *item = lb_alloc(sizeof(*item)), **end = &m->wanted;

	item->media = m;
	item->budget = budget;
	budget->users++;
	item->ref = lb_strdup(ref);
	item->path = path ? lb_strdup(path) : NULL;
	item->fd = -1;
	while (*end)
		end = &(*end)->next;
	*end = item;
	m->n++;
	return item;
}

static bool has(const struct item *list, const char *path)
{
	while (list && (!list->path || strcmp(list->path, path) != 0))
		list = list->next;
	return list != NULL;
}

void media_want(struct media *m, const struct lb_telegram_file *files, size_t n)
{
	struct budget *budget = NULL;

	for (size_t i = 0; i < n; i++) {
		/* Too large, or the same picture once more. */
		if (!files[i].path || has(m->items, files[i].path) ||
		    has(m->wanted, files[i].path))
			continue;
		if (m->n >= WAITING_MAX) {
			if (!m->full)
				lb_warn("more than %d files wait: the next "
					"ones are left where they are",
					WAITING_MAX);
			m->full = true;
			return;
		}
		m->full = false;
		if (!budget) {
			budget = lb_alloc(sizeof(*budget));
			budget->left = LB_MEDIA_RECORD_MAX;
		}
		want(m, budget, files[i].ref, files[i].path);
	}
}

/* It is there, or given up. */
static void finish(struct item *item, const char *why)
{
	struct media *m = item->media;
	struct item **at = &m->items;

	if (why && item->why)
		lb_fail(item->why, LB_UNAVAILABLE, "%s", why);
	else if (why)
		lb_warn("a file of bot '%s' stays where it is: %s",
			m->poller->in->bot, why);
	while (*at != item)
		at = &(*at)->next;
	*at = item->next;
	m->n--;
	m->running -= item->running;
	if (item->why && !why) { /* media_fetch() takes the path */
		item->next = m->wanted;
		m->wanted = item;
		return;
	}
	item_free(item);
	start(m);
}

static void on_again(void *arg)
{
	struct item *item = arg;

	item->running = false;
	item->media->running--;
	start(item->media);
}

static void fail(struct item *item, const char *why, bool may_pass)
{
	drop_file(item);
	if (!may_pass || ++item->tries >= TRIES) {
		finish(item, why);
		return;
	}
	lb_timer_set(item->media->poller->loop, &item->timer,
		     lb_clock_mono() + AGAIN_MS, on_again, item);
}

static int open_file(struct item *item, struct lb_error *err)
{
	lb_autofree char *folder = lb_strdup(item->path);
	struct stat st;

	*strrchr(folder, '/') = '\0';
	if (lb_path_make(folder, err) < 0)
		return -1;
	/* Ours alone may write there; a link is none of ours all the same. */
	if (lstat(folder, &st) < 0 || !S_ISDIR(st.st_mode))
		return lb_fail(err, LB_DENIED, "'%s' is not a folder", folder);
	item->temporary =
		lb_printf("%s.%ld" MEDIA_PART, item->path, (long)getpid());
	unlink(item->temporary);
	item->fd = open(item->temporary,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0600);
	if (item->fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'",
				   item->temporary);
	return 0;
}

static int take(struct item *item, int64_t bytes)
{
	if (bytes > item->budget->left)
		return -1;
	item->budget->left -= bytes;
	item->taken += bytes;
	return 0;
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct item *item = arg;

	item->bytes += (int64_t)len;
	if (item->bytes > item->taken &&
	    take(item, item->bytes - item->taken) < 0)
		return -1;
	while (len > 0) {
		ssize_t n = write(item->fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static void on_end(void *arg, const struct lb_answer *a)
{
	struct item *item = arg;

	item->ask = NULL;
	if (a->outcome != LB_TRY_OK) {
		fail(item, a->why, a->outcome != LB_TRY_REFUSED);
		return;
	}
	if (fsync(item->fd) < 0 || rename(item->temporary, item->path) < 0) {
		fail(item, strerror(errno), false);
		return;
	}
	close(item->fd);
	item->fd = -1;
	item->taken = 0; /* it stays so */
	free(lb_steal(&item->temporary));
	finish(item, NULL);
}

/* getFile says where it is. */
static void on_place(void *arg, const struct lb_answer *a)
{
	struct item *item = arg;
	struct poller *p = item->media->poller;
	const char *from = lb_json_str(a->result, "file_path");
	int64_t size = 0, most = item->budget->left;
	struct lb_error err;

	item->ask = NULL;
	if (a->outcome != LB_TRY_OK) {
		fail(item, a->why, a->outcome != LB_TRY_REFUSED);
		return;
	}
	if (most > LB_MEDIA_ITEM_MAX)
		most = LB_MEDIA_ITEM_MAX;
	if (!from ||
	    (lb_json_int(a->result, "file_size", &size) && size > most)) {
		fail(item, from ? "it is too large" : "it has no place", false);
		return;
	}
	if (size > 0) /* files that come at the same time share it */
		take(item, size);
	if (!item->path)
		item->path = lb_media_path(p->in->state, p->in->bot, item->ref,
					   from);
	if (open_file(item, &err) < 0) {
		fail(item, err.text, false);
		return;
	}
	item->ask = lb_telegram_fetch(p->api, from, (size_t)most, on_data,
				      on_end, item, &err);
	if (!item->ask)
		fail(item, err.text, false);
}

/* A file, in a folder: what a reader of the record will open. */
static bool is_there(const char *path)
{
	lb_autofree char *folder = lb_strdup(path);
	struct stat st;

	*strrchr(folder, '/') = '\0';
	return lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
	       lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void start_one(struct item *item)
{
	struct poller *p = item->media->poller;
	json_auto_t *params = lb_json_pack("{s:s}", "file_id", item->ref);
	struct lb_error err;

	item->running = true;
	item->media->running++;
	if (item->path && is_there(item->path)) {
		finish(item, NULL);
		return;
	}
	item->ask = lb_telegram_ask(p->api,
				    &(struct lb_telegram_request){
					    .method = "getFile",
					    .params = params,
					    .safe = true,
				    },
				    on_place, item, &err);
	if (!item->ask)
		fail(item, err.text, false);
}

/* As many as may run at once; starting one may end it and change the list. */
static void start(struct media *m)
{
	struct item *item = m->items;

	if (m->starting)
		return;
	m->starting = true;
	while (m->running < AT_ONCE && item) {
		if (item->running) {
			item = item->next;
			continue;
		}
		start_one(item);
		item = m->items;
	}
	m->starting = false;
}

void media_go(struct media *m)
{
	struct item **end = &m->items;

	while (*end)
		end = &(*end)->next;
	*end = m->wanted;
	m->wanted = NULL;
	start(m);
}

char *media_fetch(struct media *m, const char *ref, struct lb_error *err)
{
	struct budget *budget = lb_alloc(sizeof(*budget));
	struct item *item;

	budget->left = LB_MEDIA_ITEM_MAX;
	err->code = LB_OK;
	item = want(m, budget, ref, NULL);
	item->why = err;
	media_go(m);
	while (m->items && !m->poller->stopping)
		lb_loop_turn(m->poller->loop, -1);
	if (err->code != LB_OK || !m->wanted) {
		if (err->code == LB_OK)
			lb_fail(err, LB_AGAIN, "stopped");
		return NULL;
	}
	return lb_strdup(m->wanted->path);
}
