/*
 * net/part.h - parts of the head of an HTTP/1.1 message (RFC 9110, RFC 9112).
 */
#ifndef LB_NET_PART_H
#define LB_NET_PART_H

#include <stdbool.h>
#include <stddef.h>

/* A part of a text, borrowed from it. */
struct lb_part {
	const char *at;
	size_t len;
};

/* Cut at the first `c`: what is before it, and what follows it. */
bool lb_part_cut(struct lb_part s, char c, struct lb_part *before,
		 struct lb_part *rest);

/* Take the next line, without its CR LF; false: it ends otherwise, or not. */
bool lb_part_line(struct lb_part *text, struct lb_part *line);

/* Without blanks and tabs at its ends. */
struct lb_part lb_part_trim(struct lb_part s);

/* Is it that word, in letters of either case? */
bool lb_part_is(struct lb_part s, const char *word);

/* What names are made of. An empty one is none. */
bool lb_part_is_token(struct lb_part s);
/* No blank and no control character; what is not ASCII may be in a path. */
bool lb_part_is_visible(struct lb_part s);
/* What a header says: visible, blank or tab. */
bool lb_part_is_value(struct lb_part s);

#endif
