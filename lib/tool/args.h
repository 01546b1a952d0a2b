/*
 * tool/args.h - what a model gives a tool, and what it gets back.
 */
#ifndef LB_TOOL_ARGS_H
#define LB_TOOL_ARGS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tool/place.h"

/*
 * Do the arguments fit the schema: is nothing missing, is nothing there that it
 * does not have, are the texts texts, and those of a list in it? Numbers are
 * lb_args_number()'s. LB_DATA says what, and what there is.
 */
int lb_args_check(const char *schema, const json_t *arguments,
		  struct lb_error *err);

/* A text, which may hold zero bytes; NULL when it is not there. Borrowed. */
const char *lb_args_text(const json_t *arguments, const char *key, size_t *len);

/*
 * A whole number from `least` on and at most `most`, which greater ones become.
 * `otherwise` when it is missing, less, or no number; "30" is 30.
 */
int64_t lb_args_number(const json_t *arguments, const char *key,
		       int64_t otherwise, int64_t least, int64_t most);

/* The spot of the argument "path"; without one, of `otherwise`. */
int lb_args_spot(const struct lb_place *place, const json_t *arguments,
		 const char *otherwise, struct lb_spot *spot,
		 struct lb_error *err);

/* {"ok":false,"error":...}, new. */
json_t *lb_tool_no(const struct lb_error *err);
/*
 * The same for what went wrong outside of the place: the names of files of this
 * machine, such as those below `state`, are for its operator, who reads them in
 * the log, and not for whoever chats with a bot. The text is borrowed.
 */
json_t *lb_tool_trouble(const struct lb_error *err, const char *state);
const char *lb_tool_told(const struct lb_error *err, const char *state);
json_t *lb_tool_refuse(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* A text, or null. New. */
json_t *lb_tool_word(const char *word);

#endif
