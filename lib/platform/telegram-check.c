/* telegram-check.c - --check and --fetch. */
#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "platform/media.h"
#include "platform/telegram-ingest.h"

struct check {
	struct poller *poller;
	json_t *result;
	bool done;
	struct lb_error why;
};

static void on_answer(void *arg, const struct lb_answer *a)
{
	struct check *c = arg;

	c->done = true;
	if (a->outcome == LB_TRY_OK)
		c->result = json_incref((json_t *)(uintptr_t)a->result);
	else
		lb_fail(&c->why,
			a->code == LB_CODE_AUTH ? LB_UNAVAILABLE : LB_AGAIN,
			"%s", a->why);
}

/* The result of a method, or NULL and c->why. */
static json_t *ask(struct check *c, const char *method)
{
	c->done = false;
	if (!lb_telegram_ask(c->poller->api,
			     &(struct lb_telegram_request){
				     .method = method,
				     .safe = true,
				     .patience_ms = ANSWER_MS - USUAL_MS,
			     },
			     on_answer, c, &c->why))
		return NULL;
	while (!c->done)
		lb_loop_turn(c->poller->loop, -1);
	return lb_steal(&c->result);
}

static json_t *row_of(const struct poller *p, const json_t *me,
		      const json_t *hook)
{
	const char *url = lb_json_str(hook, "url");
	const char *name = lb_json_str(me, "username");
	bool reads = lb_json_bool(me, "can_read_all_group_messages", false);
	int64_t id = 0, waiting = 0;
	lb_autofree char *id_text = NULL;

	lb_json_int(me, "id", &id);
	lb_json_int(hook, "pending_update_count", &waiting);
	id_text = lb_printf("%" PRId64, id);
	return lb_json_pack("{s:s, s:s, s:b, s:s, s:s, s:s, s:b, s:b, s:I}",
			    "bot", p->in->bot, "platform", "telegram", "ok", 1,
			    "id", id_text, "name", name ? name : "", "reads",
			    reads ? "all" : "commands, mentions, replies",
			    "groups",
			    lb_json_bool(me, "can_join_groups", false),
			    "webhook", url && *url, "waiting",
			    (json_int_t)waiting);
}

static void show(const struct poller *p, json_t *take)
{
	static const char *const columns[] = {"bot",     "name",   "id",
					      "reads",   "groups", "webhook",
					      "waiting", NULL};
	struct lb_table *table = lb_table_open(columns, p->in->json);

	lb_table_row(table, take);
	lb_table_close(table);
}

int check_run(struct poller *p)
{
	struct check c = {.poller = p};
	json_auto_t *me = ask(&c, "getMe");
	json_auto_t *hook = me ? ask(&c, "getWebhookInfo") : NULL;
	static const char *const columns[] = {"bot", "message", NULL};
	struct lb_table *table;

	if (me && hook) {
		show(p, row_of(p, me, hook));
		return 0;
	}
	table = lb_table_open(columns, p->in->json);
	lb_table_row(table, lb_json_pack("{s:s, s:s, s:b, s:s}", "bot",
					 p->in->bot, "platform", "telegram",
					 "ok", 0, "message", c.why.text));
	lb_table_close(table);
	p->in->code = LB_NO;
	return 0;
}

/* The file of that ref, whatever its extension; or NULL. Caller frees. */
static char *find(const struct poller *p)
{
	lb_autofree char *bare =
		lb_media_path(p->in->state, p->in->bot, p->in->fetch, NULL);
	char *base = strrchr(bare, '/') + 1, *found = NULL;
	size_t len = strlen(base);
	struct dirent *e;
	DIR *folder;

	base[-1] = '\0';
	folder = opendir(bare);
	while (folder && !found && (e = readdir(folder))) {
		const char *end = e->d_name + len;

		if (strncmp(e->d_name, base, len) == 0 &&
		    (!*end || *end == '.') &&
		    strcmp(strrchr(e->d_name, '.') ? strrchr(e->d_name, '.')
						   : "",
			   MEDIA_PART) != 0)
			found = lb_printf("%s/%s", bare, e->d_name);
	}
	if (folder)
		closedir(folder);
	return found;
}

int fetch_run(struct poller *p, struct lb_error *err)
{
	lb_autofree char *path = find(p);

	if (!path)
		path = media_fetch(p->media, p->in->fetch, err);
	if (!path)
		return -1;
	puts(path);
	return 0;
}
