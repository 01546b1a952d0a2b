/*
 * platform/telegram-content.h - what a message of Telegram says. Between
 * telegram-parse.c and telegram-content.c, telegram-media.c is the network's.
 */
#ifndef LB_PLATFORM_TELEGRAM_CONTENT_H
#define LB_PLATFORM_TELEGRAM_CONTENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "platform/telegram.h"

struct lb_telegram_content {
	struct lb_telegram_parse *p;
	json_t *chain, *mentions; /* arrays; owned */
	int64_t media;            /* bytes of media that have a path */
	bool mentioned;           /* we are meant */
	bool for_other;           /* a command that names another bot */
	bool quoted;              /* this is a message that is quoted */
};

/* The text, or the caption, with what its entities mean. */
void lb_telegram_text(struct lb_telegram_content *c, const json_t *message);

/* Pictures, sounds, files and what else there is. */
void lb_telegram_things(struct lb_telegram_content *c, const json_t *message);

/* A whole number at key as text, "" if there is none; borrowed from `out`. */
enum { LB_TELEGRAM_NUMBER = 24 };
const char *lb_telegram_number(const json_t *o, const char *key,
			       char out[LB_TELEGRAM_NUMBER]);

/* "Ann Lee", or the title of a chat, or the username; caller frees. */
char *lb_telegram_name(const json_t *who);

#endif
