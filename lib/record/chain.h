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

/* The Plain texts alone. */
void lb_chain_plain(const json_t *chain, struct lb_buf *out);

/* [{"type":"Plain","text":...}] as bytes. */
void lb_chain_put_plain(struct lb_buf *b, const char *text, size_t len);

#endif
