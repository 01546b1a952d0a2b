/*
 * config/blocks.h - some members of a large mapping, without reading the rest.
 *
 * The data files in share/lb hold much of which a program needs little, and a
 * program that starts for one question should not parse it all. What stands
 * between two lines that begin with a key is a block; those that nobody wants
 * are passed over. A file that is laid out otherwise is read whole.
 */
#ifndef LB_CONFIG_BLOCKS_H
#define LB_CONFIG_BLOCKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Is it wanted? `text` is the block with its key's line, no NUL behind it. */
typedef bool lb_block_fn(void *arg, const char *key, const char *text,
			 size_t len);

/* As lb_yaml_load(); lines keep their numbers in messages. */
json_t *lb_blocks_load(const char *path, size_t max, lb_block_fn *want,
		       void *arg, struct lb_error *err);

/* The value of a plain "  name: value" line of a block; NULL for none. New. */
char *lb_block_value(const char *text, size_t len, const char *name);

#endif
