/*
 * platform/telegram.h - the Bot API, its two pure halves.
 *
 *     telegram-parse.c    an update becomes records
 *         telegram-text.c     its text and entities
 *         telegram-things.c   its media and the rest
 *     telegram-render.c   a chain becomes calls
 *         telegram-words.c    its text and mentions
 *         telegram-files.c    its media
 *     telegram-api.c      a call, over the network, and what its answer means
 *     telegram-ingest.c   the long poll
 *     telegram-send.c     deliveries
 */
#ifndef LB_PLATFORM_TELEGRAM_H
#define LB_PLATFORM_TELEGRAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "platform/limits.h"

/* The answer of getMe. */
struct lb_telegram_self {
	int64_t id;
	char *username; /* without '@' */
	bool reads_all; /* no privacy mode */
};

/* A file that a record refers to. */
struct lb_telegram_file {
	char *ref;    /* file_id */
	char *path;   /* platform/media.h; NULL when it is too large */
	int64_t size; /* -1: not said */
};

struct lb_telegram_parse {
	const struct lb_telegram_self *self;
	const char *bot;
	const char *state; /* $LB_STATE, for paths */
	bool bots;         /* messages of other bots count, too */
	int64_t now;       /* ms, where the update has no time */
	/* What came of it; released by lb_telegram_parse_release(). */
	struct lb_buf records; /* lines: message, edit, callback, status */
	struct lb_telegram_file *files;
	size_t n_files;
	char *album;    /* media_group_id of the message; or NULL */
	char *callback; /* id to answer with answerCallbackQuery; or NULL */
};

/*
 * One update. 0: `records` has what came of it, perhaps nothing (a service
 * message, another bot, a command for another). LB_DATA: it is no update;
 * which one stands in the text.
 */
int lb_telegram_parse(struct lb_telegram_parse *p, const json_t *update,
		      struct lb_error *err);
void lb_telegram_parse_release(struct lb_telegram_parse *p);

/* Where an answer goes. */
struct lb_telegram_chat {
	int64_t id;       /* 0 where it has a name */
	char name[64];    /* "@ann_news", of a target; else "" */
	int64_t thread;   /* 0 for none; 1 is never sent with a message */
	int64_t reply_to; /* message; 0 for none */
};

/*
 * "person:7", "group:-100/42" or "group:@ann_news". LB_DATA: no chat can be
 * called so.
 */
int lb_telegram_target(const char *target, struct lb_telegram_chat *chat,
		       struct lb_error *err);

/* What the Bot API calls it; new. */
json_t *lb_telegram_chat_id(const struct lb_telegram_chat *chat);

/*
 * From `target`, else reply_to, else the
 * launcher. LB_DATA: none of them names a chat.
 */
int lb_telegram_chat(const json_t *record, struct lb_telegram_chat *chat,
		     struct lb_error *err);

/* A file that goes with a request. */
struct lb_telegram_upload {
	char *field;         /* "photo"; in a group, what attach:// names */
	char *path;          /* for lb_media_open(); NULL: these bytes */
	struct lb_buf bytes; /* not text */
	char *name;          /* for people */
	int64_t max;         /* bytes that Telegram takes */
};

/* One request. */
struct lb_telegram_call {
	const char *method; /* static */
	json_t *params;
	struct lb_telegram_upload *uploads;
	size_t n_uploads;
	const char *text_field; /* "text" or "caption" where markup is used: */
	char *plain;            /* ... the same without, for a second try */
};

struct lb_telegram_calls {
	struct lb_telegram_call *at;
	size_t n;
};

/*
 * A chain as calls, in order: text in pieces the platform takes, media with
 * captions, Quote as reply_parameters, At as a mention, what cannot be shown
 * as a readable line. A file is named by its ref, else uploaded from its path,
 * else fetched by Telegram from its url, else uploaded from its base64. An
 * empty chain gives none. LB_CONFIG: a limit holds no character.
 */
int lb_telegram_render(const json_t *chain, const struct lb_telegram_chat *chat,
		       const struct lb_limits *limits,
		       struct lb_telegram_calls *calls, struct lb_error *err);
void lb_telegram_calls_release(struct lb_telegram_calls *calls);

#endif
