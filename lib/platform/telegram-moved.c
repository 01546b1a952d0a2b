/* telegram - groups that became supergroups, which have other numbers. */
#include <stdio.h>

#include "base/json.h"
#include "base/log.h"
#include "platform/telegram-send.h"

enum { MAX_MOVED = 10000 };

void telegram_follow(const struct telegram *t, struct lb_telegram_chat *chat)
{
	char key[24];
	int64_t to;

	snprintf(key, sizeof(key), "%lld", (long long)chat->id);
	if (lb_json_int(t->moved, key, &to))
		chat->id = to;
}

void telegram_note_move(struct telegram *t, int64_t from, int64_t to)
{
	char key[24];

	if (json_object_size(t->moved) >= MAX_MOVED)
		json_object_clear(t->moved);
	snprintf(key, sizeof(key), "%lld", (long long)from);
	json_object_set_new(t->moved, key, json_integer(to));
	lb_warn("bot '%s': chat %lld is %lld now", t->bot->name,
		(long long)from, (long long)to);
}
