#include "platform/pace.h"

#include <stdlib.h>

#include "base/mem.h"

enum { MANY_CHATS = 1024 };

struct chat {
	/* As if messages had gone out evenly: when the next would be due. */
	int64_t due;
	int64_t paused; /* until then */
};

void lb_pace_release(struct lb_pace *pace)
{
	lb_map_release(&pace->chats, free);
}

/* Chats about which there is nothing to remember must not pile up. */
static void sweep(struct lb_pace *pace, int64_t now_ms)
{
	struct lb_map left = {0};

	for (size_t i = 0; i < pace->chats.size; i++)
		for (struct lb_map_entry *e = pace->chats.slots[i]; e;
		     e = e->next) {
			struct chat *c = e->value;

			if (c->due > now_ms || c->paused > now_ms)
				lb_map_add(&left, e->key, c);
			else
				free(c);
		}
	lb_map_release(&pace->chats, NULL);
	pace->chats = left;
}

static struct chat *chat_of(struct lb_pace *pace, const char *name,
			    int64_t now_ms)
{
	struct chat *c = lb_map_find(&pace->chats, name);

	if (c)
		return c;
	/* Doubling keeps the cost of sweeping below that of adding. */
	if (pace->chats.n >= MANY_CHATS &&
	    (pace->chats.n & (pace->chats.n - 1)) == 0)
		sweep(pace, now_ms);
	c = lb_alloc(sizeof(*c));
	lb_map_add(&pace->chats, name, c);
	return c;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t lb_pace_turn(struct lb_pace *pace, int64_t now_ms)
{
	int64_t at = later(now_ms, pace->all_at);

	pace->all_at = at + pace->limits->all_ms;
	return at;
}

int64_t lb_pace_reserve(struct lb_pace *pace, const char *name, bool group,
			int64_t now_ms)
{
	const struct lb_limits *l = pace->limits;
	struct chat *c = chat_of(pace, name, now_ms);
	int64_t step = group && l->group_ms > 0 ? l->group_ms : l->chat_ms;
	int64_t ahead = step * (l->burst > 1 ? l->burst - 1 : 0);
	int64_t at = later(now_ms, c->paused);

	if (step > 0) {
		at = later(at, c->due - ahead);
		c->due = later(c->due, at) + step;
	}
	return at;
}

bool lb_pace_try(struct lb_pace *pace, const char *name, int64_t now_ms)
{
	if (lb_pace_paused(pace, name) > now_ms || pace->all_at > now_ms)
		return false;
	lb_pace_turn(pace, now_ms);
	return true;
}

void lb_pace_pause(struct lb_pace *pace, const char *name, int64_t now_ms,
		   int64_t wait_ms)
{
	struct chat *c = chat_of(pace, name, now_ms);

	c->paused = later(c->paused, now_ms + wait_ms);
}

int64_t lb_pace_paused(const struct lb_pace *pace, const char *name)
{
	const struct chat *c = lb_map_find(&pace->chats, name);

	return c ? c->paused : 0;
}
