/*
 * platform/pace.h - how fast a bot may send: to a chat, and over all.
 *
 * Each send reserves its time, so that those who wait need not ask again. A
 * chat that the platform told to wait is paused as a whole; others are not.
 */
#ifndef LB_PLATFORM_PACE_H
#define LB_PLATFORM_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "platform/limits.h"

/* Zeroed, then `limits` (borrowed) set by the owner. */
struct lb_pace {
	const struct lb_limits *limits;
	int64_t all_at; /* when the next of all may go, mono ms */
	struct lb_map chats;
};

void lb_pace_release(struct lb_pace *pace);

/*
 * When a message to that chat may go, mono ms: now or later. It is counted.
 * Then, once that time is there, lb_pace_turn() says when all the others let
 * it: one that waits for its chat holds no turn of theirs.
 */
int64_t lb_pace_reserve(struct lb_pace *pace, const char *chat, bool group,
			int64_t now_ms);
int64_t lb_pace_turn(struct lb_pace *pace, int64_t now_ms);

/* May something that can be left out go now? Its turn is taken if so. */
bool lb_pace_try(struct lb_pace *pace, const char *chat, int64_t now_ms);

/* The platform said: nothing to this chat for so long. */
void lb_pace_pause(struct lb_pace *pace, const char *chat, int64_t now_ms,
		   int64_t wait_ms);

/* Until when the chat is paused; in the past when it is not. */
int64_t lb_pace_paused(const struct lb_pace *pace, const char *chat);

#endif
