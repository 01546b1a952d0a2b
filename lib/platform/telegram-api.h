/*
 * platform/telegram-api.h - asking the Bot API, and what its answers mean.
 *
 * The token is in the path of every URL; neither leaves this file: what is
 * said for people names the method and the host alone.
 */
#ifndef LB_PLATFORM_TELEGRAM_API_H
#define LB_PLATFORM_TELEGRAM_API_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "net/http.h"
#include "net/multipart.h"
#include "platform/attempt.h"

struct lb_telegram_api; /* one bot's */
struct lb_telegram_ask; /* one call under way */

/*
 * `conf` is the bot's part of the configuration: `token`, a secret, and
 * `base-url`. Both `http` and `bot` (its name, for people) are borrowed.
 * LB_CONFIG: there is no token, or it cannot be one.
 */
struct lb_telegram_api *lb_telegram_api_open(struct lb_http *http,
					     const char *bot,
					     const json_t *conf,
					     struct lb_error *err);
/* Forgets what is under way. Not inside a callback of a call. */
void lb_telegram_api_close(struct lb_telegram_api *api);

struct lb_telegram_request {
	const char *method;   /* "getUpdates" */
	const json_t *params; /* an object; or NULL */
	/* Uploaded in fields of these names; their descriptors are taken. */
	const struct lb_multipart_file *files;
	size_t n_files;
	bool safe; /* asking twice does no harm: all but what sends */
	/* What the peer may take beyond the usual 30 s: a long poll. */
	int64_t patience_ms;
	size_t max_body; /* of the answer, bytes; 0 for 1 MiB */
};

/* Once, last; everything is borrowed until it returns. */
typedef void lb_telegram_fn(void *arg, const struct lb_answer *answer);

/* Never calls back before it returns. NULL: LB_USAGE, LB_OS. */
struct lb_telegram_ask *lb_telegram_ask(struct lb_telegram_api *api,
					const struct lb_telegram_request *r,
					lb_telegram_fn *fn, void *arg,
					struct lb_error *err);

/*
 * Download a file by the `file_path` that getFile answered, at most `max`
 * bytes. on_data gets it in pieces and returns 0, or -1 to stop.
 */
struct lb_telegram_ask *lb_telegram_fetch(
	struct lb_telegram_api *api, const char *file_path, size_t max,
	int (*on_data)(void *arg, const char *data, size_t len),
	lb_telegram_fn *fn, void *arg, struct lb_error *err);

/* End it without a callback. Allowed in every callback but its own. */
void lb_telegram_cancel(struct lb_telegram_ask *ask);

#endif
