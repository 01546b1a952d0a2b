/*
 * record/chain.h - message chains: what a message is made of.
 *
 * A chain is an array of components, each an object with a string `type`.
 * Types that are not known keep their data; nothing here changes a chain.
 */
#ifndef LB_RECORD_CHAIN_H
#define LB_RECORD_CHAIN_H

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"

/* LB_DATA: not an array of objects with a `type`. */
int lb_chain_check(const json_t *chain, struct lb_error *err);

/*
 * What people read, and what rules match: Plain texts, @names, [Image] and the
 * like, without a separator. Source says nothing, and neither does Quote: what
 * somebody else said is not said now. A type that is not known reads as
 * "[Type]".
 */
void lb_chain_text(const json_t *chain, struct lb_buf *out);

/*
 * The same for who reads an answer: a blank stands behind @name where a word
 * follows, a Forward is its messages, a line each, and a file that lies on
 * this machine has its path behind it.
 */
void lb_chain_shown(const json_t *chain, struct lb_buf *out);

/*
 * What must stand between a name and the text behind it: nothing, a blank or,
 * where it is all that stands before a text that begins with Markdown of whole
 * lines, a line break.
 */
enum lb_chain_name { LB_NAME_NONE, LB_NAME_FIRST, LB_NAME_WITHIN };
/* Of a component of that type, behind what is there already. */
enum lb_chain_name lb_chain_name(const char *type, const struct lb_buf *before);
const char *lb_chain_gap(enum lb_chain_name name, const char *text);

/* The Plain texts alone. */
void lb_chain_plain(const json_t *chain, struct lb_buf *out);

/* {"type":"Plain","text":...} as bytes. */
void lb_chain_put_text(struct lb_buf *b, const char *text, size_t len);

/* [{"type":"Plain","text":...}] as bytes. */
void lb_chain_put_plain(struct lb_buf *b, const char *text, size_t len);

#endif
