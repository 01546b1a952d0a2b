/* The bots that send over a network. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/bot.h"
#include "platform/posts.h"

struct lb_posts *lb_posts_of(struct lb_send *send)
{
	if (!send->posts) {
		send->posts = lb_alloc(sizeof(*send->posts));
		send->posts->http = lb_http_open(send->loop);
	}
	return send->posts;
}

static bool is_on(const json_t *conf, const struct lb_sink *sink)
{
	const char *adapter = lb_json_str(conf, "adapter");

	return adapter && strcmp(adapter, sink->name) == 0;
}

const char *lb_send_only_bot(struct lb_config *config,
			     const struct lb_sink *sink, struct lb_error *err)
{
	const char *only = NULL;

	return lb_bot_find(config, sink->name, &only, err) ? only : NULL;
}

static int open_bot(struct lb_bot *bot, struct lb_error *err)
{
	if (!*bot->name)
		return lb_fail(err, LB_CONFIG, "its bot is not configured");
	bot->conf = lb_config_bot(bot->send->config, bot->name);
	if (!bot->conf || !is_on(bot->conf, bot->sink))
		return lb_fail(err, LB_CONFIG,
			       "bot '%.64s' is not one of adapter %s",
			       bot->name, bot->sink->name);
	if (lb_limits_read(bot->sink->name,
			   json_object_get(bot->conf, "limits"), &bot->limits,
			   err) < 0)
		return lb_error_wrap(err, "bot '%.64s'", bot->name);
	bot->pace.limits = &bot->limits;
	bot->self = bot->sink->network->open(bot, err);
	return bot->self ? 0 : -1;
}

struct lb_bot *lb_bot_of(struct lb_send *send, const struct lb_sink *sink,
			 const struct lb_record *r)
{
	struct lb_posts *all = lb_posts_of(send);
	const char *name = lb_json_str(r->json, "bot");
	struct lb_error err = {0};
	struct lb_bot *bot;

	if (!name)
		name = lb_send_only_bot(send->config, sink, &err);
	if (!name || !lb_config_bot(send->config, name))
		name = ""; /* what strangers may write here has no bound */
	bot = lb_map_find(&all->bots, name);
	if (bot)
		return bot;
	bot = lb_alloc(sizeof(*bot));
	bot->send = send;
	bot->sink = sink;
	bot->name = lb_strdup(name);
	lb_map_add(&all->bots, name, bot);
	if (open_bot(bot, &bot->why) < 0 && *name)
		lb_complain("%s", bot->why.text);
	return bot;
}

static void bot_close(void *value)
{
	struct lb_bot *bot = value;

	if (bot->self)
		bot->sink->network->close(bot->self);
	lb_pace_release(&bot->pace);
	free(bot->name);
	free(bot);
}

void lb_posts_close(struct lb_send *send)
{
	struct lb_posts *all = send->posts;

	if (!all)
		return;
	lb_timer_cancel(send->loop, &all->ledger_timer);
	lb_map_release(&all->bots, bot_close);
	lb_ledger_close(all->ledger);
	lb_http_close(all->http);
	free(all);
	send->posts = NULL;
}
