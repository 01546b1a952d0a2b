/*
 * config/notice.h - the texts that people in a chat read.
 *
 * A notice has a key. Its text is that of `notices.LANGUAGE.KEY` in the
 * configuration, else of lang/LANGUAGE.yaml beside the main file, else of
 * share/lb/lang/LANGUAGE.yaml, else of en_US.yaml, else the key itself. The language is `system.language`. Errors and logs, which
 * operators read, are English and no notices.
 */
#ifndef LB_CONFIG_NOTICE_H
#define LB_CONFIG_NOTICE_H

#include "base/buf.h"
#include "config/config.h"

/* The text of a key, with its {names} as they stand. Borrowed. */
const char *lb_notice(struct lb_config *config, const char *key);

/*
 * The text with each {name} replaced by the value that follows that name in
 * the arguments: name, value, ..., NULL. Values are not looked into; a {name}
 * that is none of them stays.
 */
void lb_notice_put(struct lb_buf *out, struct lb_config *config,
		   const char *key, ...) __attribute__((sentinel));

#endif
