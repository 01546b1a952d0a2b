/*
 * base/json.h - reading and making JSON values with jansson.
 *
 * jansson reports little: json_string() of bad UTF-8 is NULL and a set of
 * NULL merely fails, so a field would vanish. These helpers do not.
 */
#ifndef LB_BASE_JSON_H
#define LB_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Borrowed; NULL if absent or not a string. */
const char *lb_json_str(const json_t *o, const char *key);

/* False if absent or not whole; a whole real up to 2^53 counts. */
bool lb_json_int(const json_t *o, const char *key, int64_t *v);

/* The boolean at key, or `otherwise`. */
bool lb_json_bool(const json_t *o, const char *key, bool otherwise);

/* LB_DATA: "field 'x' is missing" or "field 'x' is not a string". */
int lb_json_need_str(const json_t *o, const char *key, const char **borrow,
		     struct lb_error *err);

/* Set o[key] to text, which is repaired (U+FFFD) where it is not UTF-8. */
void lb_json_set_str(json_t *o, const char *key, const char *text, size_t len);

/* A string value; ill-formed bytes become U+FFFD. Never NULL. */
json_t *lb_json_text(const char *text, size_t len);

/* json_pack() that dies LB_BUG on a mistake; never NULL. */
json_t *lb_json_pack(const char *fmt, ...) __attribute__((returns_nonnull));

/*
 * The value at a dotted path ("a.b.0"), borrowed; NULL if there is none.
 * Members whose names hold a dot cannot be reached.
 */
json_t *lb_json_path(const json_t *o, const char *path);

/*
 * Set the value at a dotted path, making objects on the way (and of what is
 * none). An empty path does nothing.
 */
void lb_json_put(json_t *o, const char *path, json_t *take);

/* Is it nested deeper than that? A string is 0 deep. */
bool lb_json_is_deep(const json_t *value, int most);

/* Deep-merge `over` into `base`: objects join, everything else replaces. */
void lb_json_merge(json_t *base, const json_t *over);

#endif
