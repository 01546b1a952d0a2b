/*
 * platform/media.h - files that came with a message: where they lie.
 *
 * A component of a chain that is a file carries `ref`, the platform's name of
 * it, and `path`, where lb-ingest puts it: $LB_STATE/media/XX/YYY.EXT, by
 * SHA-256 of bot and ref, so that the path is known before the file is there
 * and the same file is fetched once. A `path` is honoured only below that
 * folder, and no link is followed.
 */
#ifndef LB_PLATFORM_MEDIA_H
#define LB_PLATFORM_MEDIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* An item; all items of a record. */
enum {
	LB_MEDIA_ITEM_MAX = 10 << 20,
	LB_MEDIA_RECORD_MAX = 20 << 20,
};

/*
 * Where the file of that ref lies or will lie; `name` (may be NULL) gives the
 * extension when it has a harmless one. Caller frees.
 */
char *lb_media_path(const char *state, const char *bot, const char *ref,
		    const char *name);

/* Open a file below $LB_STATE/media without following links; the descriptor,
 * or -1: LB_DENIED (it lies elsewhere), LB_NOINPUT (it is not there). */
int lb_media_open(const char *state, const char *path, struct lb_error *err);

/*
 * Remove such a file. 1; 0: there was
 * none; -1: LB_DENIED (it lies elsewhere), LB_IO.
 */
int lb_media_remove(const char *state, const char *path, struct lb_error *err);

#endif
