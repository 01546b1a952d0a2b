/*
 * store/heal.h - reading JSON that an older program or a hand wrote badly.
 */
#ifndef LB_STORE_HEAL_H
#define LB_STORE_HEAL_H

#include <jansson.h>
#include <stddef.h>

/*
 * The JSON value of text, new, or NULL. Ill-formed bytes and escapes of half a
 * surrogate pair are read as U+FFFD.
 */
json_t *lb_heal_load(const char *text, size_t len);

#endif
