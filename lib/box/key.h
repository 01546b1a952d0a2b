/*
 * box/key.h - which session a record belongs to, and what its folder is
 * called.
 */
#ifndef LB_BOX_KEY_H
#define LB_BOX_KEY_H

#include <jansson.h>

#include "base/error.h"
#include "config/config.h"

/*
 * The name of a session by a template such as "{launcher_type}_{launcher_id}",
 * at most LB_BOX_MAX_SESSION bytes; a longer one ends in a digest.
 * Its variables are bot, pipeline, session, launcher_type, launcher_id,
 * sender_id, conversation_id, query_id and global, of which `context` (an
 * object; see lb-provider(7)) has those that are known: `session` stands for
 * bot, launcher_type and launcher_id, `id` for query_id; an empty text is not
 * known. Each value is encoded, so that no two values give one name: what is
 * not [A-Za-z0-9.-] is %XX. {session} stays BOT/TYPE_ID, each part encoded; in
 * one that names no bot there is '~' for it.
 *
 * "{global}" alone is one sandbox for all; any other template without {bot} or
 * {session} gets "{bot}/" in front. Caller frees. NULL: LB_CONFIG when the
 * template is none (config/template.h), LB_DATA when a variable it names is not
 * known here.
 */
char *lb_box_session(const char *template, const json_t *context,
		     struct lb_error *err);

/*
 * The template in force for a pipeline, borrowed from the configuration:
 * system.limitation.force_box_session_id_template, else the pipeline's
 * ai.local-agent.box-session-id-template, else "{session}".
 */
const char *lb_box_template(struct lb_config *config, const char *pipeline);

/*
 * The name of a session's folder: one path component of at most 200 bytes,
 * [A-Za-z0-9_.%-] and '~' alone, never beginning with a dot, different for
 * different names. Caller frees.
 */
char *lb_box_folder(const char *session);

#endif
