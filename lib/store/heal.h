/*
 * store/heal.h - reading JSON that an older program or a hand wrote badly.
 */
#ifndef LB_STORE_HEAL_H
#define LB_STORE_HEAL_H

#include <jansson.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * The JSON value of text, new, or NULL. Ill-formed bytes and escapes of half a
 * surrogate pair are read as U+FFFD.
 */
json_t *lb_heal_load(const char *text, size_t len);

/*
 * Make of the messages of a turn what every model takes: they begin with a
 * user's; each call of a tool has a name, an id of its own and arguments that
 * are a JSON object, and is answered, once, right behind it; nothing is empty.
 * What cannot be so is taken out; where no user's word or no answer is left,
 * all of it is. Returns how many repairs there were; `told` gets what they
 * were.
 */
size_t lb_heal_turn(json_t *messages, struct lb_buf *told);

#endif
