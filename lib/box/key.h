/*
 * box/key.h - which session a record belongs to, and what its folder is
 * called.
 */
#ifndef LB_BOX_KEY_H
#define LB_BOX_KEY_H

#include <jansson.h>

#include "base/error.h"

/*
 * The name of a session by a template such as "{launcher_type}_{launcher_id}".
 * Its variables are bot, pipeline, session, launcher_type, launcher_id,
 * sender_id, conversation_id, query_id and global, of which `context` (an
 * object; see lb-provider(7)) has those that are known: `session` stands for
 * launcher_type and launcher_id, `id` for query_id. Each value is encoded, so
 * that no two values give one name: what is not [A-Za-z0-9.-] is %XX.
 *
 * "{global}" alone is one sandbox for all; any other template without {bot} or
 * {session} gets "{bot}/" in front. Caller frees. NULL: LB_CONFIG when the
 * template names another variable or is empty, LB_DATA when one it names is
 * not known here.
 */
char *lb_box_session(const char *template, const json_t *context,
		     struct lb_error *err);

/* Is it a template? LB_CONFIG says what is wrong. */
int lb_box_template_check(const char *template, struct lb_error *err);

/*
 * The name of a session's folder: one path component of at most 200 bytes,
 * [A-Za-z0-9_.%-] and '~' alone, never beginning with a dot, different for
 * different names. Caller frees.
 */
char *lb_box_folder(const char *session);

#endif
