/*
 * platform/telegram-call.h - what the files of telegram-render share.
 */
#ifndef LB_PLATFORM_TELEGRAM_CALL_H
#define LB_PLATFORM_TELEGRAM_CALL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "platform/telegram.h"
#include "record/chain.h"

struct lb_telegram_render {
	const struct lb_telegram_chat *chat;
	const struct lb_limits *limits;
	struct lb_telegram_calls *calls;
	struct lb_buf text;      /* Markdown that waits to be sent */
	json_t *ids;             /* of those who are mentioned in it; strings */
	enum lb_chain_name name; /* what its last word is */
	int64_t quote; /* message that the first call answers; 0: none */
};

/* A call to this chat; borrowed until the next. */
struct lb_telegram_call *lb_telegram_call(struct lb_telegram_render *r,
					  const char *method);

/* Words of a component that is no file: into r->text. */
void lb_telegram_words(struct lb_telegram_render *r, const json_t *part);

/* Set `field` of the call to Markdown, in both forms. False: there is nothing
 * to be seen in it, and nothing was set. */
bool lb_telegram_set_text(struct lb_telegram_render *r,
			  struct lb_telegram_call *call, const char *field,
			  const char *markdown, size_t len);

/* How a component of a chain goes out. */
struct lb_telegram_file_kind {
	const char *type, *method, *field, *name;
};

/* NULL: it is no file, or does not say where the file is. */
const struct lb_telegram_file_kind *lb_telegram_file_kind(const json_t *part);

/* Where Telegram gets the file: sets params[field], or adds an upload. */
void lb_telegram_attach(struct lb_telegram_render *r,
			struct lb_telegram_call *call, const json_t *part,
			json_t *params, const char *field);

#endif
